"""A chat model of a few hundred KB whose weights mean nothing, in the format of llama.cpp (GGUF, version 3).

tiny_gguf.py FILE SEED [CHARACTERS [PAIR…]]: one layer of the llama architecture over single bytes. Weights are drawn at
random from SEED. Besides, the model would rather say an earlier one of CHARACTERS than a later one, and any of them than
the rest; and behind the first character of a PAIR it says the second. With no characters it says what chance gave it."""
import array
import random
import struct
import sys

WIDTH, HEADS, INNER, CONTEXT = 64, 4, 128, 65536
U32, I32, F32, STRING, ARRAY = 4, 5, 6, 8, 9
CONSTANT = 8.0  # of each token's first dimension: what makes a preference independent of what was said
TEMPLATE = "{% for m in messages %}<|{{ m['role'] }}|>\n{{ m['content'] }}\n{% endfor %}{% if add_generation_prompt %}<|assistant|>\n{% endif %}"


def byte_letters():
    """The letter that stands for each byte in a vocabulary of bytes, as GPT-2's has it."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = (256 + i for i in range(256))
    return [chr(b) if b in plain else chr(next(others)) for b in range(256)]


def text(value):
    data = value.encode()
    return struct.pack("<Q", len(data)) + data


def entry(key, kind, value):
    forms = {U32: "<I", I32: "<i", F32: "<f"}
    if kind == STRING:
        return text(key) + struct.pack("<I", STRING) + text(value)
    if kind == ARRAY:
        inner = STRING if isinstance(value[0], str) else I32
        items = b"".join(text(v) if inner == STRING else struct.pack("<i", v) for v in value)
        return text(key) + struct.pack("<IIQ", ARRAY, inner, len(value)) + items
    return text(key) + struct.pack("<I", kind) + struct.pack(forms[kind], value)


def main():
    path, seed, preferred, pairs = sys.argv[1], int(sys.argv[2]), (sys.argv + [""])[3], sys.argv[4:]
    rng = random.Random(seed)
    letters = byte_letters()
    tokens = [*letters, letters[ord("t")] + letters[ord("h")], "<|end|>"]
    end, kinds = len(tokens) - 1, [1] * (len(tokens) - 1) + [3]
    entries = [("general.architecture", STRING, "llama"), ("general.name", STRING, "tiny"), ("llama.context_length", U32, CONTEXT),
               ("llama.embedding_length", U32, WIDTH), ("llama.block_count", U32, 1), ("llama.feed_forward_length", U32, INNER),
               ("llama.attention.head_count", U32, HEADS), ("llama.attention.head_count_kv", U32, HEADS), ("llama.rope.dimension_count", U32, WIDTH // HEADS),
               ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5), ("llama.vocab_size", U32, len(tokens)),
               ("tokenizer.ggml.model", STRING, "gpt2"), ("tokenizer.ggml.pre", STRING, "gpt-2"), ("tokenizer.ggml.tokens", ARRAY, tokens),
               ("tokenizer.ggml.token_type", ARRAY, kinds), ("tokenizer.ggml.merges", ARRAY, [f"{letters[ord('t')]} {letters[ord('h')]}"]),
               ("tokenizer.ggml.bos_token_id", U32, end), ("tokenizer.ggml.eos_token_id", U32, end), ("tokenizer.chat_template", STRING, TEMPLATE)]

    def noise(rows, columns, scale):
        return [[rng.gauss(0, scale) for _ in range(columns)] for _ in range(rows)]

    embedding, output = noise(len(tokens), WIDTH, 0.3), noise(len(tokens), WIDTH, 0.1)
    for row in embedding:
        row[0] = CONSTANT
    for rank, character in enumerate(preferred):
        output[ord(character)][0] = 4.0 - 2.0 * rank / max(1, len(preferred))
    output[end][0] = 4.5 if preferred else 0.0
    for dimension, (before, behind) in enumerate(pairs, 1):
        embedding[ord(before)][dimension] = CONSTANT
        output[ord(behind)][dimension] = 12.0
    norm = [[1.0] * WIDTH]
    tensors = {"token_embd.weight": embedding, "output_norm.weight": norm, "output.weight": output, "blk.0.attn_norm.weight": norm, "blk.0.ffn_norm.weight": norm}
    for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
        tensors[f"blk.0.{name}.weight"] = noise(WIDTH, WIDTH, 0.05)
    for name, rows, columns in (("ffn_gate", INNER, WIDTH), ("ffn_up", INNER, WIDTH), ("ffn_down", WIDTH, INNER)):
        tensors[f"blk.0.{name}.weight"] = noise(rows, columns, 0.05)

    head = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(entries)) + b"".join(entry(*e) for e in entries)
    data = b""
    for name, rows in tensors.items():
        shape = [len(rows[0])] if len(rows) == 1 else [len(rows[0]), len(rows)]
        head += text(name) + struct.pack("<I", len(shape)) + b"".join(struct.pack("<Q", n) for n in shape) + struct.pack("<IQ", 0, len(data))
        data += array.array("f", [x for row in rows for x in row]).tobytes()
        data += bytes(-len(data) % 32)
    with open(path, "wb") as file:
        file.write(head + bytes(-len(head) % 32) + data)


main()
