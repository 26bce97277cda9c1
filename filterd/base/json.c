#include "base/json.h"

#include <assert.h>

#include "base/json_text.h"

/* All of this reads text that json_validate has accepted, so it looks for ends, not for errors. */

static inline bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && is_space(*at)) {
        at++;
    }
    return at;
}

/* `at` is on the opening quote; the result is after the closing one. */
static const char *skip_string(const char *at, const char *end)
{
    const char *inside = at + 1;
    const char *quote = inside;

    for (;;) {
        quote = memchr(quote, '"', (size_t)(end - quote));
        assert(quote != NULL);
        /* Escaped when an odd number of backslashes is before it. */
        const char *run = quote;
        while (run > inside && run[-1] == '\\') {
            run--;
        }
        quote++;
        if ((quote - run) % 2 == 1) {
            return quote;
        }
        inside = quote;
    }
}

/* Numbers and words end where punctuation or white space begins. */
static const char *skip_scalar(const char *at, const char *end)
{
    if (*at == '"') {
        return skip_string(at, end);
    }
    while (at<end && * at> ' ' && *at != ',' && *at != ']' && *at != '}') {
        at++;
    }
    return at;
}

static const char *skip_container(const char *at, const char *end, struct json_known *known)
{
    unsigned depth = 0;

    do {
        char c = *at;
        if (c == '"') {
            at = skip_string(at, end);
            continue;
        }
        if (known->n > 0 && known->values->ptr == at) {
            at += known->values->len;
            known->values++;
            known->n--;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        at++;
    } while (depth > 0);
    return at;
}

static enum json_kind kind_of(char first)
{
    switch (first) {
    case '{':
        return JSON_KIND_OBJECT;
    case '[':
        return JSON_KIND_ARRAY;
    case '"':
        return JSON_KIND_STRING;
    case 't':
        return JSON_KIND_TRUE;
    case 'f':
        return JSON_KIND_FALSE;
    case 'n':
        return JSON_KIND_NULL;
    default:
        return JSON_KIND_NUMBER;
    }
}

static struct json_value value_at(const char *at, const char *end, struct json_known *known)
{
    enum json_kind kind = kind_of(*at);
    bool is_container = kind == JSON_KIND_ARRAY || kind == JSON_KIND_OBJECT;
    const char *behind = is_container ? skip_container(at, end, known) : skip_scalar(at, end);

    return (struct json_value){.kind = kind, .raw = span_of(at, (size_t)(behind - at))};
}

struct json_value json_root(struct span text)
{
    const char *end = text.ptr + text.len;
    const char *at = skip_space(text.ptr, end);

    while (is_space(end[-1])) {
        end--;
    }
    return (struct json_value){.kind = kind_of(*at), .raw = span_of(at, (size_t)(end - at))};
}

struct json_iterator json_iterate(struct json_value container)
{
    bool is_object = container.kind == JSON_KIND_OBJECT;
    const char *at = container.raw.ptr;

    if (!is_object && container.kind != JSON_KIND_ARRAY) {
        return (struct json_iterator){.at = at, .end = at};
    }
    const char *end = at + container.raw.len - 1; /* the closing bracket ends the walk */
    return (struct json_iterator){
        .at = skip_space(at + 1, end), .end = end, .is_object = is_object};
}

struct json_iterator json_iterate_known(struct span text, struct json_known known)
{
    struct json_iterator it = json_iterate(json_root(text));

    it.known = known;
    return it;
}

bool json_next(struct json_iterator *it, struct span *name, struct json_value *item)
{
    const char *at = it->at;

    if (at == it->end) {
        return false;
    }
    *name = span_of(at, 0);
    if (it->is_object) {
        const char *behind = skip_string(at, it->end);
        *name = span_of(at + 1, (size_t)(behind - at) - 2);
        at = skip_space(behind, it->end);
        at = skip_space(at + 1, it->end); /* the colon */
    }
    *item = value_at(at, it->end, &it->known);
    at = skip_space(item->raw.ptr + item->raw.len, it->end);
    it->at = at < it->end ? skip_space(at + 1, it->end) : at; /* the comma */
    return true;
}

struct json_walk json_walk(struct span text)
{
    return (struct json_walk){.at = text.ptr, .end = text.ptr + text.len};
}

struct json_walk json_walk_known(struct span text, struct json_known known)
{
    return (struct json_walk){.at = text.ptr, .end = text.ptr + text.len, .known = known};
}

static bool take_known(struct json_walk *walk, const char *at, struct json_token *token)
{
    if (walk->known.n == 0 || walk->known.values->ptr != at) {
        return false;
    }
    *token = (struct json_token){JSON_TOKEN_VALUE, {JSON_KIND_OBJECT, *walk->known.values}, walk->known.prefix > 0 ? walk->known.prefix : 1};
    walk->at = at + walk->known.values->len;
    walk->known.prefix = 0;
    walk->known.values++;
    walk->known.n--;
    return true;
}

static const char *skip_separators(const char *at, const char *end)
{
    while (at < end && (*at == ',' || is_space(*at))) {
        at++;
    }
    return at;
}

bool json_walk_next(struct json_walk *walk, struct json_token *token)
{
    const char *at = skip_separators(walk->at, walk->end);

    if (at == walk->end) {
        walk->at = at;
        return false;
    }
    if (take_known(walk, at, token)) {
        return true;
    }
    token->n = 1;
    char c = *at;
    const char *behind = at + 1;
    if (c == '{' || c == '[' || c == '}' || c == ']') {
        bool is_object = c == '{' || c == '}';
        token->kind = c == '{' || c == '[' ? JSON_TOKEN_OPEN : JSON_TOKEN_CLOSE;
        token->value.kind = is_object ? JSON_KIND_OBJECT : JSON_KIND_ARRAY;
        walk->at = behind;
    } else {
        behind = skip_scalar(at, walk->end);
        walk->at = skip_space(behind, walk->end);
        bool is_name = walk->at < walk->end && *walk->at == ':';
        walk->at += is_name;
        token->kind = is_name ? JSON_TOKEN_NAME : JSON_TOKEN_VALUE;
        token->value.kind = kind_of(c);
    }
    token->value.raw = span_of(at, (size_t)(behind - at));
    return true;
}

bool json_unquote(struct arena *a, struct json_value string, struct span *out, struct error *err)
{
    return json_unescape(a, span_slice(string.raw, 1, string.raw.len - 1), out, err);
}

static unsigned hex_unit(const char *at)
{
    unsigned unit = 0;

    for (int i = 0; i < 4; i++) {
        char c = at[i];
        unit = unit * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    return unit;
}

static size_t put_utf8(char *to, unsigned c)
{
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        to[0] = (char)(0xc0 | c >> 6);
        to[1] = (char)(0x80 | (c & 0x3f));
        return 2;
    }
    if (c < 0x10000) {
        to[0] = (char)(0xe0 | c >> 12);
        to[1] = (char)(0x80 | (c >> 6 & 0x3f));
        to[2] = (char)(0x80 | (c & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | c >> 18);
    to[1] = (char)(0x80 | (c >> 12 & 0x3f));
    to[2] = (char)(0x80 | (c >> 6 & 0x3f));
    to[3] = (char)(0x80 | (c & 0x3f));
    return 4;
}

/* `at` is on a backslash; moves it past the escape. An escape is never shorter than its
 * character. */
static size_t put_escaped(char *to, const char **at)
{
    static const char meant[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    const char *escape = *at;

    if (escape[1] != 'u') {
        to[0] = meant[(unsigned char)escape[1]];
        *at += 2;
        return 1;
    }
    unsigned c = hex_unit(escape + 2);
    *at += 6;
    if (c >= 0xd800 && c <= 0xdfff) {
        c = 0x10000 + ((c - 0xd800) << 10) + (hex_unit(escape + 8) - 0xdc00);
        *at += 6;
    }
    return put_utf8(to, c);
}

/* Copies up to the first backslash, or to the end; returns how many bytes. `to` has JSON_BLOCK
 * bytes more than it needs, so blocks are copied whole. */
static size_t copy_plain(char *to, struct span raw)
{
    size_t i = 0;

    for (; raw.len - i >= JSON_BLOCK; i += JSON_BLOCK) {
        json_block block[2];
        memcpy(block, raw.ptr + i, JSON_BLOCK);
        memcpy(to + i, block, JSON_BLOCK);
        size_t n = json_first_backslash(block);
        if (n < JSON_BLOCK) {
            return i + n;
        }
    }
    for (; i < raw.len && raw.ptr[i] != '\\'; i++) {
        to[i] = raw.ptr[i];
    }
    return i;
}

bool json_unescape(struct arena *a, struct span raw, struct span *out, struct error *err)
{
    const char *end = raw.ptr + raw.len;
    const char *at = raw.len > 0 ? memchr(raw.ptr, '\\', raw.len) : NULL;

    if (at == NULL) {
        *out = raw;
        return true;
    }
    char *text = arena_alloc(a, raw.len + JSON_BLOCK, err);
    if (text == NULL) {
        return false;
    }
    size_t len = (size_t)(at - raw.ptr);
    memcpy(text, raw.ptr, len);
    while (at < end) {
        len += put_escaped(text + len, &at);
        size_t plain = copy_plain(text + len, span_of(at, (size_t)(end - at)));
        len += plain;
        at += plain;
    }
    *out = span_of(text, len);
    return true;
}
