# bridge.py - Python packages for matrix.mjs: a case in a line of JSON
# on standard input, what the client saw in a line of JSON on standard output.
import asyncio
import json
import sys

import agents
import anthropic
import cohere
import openai
import pydantic
import pydantic_ai
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.openai import OpenAIProvider

agents.set_tracing_disabled(True)
LOOP = asyncio.new_event_loop()


class Contact(pydantic.BaseModel):
    name: str
    note: str
    email: str


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


def cohere_request(case):
    request = {"model": case["model"], "message": "What is the news?"}
    if case["tool"]:
        names = case["tool"]["parameters"]["properties"]
        parameters = {name: {"description": name, "type": "str", "required": True} for name in names}
        request["tools"] = [{"name": case["tool"]["name"], "description": "Sends.", "parameter_definitions": parameters}]
    return request


def cohere_client(case):
    return cohere.Client(api_key=case["key"], base_url=case["base"])


def read_cohere(answer, result):
    for call in answer.tool_calls or []:
        add_call(result, call.name, call.parameters)
    if answer.meta and answer.meta.tokens:
        result["usage"] = [int(answer.meta.tokens.input_tokens), int(answer.meta.tokens.output_tokens)]


def cohere_stream(case, result):
    result["texts"] = [""]
    for event in cohere_client(case).chat_stream(**cohere_request(case)):
        if event.event_type == "text-generation":
            result["texts"][0] += event.text
        elif event.event_type == "stream-end":
            result["finishes"] = [event.finish_reason]
            result["copies"] = [event.response.text]
            read_cohere(event.response, result)


def cohere_whole(case, result):
    answer = cohere_client(case).chat(**cohere_request(case))
    result["texts"], result["finishes"] = [answer.text], [answer.finish_reason]
    read_cohere(answer, result)


# --- structured output: the helpers of each package ---


def put_value(value, result):
    result["values"] = [value.model_dump()] if value else []


def chat_parse(case, result):
    answer = openai_client(case).chat.completions.parse(
        model=case["model"], messages=MESSAGES, response_format=Contact
    )
    message = answer.choices[0].message
    result.update(texts=[message.content or ""], refusal=message.refusal, finishes=[answer.choices[0].finish_reason])
    put_value(message.parsed, result)


def chat_stream_parse(case, result):
    with openai_client(case).chat.completions.stream(
        model=case["model"], messages=MESSAGES, response_format=Contact
    ) as stream:
        message = stream.get_final_completion().choices[0].message
    result.update(texts=[message.content or ""], refusal=message.refusal)
    put_value(message.parsed, result)


def put_response(response, result):
    read_response(response, result)
    parts = [part for item in response.output if item.type == "message" for part in item.content]
    result["refusal"] = "".join(part.refusal for part in parts if part.type == "refusal")
    put_value(response.output_parsed, result)


def responses_parse(case, result):
    put_response(openai_client(case).responses.parse(**responses_request(case), text_format=Contact), result)


def responses_stream_parse(case, result):
    with openai_client(case).responses.stream(**responses_request(case), text_format=Contact) as stream:
        put_response(stream.get_final_response(), result)


def message_parse(case, result):
    message = anthropic_client(case).messages.parse(**message_request(case), output_format=Contact)
    read_message(message, result)
    details = getattr(message, "stop_details", None)
    result["refusal"] = details.explanation if details else None
    put_value(message.parsed_output, result)


# --- frameworks ---


def agent_of(case, responses):
    client = openai.AsyncOpenAI(base_url=case["base"] + "/v1", api_key=case["key"])
    kind = agents.OpenAIResponsesModel if responses else agents.OpenAIChatCompletionsModel
    model = kind(model=case["model"], openai_client=client)
    return agents.Agent(name="a", model=model, output_type=Contact if case["structured"] else None)


def put_output(output, result):
    is_text = isinstance(output, str)
    result["texts"] = [output] if is_text else [""]
    put_value(None if is_text else output, result)


def agents_whole(responses):
    async def run(case, result):
        answer = await agents.Runner.run(agent_of(case, responses), "What is the news?")
        put_output(answer.final_output, result)

    return lambda case, result: LOOP.run_until_complete(run(case, result))


def agents_stream(responses):
    async def run(case, result):
        answer = agents.Runner.run_streamed(agent_of(case, responses), "What is the news?")
        async for _ in answer.stream_events():
            pass
        put_output(answer.final_output, result)

    return lambda case, result: LOOP.run_until_complete(run(case, result))


def pydantic_agent(case, kind):
    provider = OpenAIProvider(base_url=case["base"] + "/v1", api_key=case["key"])
    output = pydantic_ai.NativeOutput(Contact) if case["structured"] else str
    return pydantic_ai.Agent(kind(case["model"], provider=provider), output_type=output, retries=0)


def pydantic_whole(kind):
    async def run(case, result):
        put_output((await pydantic_agent(case, kind).run("What is the news?")).output, result)

    return lambda case, result: LOOP.run_until_complete(run(case, result))


def pydantic_stream(kind):
    async def run(case, result):
        async with pydantic_agent(case, kind).run_stream("What is the news?") as answer:
            put_output(await answer.get_output(), result)

    return lambda case, result: LOOP.run_until_complete(run(case, result))


STRUCTURED = {
    "openai chat, events": chat_stream_parse,
    "openai chat, whole": chat_parse,
    "openai responses, stream helper": responses_stream_parse,
    "openai responses, whole": responses_parse,
    "anthropic, whole": message_parse,
}
CLIENTS = {
    "openai-agents responses, stream": agents_stream(True),
    "openai-agents responses, whole": agents_whole(True),
    "openai-agents chat, stream": agents_stream(False),
    "openai-agents chat, whole": agents_whole(False),
    "pydantic-ai chat, stream": pydantic_stream(OpenAIChatModel),
    "pydantic-ai chat, whole": pydantic_whole(OpenAIChatModel),
    "pydantic-ai responses, stream": pydantic_stream(OpenAIResponsesModel),
    "pydantic-ai responses, whole": pydantic_whole(OpenAIResponsesModel),
    "openai chat, events": chat_events,
    "openai chat, whole": chat_whole,
    "openai responses, stream helper": responses_helper,
    "openai responses, whole": responses_whole,
    "anthropic, stream helper": message_helper,
    "anthropic, whole": message_whole,
    "cohere v1, stream": cohere_stream,
    "cohere v1, whole": cohere_whole,
}


def play(case):
    result = {"texts": [], "finishes": [], "tools": [], "usage": None, "error": None}
    try:
        (case["structured"] and STRUCTURED.get(case["client"]) or CLIENTS[case["client"]])(case, result)
    except Exception as error:  # whatever a client raises is what is asked for
        status = getattr(error, "status_code", None)
        result["error"] = {"name": type(error).__name__, "status": status, "message": str(error)[:1000]}
    return result


for line in sys.stdin:
    print(json.dumps(play(json.loads(line))), flush=True)
