# bridge.py - the Python packages "openai" and "anthropic" for matrix.mjs: a case in a line of JSON
# on standard input, what the client saw in a line of JSON on standard output.
import json
import sys

import anthropic
import openai

MESSAGES = [{"role": "user", "content": "What is the news?"}]


def add_call(result, name, arguments):
    result["tools"].append({"name": name, "arguments": arguments})


def openai_client(case):
    return openai.OpenAI(base_url=case["base"] + "/v1", api_key=case["key"])


def chat_request(case):
    request = {"model": case["model"], "messages": MESSAGES, "logprobs": True, "top_logprobs": 1}
    if case["choices"] > 1:
        request["n"] = case["choices"]
    if case["tool"]:
        request["tools"] = [{"type": "function", "function": case["tool"]}]
    return request


def grow(items, index, empty):
    while len(items) <= index:
        items.append(empty)


def chat_events(case, result):
    calls = {}
    stream = openai_client(case).chat.completions.create(
        **chat_request(case), stream=True, stream_options={"include_usage": True}
    )
    for chunk in stream:
        for choice in chunk.choices:
            grow(result["texts"], choice.index, "")
            grow(result["finishes"], choice.index, None)
            result["texts"][choice.index] += choice.delta.content or ""
            result["finishes"][choice.index] = choice.finish_reason or result["finishes"][choice.index]
            for call in choice.delta.tool_calls or []:
                name, text = calls.get(call.index, ("", ""))
                calls[call.index] = (name + (call.function.name or ""), text + (call.function.arguments or ""))
        if chunk.usage:
            result["usage"] = [chunk.usage.prompt_tokens, chunk.usage.completion_tokens]
    for name, text in calls.values():
        add_call(result, name, json.loads(text))


def read_chat(answer, result):
    for choice in answer.choices:
        result["texts"].append(choice.message.content or "")
        result["finishes"].append(choice.finish_reason)
        for call in choice.message.tool_calls or []:
            add_call(result, call.function.name, json.loads(call.function.arguments))
    if answer.usage:
        result["usage"] = [answer.usage.prompt_tokens, answer.usage.completion_tokens]


def chat_whole(case, result):
    read_chat(openai_client(case).chat.completions.create(**chat_request(case)), result)


def responses_request(case):
    tool = [{"type": "function", "strict": False, **case["tool"]}] if case["tool"] else openai.omit
    return {"model": case["model"], "input": "What is the news?", "tools": tool}


def read_response(response, result):
    result["texts"] = [response.output_text]
    reason = response.incomplete_details and response.incomplete_details.reason
    result["finishes"] = [reason or response.status]
    for item in response.output:
        if item.type == "function_call":
            add_call(result, item.name, json.loads(item.arguments))
    if response.usage:
        result["usage"] = [response.usage.input_tokens, response.usage.output_tokens]


def responses_helper(case, result):
    final = None
    with openai_client(case).responses.stream(**responses_request(case)) as stream:
        for event in stream:
            if event.type in ("response.completed", "response.incomplete"):
                final = event.response
            elif event.type == "error":
                raise RuntimeError(event.message)
    if final is None:
        raise RuntimeError("the stream ended without an end")
    read_response(final, result)


def responses_whole(case, result):
    read_response(openai_client(case).responses.create(**responses_request(case)), result)


def anthropic_client(case):
    return anthropic.Anthropic(base_url=case["base"], api_key=case["key"])


def message_request(case):
    request = {"model": case["model"], "max_tokens": 500, "messages": MESSAGES}
    if case["tool"]:
        tool = dict(case["tool"])
        tool["input_schema"] = tool.pop("parameters")
        request["tools"] = [tool]
    return request


def read_message(message, result):
    result["texts"] = ["".join(block.text for block in message.content if block.type == "text")]
    result["finishes"] = [message.stop_reason]
    for block in message.content:
        if block.type == "tool_use":
            add_call(result, block.name, block.input)
    result["usage"] = [message.usage.input_tokens, message.usage.output_tokens]


def message_helper(case, result):
    with anthropic_client(case).messages.stream(**message_request(case)) as stream:
        read_message(stream.get_final_message(), result)


def message_whole(case, result):
    read_message(anthropic_client(case).messages.create(**message_request(case)), result)


CLIENTS = {
    "openai chat, events": chat_events,
    "openai chat, whole": chat_whole,
    "openai responses, stream helper": responses_helper,
    "openai responses, whole": responses_whole,
    "anthropic, stream helper": message_helper,
    "anthropic, whole": message_whole,
}


def play(case):
    result = {"texts": [], "finishes": [], "tools": [], "usage": None, "error": None}
    try:
        CLIENTS[case["client"]](case, result)
    except Exception as error:  # whatever a client raises is what is asked for
        status = getattr(error, "status_code", None)
        result["error"] = {"name": type(error).__name__, "status": status, "message": str(error)[:200]}
    return result


for line in sys.stdin:
    print(json.dumps(play(json.loads(line))), flush=True)
