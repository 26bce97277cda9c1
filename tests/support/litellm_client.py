"""What LiteLLM does with a guardrail's answers while a model writes (streaming_transform_mode: incremental_diff,
streaming_sampling_rate: 1): posts the text so far with each chunk, emits what is new of the answer but for the held
characters, and at the end emits all. Usage: litellm_client.py URL PIECE_LENGTH TEXT. Prints one line of JSON."""

import json
import sys
import urllib.request


def post(url, text):
    body = json.dumps({"input_type": "response", "texts": [text], "images": None, "tools": None, "tool_calls": None,
                       "structured_messages": None, "model": "m", "request_data": {"user_api_key_alias": "web"},
                       "litellm_call_id": "c-1", "litellm_trace_id": None, "litellm_version": "1",
                       "additional_provider_specific_params": {}, "a_new_member": 1})
    request = urllib.request.Request(url + "/beta/litellm_basic_guardrail_api", body.encode(),
                                     {"Content-Type": "application/json"})
    return json.load(urllib.request.urlopen(request, timeout=30))


def main(url, size, text):
    emitted, early = "", 0
    pieces = [text[i:i + size] for i in range(0, len(text), size)]
    so_far = ""
    for n, piece in enumerate(pieces + [""]):
        so_far += piece
        answer = post(url, so_far)
        if answer["action"] == "BLOCKED":
            return {"blocked": answer["blocked_reason"], "emitted": emitted}
        rewritten, held = answer["texts"][0], answer["stream_holdback_chars"][0]
        if not rewritten.startswith(emitted):
            return {"underflow": n, "emitted": emitted}
        is_final = n == len(pieces)
        end = max(len(emitted), len(rewritten) - (0 if is_final else max(0, held)))
        emitted = rewritten[:end]
        early = early if is_final else len(emitted)
    return {"emitted": emitted, "early": early}


print(json.dumps(main(sys.argv[1], int(sys.argv[2]), sys.argv[3])))
