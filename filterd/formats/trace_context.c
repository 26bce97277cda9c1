#include "formats/trace_context.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

enum { KEY_MAX = 256, SYSTEM_MAX = 14, TENANT_MAX = 241, VALUE_MAX = 256 };

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool read_hex(struct span text, size_t at, uint8_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        int high = digit(text.ptr[at + 2 * i]), low = digit(text.ptr[at + 2 * i + 1]);
        if (high < 0 || low < 0) {
            return false;
        }
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool is_zero(const uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (bytes[i] != 0) {
            return false;
        }
    }
    return true;
}

/* Version 00 is 55 bytes; a later one may go on behind a dash. */
bool trace_parse(struct span text, struct trace_context *out)
{
    enum { AT_ID = 3, AT_PARENT = 36, AT_FLAGS = 53 };
    struct trace_context t = *out;
    uint8_t version = 0;

    if (text.len < TRACEPARENT_TEXT || text.ptr[AT_ID - 1] != '-' || text.ptr[AT_PARENT - 1] != '-' || text.ptr[AT_FLAGS - 1] != '-' ||
        !read_hex(text, 0, &version, 1) || version == 0xff ||
        (text.len > TRACEPARENT_TEXT && (version == 0 || text.ptr[TRACEPARENT_TEXT] != '-'))) {
        return false;
    }
    if (!read_hex(text, AT_ID, t.id, sizeof(t.id)) || !read_hex(text, AT_PARENT, t.parent, sizeof(t.parent)) ||
        !read_hex(text, AT_FLAGS, &t.flags, 1) || is_zero(t.id, sizeof(t.id)) || is_zero(t.parent, sizeof(t.parent))) {
        return false;
    }
    t.flags &= TRACE_SAMPLED | TRACE_RANDOM;
    *out = t;
    return true;
}

/* Of zeros alone the kernel's bytes would be no id; that they are is less likely than any other fault. */
static bool make_id(uint8_t *id, size_t n, struct error *err)
{
    ssize_t got = 0;

    do {
        got = getrandom(id, n, 0);
    } while (got < 0 && errno == EINTR);
    if (got != (ssize_t)n || is_zero(id, n)) {
        memset(id, 0, n);
        return error_set(err, ERROR_SYSTEM, "trace: no random bytes");
    }
    return true;
}

bool trace_begin(struct trace_context *out, uint8_t flags, struct error *err)
{
    struct trace_context t = {.flags = flags | TRACE_RANDOM};

    if (!make_id(t.id, sizeof(t.id), err) || !make_id(t.span, sizeof(t.span), err)) {
        return false;
    }
    *out = t;
    return true;
}

bool trace_record(struct trace_context *t, struct error *err)
{
    t->is_recorded = trace_has_span(t->span) || make_id(t->span, sizeof(t->span), err);
    return t->is_recorded;
}

void trace_keep_unrecorded(struct trace_context *t)
{
    t->is_recorded = false;
    if (trace_has_span(t->parent)) {
        memset(t->span, 0, sizeof(t->span));
    }
}

void trace_hex(const uint8_t *bytes, size_t n, char *text)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        text[2 * i] = digits[bytes[i] >> 4];
        text[2 * i + 1] = digits[bytes[i] & 15];
    }
    text[2 * n] = '\0';
}

void trace_format(const struct trace_context *t, char text[TRACEPARENT_TEXT + 1])
{
    char id[2 * TRACE_ID_BYTES + 1], span[2 * TRACE_SPAN_BYTES + 1];

    trace_hex(t->id, sizeof(t->id), id);
    trace_hex(trace_has_span(t->span) ? t->span : t->parent, sizeof(t->span), span);
    (void)snprintf(text, TRACEPARENT_TEXT + 1, "00-%s-%s-%02x", id, span, t->flags);
}

/* --- tracestate ----------------------------------------------------------------- */

static bool is_key_part(struct span part, bool may_begin_with_digit, size_t max)
{
    for (size_t i = 0; i < part.len; i++) {
        char c = part.ptr[i];
        bool is_letter = c >= 'a' && c <= 'z', is_digit = c >= '0' && c <= '9';
        bool is_other = c == '_' || c == '-' || c == '*' || c == '/';
        if (!(is_letter || (is_digit && (i > 0 || may_begin_with_digit)) || (is_other && i > 0))) {
            return false;
        }
    }
    return part.len > 0 && part.len <= max;
}

static bool is_key(struct span key)
{
    const char *at = memchr(key.ptr, '@', key.len);

    if (at == NULL) {
        return is_key_part(key, false, KEY_MAX);
    }
    size_t len = (size_t)(at - key.ptr);
    return is_key_part(span_slice(key, 0, len), true, TENANT_MAX) && is_key_part(span_slice(key, len + 1, key.len), false, SYSTEM_MAX);
}

static bool is_value(struct span value)
{
    for (size_t i = 0; i < value.len; i++) {
        if (value.ptr[i] < 0x20 || value.ptr[i] > 0x7e || value.ptr[i] == '=' || value.ptr[i] == ',') {
            return false;
        }
    }
    return value.len > 0 && value.len <= VALUE_MAX && value.ptr[value.len - 1] != ' ';
}

static struct span trim(struct span s)
{
    while (s.len > 0 && (s.ptr[0] == ' ' || s.ptr[0] == '\t')) {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && (s.ptr[s.len - 1] == ' ' || s.ptr[s.len - 1] == '\t')) {
        s.len--;
    }
    return s;
}

static bool is_among(const struct span *keys, size_t n, struct span key)
{
    for (size_t i = 0; i < n; i++) {
        if (span_equal(keys[i], key)) {
            return true;
        }
    }
    return false;
}

bool tracestate_is_valid(struct span text)
{
    struct span keys[TRACESTATE_MEMBERS_MAX];
    size_t n = 0;

    if (text.len > TRACESTATE_MAX) {
        return false;
    }
    for (size_t from = 0; from <= text.len;) {
        const char *comma = memchr(text.ptr + from, ',', text.len - from);
        size_t to = comma == NULL ? text.len : (size_t)(comma - text.ptr);
        struct span member = trim(span_slice(text, from, to));
        const char *equals = memchr(member.ptr, '=', member.len);
        size_t len = equals == NULL ? 0 : (size_t)(equals - member.ptr);
        from = to + 1;
        if (member.len == 0) {
            continue; /* an empty member is allowed */
        }
        struct span key = span_slice(member, 0, len);
        if (n == COUNT(keys) || !is_key(key) || !is_value(span_slice(member, len + 1, member.len)) || is_among(keys, n, key)) {
            return false;
        }
        keys[n++] = key;
    }
    return n > 0;
}
