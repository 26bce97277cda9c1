#!/usr/bin/env python3
"""stream_events.py [TABLE]: the strings in the events of the providers' streams, from the types of their own SDKs.

Without an argument the table is written; with one it is compared with that, and what differs fails: a new kind of event
or a new member is looked at before it is let through. The SDKs are those of requirements.txt beside this.

A row is: route, types of the events that have it, way to the string, what the schema says ("word": one of a list; "text": any; "any": any
value), and the first type that stands on that way, by which one kind of member is told from another."""

import importlib.metadata
import sys
import types
import typing

import pydantic

SDKS = ["anthropic", "cohere", "google-genai", "ollama", "openai"]
DEPTH = 12


def members(model):
    for name, field in model.model_fields.items():
        alias = field.serialization_alias or field.alias
        extra = next((m.alias for m in field.metadata if type(m).__name__ == "FieldMetadata"), None)
        yield alias or extra or name, field.annotation


def word_of(annotation):
    """The one value of a literal, as a tag has."""
    values = typing.get_args(annotation) if typing.get_origin(annotation) is typing.Literal else ()
    return values[0] if len(values) == 1 and isinstance(values[0], str) else None


def strings(annotation, path, tags, seen):
    origin, args = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        yield from strings(args[0], path, tags, seen)
    elif origin in (typing.Union, types.UnionType):
        for one in args:
            yield from strings(one, path, tags, seen)
    elif origin is typing.Literal:
        yield path, "word", tags
    elif origin in (list, tuple, set) or str(origin).endswith(("Sequence'>", "Iterable'>")):
        for one in args[:1]:
            yield from strings(one, path + "/*", tags, seen)
    elif origin is dict or str(origin).endswith("Mapping'>"):
        yield from strings(args[1], path + "/*", tags, seen)
    elif isinstance(annotation, type) and issubclass(annotation, pydantic.BaseModel):
        if seen.count(annotation) < 2 and len(seen) < DEPTH:
            fields = list(members(annotation))
            own = tuple((path + "/" + name, word_of(kind)) for name, kind in fields if name == "type" and word_of(kind))
            for name, kind in fields:
                yield from strings(kind, path + "/" + name, tags + own, seen + (annotation,))
    elif annotation is str or isinstance(annotation, type) and issubclass(annotation, bytes):
        yield path, "text", tags
    elif isinstance(annotation, type) and issubclass(annotation, str):
        yield path, "word", tags
    elif annotation in (typing.Any, object, dict, list):
        yield path, "any", tags


def kinds_of(annotation):
    if typing.get_origin(annotation) is typing.Annotated:
        annotation = typing.get_args(annotation)[0]
    return typing.get_args(annotation) or (annotation,)


def roots():
    import anthropic.types
    import anthropic.types.beta
    import cohere
    import google.genai.types
    import ollama
    import openai.types
    import openai.types.chat
    import openai.types.responses

    yield "openai-chat", "", openai.types.chat.ChatCompletionChunk
    yield "openai-completions", "", openai.types.Completion
    for event in kinds_of(openai.types.responses.ResponseStreamEvent):
        yield "openai-responses", word_of(event.model_fields["type"].annotation), event
    for union in (anthropic.types.RawMessageStreamEvent, anthropic.types.beta.BetaRawMessageStreamEvent):
        for event in kinds_of(union):
            yield "anthropic-messages", word_of(event.model_fields["type"].annotation), event
    yield "gemini-stream", "", google.genai.types.GenerateContentResponse
    yield "ollama-chat", "", ollama.ChatResponse
    yield "ollama-generate", "", ollama.GenerateResponse
    for event in kinds_of(cohere.V2ChatStreamResponse):
        yield "cohere-chat", word_of(event.model_fields["type"].annotation), event


# Made by the SDK itself, and never on the wire.
BESIDE_THE_WIRE = {"gemini-stream": ("/sdkHttpResponse", "/automaticFunctionCallingHistory", "/parsed")}


def rows():
    found = {}
    for route, event, model in roots():
        for path, kind, tags in strings(model, "", (), ()):
            if path == "/type" or path.startswith(BESIDE_THE_WIRE.get(route, ("\0",))):
                continue
            tags = ";".join([f"{at}={word}" for at, word in tags if at not in ("/type", path)][:1])
            key = (route, event, path, "" if kind == "word" else tags)
            if found.get(key) in (None, "word"):
                found[key] = kind
    texts = {key[:3] for key, kind in found.items() if kind != "word"}
    events = {}
    for (route, event, path, tags), kind in found.items():
        if kind != "word" or (route, event, path) not in texts:
            events.setdefault((route, path, kind, tags), []).append(event)
    return sorted((route, ",".join(sorted(of)), path, kind, tags) for (route, path, kind, tags), of in events.items())


def table():
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in SDKS)
    lines = [f"# Made by tests/protocol/stream_events.py from {versions}.", "# route\tevents\tpath\tkind\ttype on the way"]
    return lines + ["\t".join(row) for row in rows()]


def main():
    made = table()
    if len(sys.argv) < 2:
        print("\n".join(made))
        return 0
    with open(sys.argv[1], encoding="utf-8") as file:
        kept = file.read().splitlines()
    differs = sorted(set(made) ^ set(kept))
    for line in differs[:40]:
        print(("new: " if line in made else "gone: ") + line)
    if differs:
        print(f"{len(differs)} rows differ: see that each new one is held, dropped or an id, and make the table again")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main())
