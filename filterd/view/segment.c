#include "view/segment.h"

#include <stdint.h>

enum { CUT_BACK = 64, CLOSING_MAX = 7 };

enum byte_class { PLAIN, STOP, NEW_LINE, LEAD_E3, LEAD_EF };

/* What may end a sentence: everything else is passed over. */
static const uint8_t classes[256] = {
    ['.'] = STOP, ['!'] = STOP, ['?'] = STOP, ['\n'] = NEW_LINE, [0xe3] = LEAD_E3, [0xef] = LEAD_EF,
};

static bool is_space(unsigned char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool is_closing(unsigned char c)
{
    return c == '"' || c == '\'' || c == ')' || c == ']' || c == '*' || c == '_' || c == '.' || c == '!' || c == '?';
}

/* What a place in the text says: how long the sentence is that ends there, none, or not yet. */
struct ending {
    size_t len;
    bool is_open;
};

/* Behind a stop at i: closing marks, then one white space. A mark of three bytes (a quotation mark) counts as well. */
static struct ending after_stop(const unsigned char *at, size_t n, size_t i)
{
    size_t end = i + 1;

    while (end < n && end - i < CLOSING_MAX && is_closing(at[end])) {
        end++;
    }
    if (end + 3 <= n && at[end] == 0xe2 && at[end + 1] == 0x80 && (at[end + 2] == 0x99 || at[end + 2] == 0x9d)) {
        end += 3;
    }
    if (end >= n || (at[end] == 0xe2 && end + 3 > n)) {
        return (struct ending){.is_open = true};
    }
    return (struct ending){.len = is_space(at[end]) ? end + 1 : 0};
}

static bool is_blank(const unsigned char *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!is_space(at[i])) {
            return false;
        }
    }
    return true;
}

static struct ending after_new_line(const unsigned char *at, size_t n, size_t i)
{
    if (is_blank(at, i)) {
        return (struct ending){.len = i + 1};
    }
    if (i + 1 >= n) {
        return (struct ending){.is_open = true};
    }
    bool goes_on = at[i + 1] >= 'a' && at[i + 1] <= 'z';
    return (struct ending){.len = goes_on ? 0 : i + 1};
}

/* U+3002 (e3 80 82), U+FF01 (ef bc 81), U+FF1F (ef bc 9f), U+FF0E (ef bc 8e). */
static struct ending after_wide(const unsigned char *at, size_t n, size_t i)
{
    if (i + 3 > n) {
        return (struct ending){.is_open = true};
    }
    unsigned char second = at[i + 1], third = at[i + 2];
    bool is_stop = at[i] == 0xe3 ? second == 0x80 && third == 0x82
                                 : second == 0xbc && (third == 0x81 || third == 0x9f || third == 0x8e);
    return (struct ending){.len = is_stop ? i + 3 : 0};
}

static struct ending ending_at(const unsigned char *at, size_t n, size_t i)
{
    switch ((enum byte_class)classes[at[i]]) {
    case STOP:
        return after_stop(at, n, i);
    case NEW_LINE:
        return after_new_line(at, n, i);
    case LEAD_E3:
    case LEAD_EF:
        return after_wide(at, n, i);
    case PLAIN:
        break;
    }
    return (struct ending){0};
}

/* A sentence that does not end within its bound. */
static size_t cut(const unsigned char *at)
{
    for (size_t i = SEGMENT_SENTENCE_MAX; i > SEGMENT_SENTENCE_MAX - CUT_BACK; i--) {
        if (is_space(at[i - 1])) {
            return i;
        }
    }
    for (size_t i = SEGMENT_SENTENCE_MAX; i > SEGMENT_SENTENCE_MAX - 4; i--) {
        if ((at[i] & 0xc0) != 0x80) {
            return i;
        }
    }
    return SEGMENT_SENTENCE_MAX;
}

enum { BLOCK = 16 };
typedef uint8_t bytes16 __attribute__((vector_size(BLOCK)));
typedef uint64_t longs2 __attribute__((vector_size(BLOCK)));

/* The first byte from i on that may end a sentence, or else a place before n behind plain bytes; sixteen at once, by the
 * machine's vectors. */
static size_t skip_plain(const unsigned char *at, size_t n, size_t i)
{
    while (n - i >= BLOCK) {
        bytes16 c;
        memcpy(&c, at + i, BLOCK);
        longs2 found = (longs2)((bytes16)(c == '.') | (bytes16)(c == '!') | (bytes16)(c == '?') | (bytes16)(c == '\n') |
                                (bytes16)(c == 0xe3) | (bytes16)(c == 0xef));
        if (found[0] != 0) {
            return i + (size_t)__builtin_ctzll(found[0]) / 8;
        }
        if (found[1] != 0) {
            return i + 8 + (size_t)__builtin_ctzll(found[1]) / 8;
        }
        i += BLOCK;
    }
    return i;
}

static size_t first_sentence(struct span text, bool is_whole)
{
    const unsigned char *at = (const unsigned char *)text.ptr;
    size_t n = text.len < SEGMENT_SENTENCE_MAX + SEGMENT_AHEAD ? text.len : SEGMENT_SENTENCE_MAX + SEGMENT_AHEAD;

    size_t end = n < SEGMENT_SENTENCE_MAX ? n : SEGMENT_SENTENCE_MAX;

    for (size_t i = skip_plain(at, end, 0); i < end; i = skip_plain(at, end, i + 1)) {
        if (classes[at[i]] == PLAIN) {
            continue;
        }
        struct ending ending = ending_at(at, n, i);
        if (ending.is_open && !is_whole) {
            return 0;
        }
        if (ending.len > 0 && ending.len <= SEGMENT_SENTENCE_MAX) {
            return ending.len;
        }
    }
    if (text.len <= SEGMENT_SENTENCE_MAX) {
        return is_whole ? text.len : 0;
    }
    return cut(at);
}

static size_t first_paragraph(struct span text, bool is_whole)
{
    size_t len = 0;

    while (len <= SEGMENT_PARAGRAPH_MAX - SEGMENT_SENTENCE_MAX && len < text.len) {
        struct span rest = span_slice(text, len, text.len);
        size_t next = first_sentence(rest, is_whole);
        if (next == 0) {
            return 0;
        }
        len += next;
        if (is_blank((const unsigned char *)rest.ptr, next)) {
            return len;
        }
    }
    return len > SEGMENT_PARAGRAPH_MAX - SEGMENT_SENTENCE_MAX || is_whole ? len : 0;
}

size_t segment_first(enum segment_unit unit, struct span text, bool is_whole)
{
    return unit == SEGMENT_PARAGRAPH ? first_paragraph(text, is_whole) : first_sentence(text, is_whole);
}
