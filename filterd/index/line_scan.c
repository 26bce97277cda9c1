#include "index/line_scan.h"

#include <endian.h>

static inline bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

#define EACH_BYTE(value) ((uint64_t)(value) * UINT64_C(0x0101010101010101))

/* The first quote; NULL: there is none. Most strings of a line are names, and shorter than a call takes to find their end. */
static inline const char *find_quote(const char *at, const char *end)
{
    uint64_t bytes;

    if ((size_t)(end - at) >= sizeof(bytes)) {
        memcpy(&bytes, at, sizeof(bytes));
        bytes = le64toh(bytes) ^ EACH_BYTE('"');
        uint64_t found = (bytes - EACH_BYTE(1)) & ~bytes & EACH_BYTE(0x80);
        if (found != 0) {
            return at + __builtin_ctzll(found) / 8;
        }
        at += sizeof(bytes);
    }
    return memchr(at, '"', (size_t)(end - at));
}

/* `at` is on the opening quote; the result is behind the closing one, NULL without one. */
static const char *skip_string(const char *at, const char *end)
{
    const char *inside = at + 1, *quote = inside;

    while ((quote = find_quote(quote, end)) != NULL) {
        const char *run = quote;
        while (run > inside && run[-1] == '\\') {
            run--;
        }
        if ((quote - run) % 2 == 0) {
            return quote + 1;
        }
        quote++;
    }
    return NULL;
}

/* Brackets are counted, not matched. */
static const char *skip_container(const char *at, const char *end)
{
    size_t depth = 0;

    while (at != NULL && at < end) {
        char c = *at;
        if (c == '"') {
            at = skip_string(at, end);
            continue;
        }
        at++;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0) {
            return at;
        }
    }
    return NULL;
}

/* A number or a word ends where punctuation or white space begins; NULL: there is none. */
static const char *skip_scalar(const char *at, const char *end)
{
    const char *start = at;

    while (at < end && (unsigned char)*at > ' ' && *at != ',' && *at != ']' && *at != '}') {
        at++;
    }
    return at == start ? NULL : at;
}

static const struct {
    enum json_kind kind;
    const char *(*skip)(const char *at, const char *end);
} starts[256] = {
    ['"'] = {JSON_KIND_STRING, skip_string},  ['{'] = {JSON_KIND_OBJECT, skip_container}, ['['] = {JSON_KIND_ARRAY, skip_container},
    ['t'] = {JSON_KIND_TRUE, skip_scalar},    ['f'] = {JSON_KIND_FALSE, skip_scalar},     ['n'] = {JSON_KIND_NULL, skip_scalar},
    ['-'] = {JSON_KIND_NUMBER, skip_scalar},  ['0'] = {JSON_KIND_NUMBER, skip_scalar},    ['1'] = {JSON_KIND_NUMBER, skip_scalar},
    ['2'] = {JSON_KIND_NUMBER, skip_scalar},  ['3'] = {JSON_KIND_NUMBER, skip_scalar},    ['4'] = {JSON_KIND_NUMBER, skip_scalar},
    ['5'] = {JSON_KIND_NUMBER, skip_scalar},  ['6'] = {JSON_KIND_NUMBER, skip_scalar},    ['7'] = {JSON_KIND_NUMBER, skip_scalar},
    ['8'] = {JSON_KIND_NUMBER, skip_scalar},  ['9'] = {JSON_KIND_NUMBER, skip_scalar},
};

struct line_scan line_scan_begin(struct span container)
{
    const char *end = container.ptr + container.len, *at = container.len == 0 ? end : skip_space(container.ptr, end);
    char open = at < end ? *at : '\0';

    return (struct line_scan){.at = at + (at < end), .end = end, .close = open == '{' ? '}' : open == '[' ? ']' : '\0'};
}

static bool fail(struct line_scan *s)
{
    s->has_failed = true;
    s->close = '\0';
    return false;
}

/* The closing bracket, with nothing but white space behind it. */
static bool finish(struct line_scan *s)
{
    s->close = '\0';
    s->has_failed = skip_space(s->at + 1, s->end) != s->end;
    return false;
}

/* A name and its colon; *name is empty in an array. */
static bool take_name(struct line_scan *s, struct span *name)
{
    *name = span_of(s->at, 0);
    if (s->close == ']') {
        return true;
    }
    const char *behind = s->at < s->end && *s->at == '"' ? skip_string(s->at, s->end) : NULL;
    if (behind == NULL) {
        return false;
    }
    *name = span_of(s->at + 1, (size_t)(behind - s->at) - 2);
    s->at = skip_space(behind, s->end);
    if (s->at == s->end || *s->at != ':') {
        return false;
    }
    s->at = skip_space(s->at + 1, s->end);
    return true;
}

bool line_scan_next(struct line_scan *s, struct span *name, struct json_value *value)
{
    if (s->close == '\0') {
        return false;
    }
    s->at = skip_space(s->at, s->end);
    if (s->at < s->end && *s->at == s->close) {
        return finish(s);
    }
    if (s->has_begun) {
        if (s->at == s->end || *s->at != ',') {
            return fail(s);
        }
        s->at = skip_space(s->at + 1, s->end);
    }
    s->has_begun = true;
    if (!take_name(s, name) || s->at == s->end || starts[(unsigned char)*s->at].skip == NULL) {
        return fail(s);
    }
    const char *behind = starts[(unsigned char)*s->at].skip(s->at, s->end);
    if (behind == NULL) {
        return fail(s);
    }
    *value = (struct json_value){starts[(unsigned char)*s->at].kind, span_of(s->at, (size_t)(behind - s->at))};
    s->at = behind;
    return true;
}

/* Whether one of eight bytes is a control character, a backslash or not ASCII: the highest bit of a byte says so. */
static inline bool is_special(uint64_t bytes)
{
    uint64_t backslash = bytes ^ EACH_BYTE('\\');

    return ((bytes | (bytes - EACH_BYTE(0x20)) | (backslash - EACH_BYTE(1))) & EACH_BYTE(0x80)) != 0;
}

static inline bool is_special_at(const char *at)
{
    uint64_t bytes;

    memcpy(&bytes, at, sizeof(bytes));
    return is_special(bytes);
}

static bool is_plain(struct span text)
{
    size_t i = 0, step = sizeof(uint64_t);
    bool is_found = false;

    if (text.len < step) {
        for (; i < text.len; i++) {
            is_found |= is_special(EACH_BYTE((unsigned char)text.ptr[i]));
        }
        return !is_found;
    }
    for (; i + step <= text.len; i += step) {
        is_found |= is_special_at(text.ptr + i);
    }
    return !is_found && !is_special_at(text.ptr + text.len - step);
}

/* One with escapes, or not ASCII. Apart, so that the others do not pay for the room of an error. */
static __attribute__((noinline)) bool decode(struct arena *memory, struct json_value value, struct span *out, struct error *err)
{
    struct error ignored;

    return !json_validate(value.raw, &ignored) || json_unquote(memory, value, out, err);
}

bool line_scan_text(struct arena *memory, struct json_value value, struct span *out, struct error *err)
{
    *out = span_of(NULL, 0);
    if (value.kind != JSON_KIND_STRING) {
        return true;
    }
    struct span inside = span_slice(value.raw, 1, value.raw.len - 1);
    if (is_plain(inside)) {
        *out = inside;
        return true;
    }
    return decode(memory, value, out, err);
}
