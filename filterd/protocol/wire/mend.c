#include "protocol/wire/mend.h"

#include "text/utf8.h"

/* 128 code points for bytes of 128 and more, then 2048 for the surrogates: the end of plane 16. */
enum {
    BYTES_FROM = 0x10f700,
    HALVES_FROM = 0x10f800,
    HALF_FIRST = 0xd800,
    HALF_LOW = 0xdc00,
    MARK_BYTES = 4,
    ESCAPE_BYTES = 6,
};

static bool read_hex(struct span s, unsigned *value)
{
    *value = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = s.ptr[i];
        unsigned digit;
        if (c >= '0' && c <= '9') {
            digit = (unsigned)(c - '0');
        } else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f') {
            digit = (unsigned)((c | 0x20) - 'a' + 10);
        } else {
            return false;
        }
        *value = *value << 4 | digit;
    }
    return true;
}

/* Whether an escape of a surrogate is at the front. */
static bool read_half(struct span s, unsigned *unit)
{
    return s.len >= ESCAPE_BYTES && s.ptr[0] == '\\' && s.ptr[1] == 'u' &&
           read_hex(span_slice(s, 2, ESCAPE_BYTES), unit) && *unit >= HALF_FIRST && *unit < 0xe000;
}

struct mender {
    struct span rest;
    char *to;
    bool is_mended;
};

static void copy(struct mender *m, size_t n)
{
    memcpy(m->to, m->rest.ptr, n);
    m->to += n;
    m->rest = span_slice(m->rest, n, m->rest.len);
}

static void mark(struct mender *m, uint32_t code_point, size_t instead_of)
{
    m->to += utf8_encode(code_point, m->to);
    m->rest = span_slice(m->rest, instead_of, m->rest.len);
    m->is_mended = true;
}

static void mend_escape(struct mender *m)
{
    unsigned first, second;

    if (!read_half(m->rest, &first)) {
        copy(m, m->rest.len < 2 ? m->rest.len : 2);
        return;
    }
    if (first < HALF_LOW && read_half(span_slice(m->rest, ESCAPE_BYTES, m->rest.len), &second) &&
        second >= HALF_LOW) {
        copy(m, (size_t)2 * ESCAPE_BYTES);
        return;
    }
    mark(m, HALVES_FROM + first - HALF_FIRST, ESCAPE_BYTES);
}

bool mend_json(struct arena *a, struct span json, struct span *out, bool *is_mended,
               struct error *err)
{
    /* A bad byte grows to four, a half of six shrinks. */
    char *memory = arena_alloc(a, MARK_BYTES * json.len + 1, err);
    struct mender m = {.rest = json, .to = memory};

    if (memory == NULL) {
        return false;
    }
    while (m.rest.len > 0) {
        size_t plain = 0;
        size_t valid = utf8_valid_prefix(m.rest);
        while (plain < valid && m.rest.ptr[plain] != '\\') {
            plain++;
        }
        copy(&m, plain);
        if (m.rest.len == 0) {
            break;
        }
        if (m.rest.ptr[0] == '\\') {
            mend_escape(&m);
        } else {
            mark(&m, BYTES_FROM + (unsigned char)m.rest.ptr[0], 1);
        }
    }
    *out = span_of(memory, (size_t)(m.to - memory));
    *is_mended = m.is_mended;
    return true;
}

bool mend_undo(struct arena *a, struct span text, struct span *out, struct error *err)
{
    char *memory = arena_alloc(a, text.len + 1, err);
    size_t n = 0;

    if (memory == NULL) {
        return false;
    }
    while (text.len > 0) {
        size_t len;
        uint32_t c = utf8_decode(text, &len);
        if (c >= HALVES_FROM) {
            uint32_t unit = c - HALVES_FROM + HALF_FIRST;
            memory[n++] = (char)(0xe0 | unit >> 12);
            memory[n++] = (char)(0x80 | (unit >> 6 & 0x3f));
            memory[n++] = (char)(0x80 | (unit & 0x3f));
        } else if (c >= BYTES_FROM + 0x80 && c < HALVES_FROM) {
            memory[n++] = (char)(c - BYTES_FROM);
        } else {
            memcpy(memory + n, text.ptr, len);
            n += len;
        }
        text = span_slice(text, len, text.len);
    }
    *out = span_of(memory, n);
    return true;
}

static bool is_half(struct span text, unsigned char from, unsigned char to)
{
    return text.len >= HALF_BYTES && (unsigned char)text.ptr[0] == 0xed &&
           (unsigned char)text.ptr[1] >= from && (unsigned char)text.ptr[1] <= to &&
           ((unsigned char)text.ptr[2] & 0xc0) == 0x80;
}

bool mend_is_high_half(struct span text)
{
    return is_half(text, 0xa0, 0xaf);
}

bool mend_is_low_half(struct span text)
{
    return is_half(text, 0xb0, 0xbf);
}

void mend_join(const char high[HALF_BYTES], const char low[HALF_BYTES], char out[4])
{
    uint32_t h = (uint32_t)((high[1] & 0x0f) << 6 | (high[2] & 0x3f));
    uint32_t l = (uint32_t)((low[1] & 0x0f) << 6 | (low[2] & 0x3f));

    (void)utf8_encode(0x10000 + (h << 10 | l), out);
}
