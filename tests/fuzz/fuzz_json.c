/* fuzz_json.c - the reader against jansson: both accept a text or both refuse it, but for what the
 * two are meant to differ in: nesting past JSON_DEPTH_MAX, numbers too large for a double, NUL in
 * member names, and a NUL byte behind the value, which jansson overlooks. What is accepted is
 * walked to its last byte, and strings survive a round trip. */
#include <jansson.h>
#include <stdlib.h>

#include "base/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static bool is_meant_to_differ(const json_error_t *refusal)
{
    enum json_error_code code = json_error_code(refusal);
    return code == json_error_numeric_overflow || code == json_error_null_byte_in_key;
}

static void survives_round_trip(struct arena *a, struct json_value string)
{
    struct error err;
    struct buf out;
    struct span text, again;

    buf_init(&out, 6 * string.raw.len + 2);
    must(json_unquote(a, string, &text, &err));
    must(json_append_string(&out, text, &err));
    must(json_validate(buf_span(&out), &err));
    must(json_unquote(a, json_root(buf_span(&out)), &again, &err));
    must(span_equal(text, again));
    buf_deinit(&out);
}

static size_t count_below(struct json_value value)
{
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;
    size_t n = value.kind == JSON_KIND_ARRAY || value.kind == JSON_KIND_OBJECT ? 2 : 1;

    while (json_next(&it, &name, &item)) {
        n += count_below(item) + it.is_object;
    }
    return n;
}

/* The walk and the iterators, two ways through the same text, see as many tokens. */
static void walk_all(struct arena *a, struct span text)
{
    struct json_walk walk = json_walk(text);
    struct json_token token;
    size_t n = 0;

    for (; json_walk_next(&walk, &token); n++) {
        if (token.value.kind == JSON_KIND_STRING) {
            survives_round_trip(a, token.value);
        }
    }
    must(n == count_below(json_root(text)));
}

/* Any bytes at all become one valid string. */
static void any_bytes_can_be_written(struct span text)
{
    struct error err;
    struct buf out;

    buf_init(&out, 6 * text.len + 2);
    must(json_append_string(&out, text, &err));
    must(json_validate(buf_span(&out), &err));
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    struct error err;
    struct arena arena;
    json_error_t refusal;

    bool is_accepted = json_validate(text, &err);
    json_t *other = json_loadb(
        text.ptr, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL, &refusal);
    if (is_accepted) {
        must(other != NULL || is_meant_to_differ(&refusal));
        arena_init(&arena, 0, 16 * size + 4096);
        walk_all(&arena, text);
        arena_deinit(&arena);
    } else {
        bool has_nul = size > 0 && memchr(data, 0, size) != NULL;
        must(other == NULL || err.kind == ERROR_LIMIT || has_nul);
    }
    any_bytes_can_be_written(text);
    json_decref(other);
    return 0;
}
