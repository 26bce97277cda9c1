/* codes.c - chr(103)+chr(104), [char]103+[char]104, Chr(103) & Chr(104): a string as the sum of its characters' codes. */
#include "base/ascii.h"
#include "view/transform.h"

enum {
    CODES_MIN = 8,
    DIGITS_MAX = 3,
    BLANKS_MAX = 2,
    SIGNS_MAX = 2,
    NAME_MAX_LEN = 10,
    GAP_MAX = 20,
    PENDING_CODES_MAX = 16 * 1024, /* more are not waited for as a whole */
};

#define OPEN SIZE_MAX
#define NONE ((size_t)0)

static size_t skip(struct span text, size_t at, const char *signs, size_t max)
{
    size_t end = at;

    while (end < text.len && end - at < max && text.ptr[end] != '\0' && strchr(signs, text.ptr[end]) != NULL) {
        end++;
    }
    return end;
}

/* Behind `)+chr(` or `+[char]` at `at`, where the next number begins; OPEN when the text ends in it. */
static size_t gap_end(struct span text, size_t at)
{
    size_t sign = skip(text, skip(text, at, ")]", 1), " \n", BLANKS_MAX);
    size_t end = skip(text, sign, "+&.|,", SIGNS_MAX);
    bool has_sign = end > sign;

    end = skip(text, end, " \n", BLANKS_MAX);
    if (end == text.len) {
        return OPEN;
    }
    bool is_cast = text.ptr[end] == '[';
    size_t name = end + is_cast;
    size_t limit = text.len - name < NAME_MAX_LEN ? text.len : name + NAME_MAX_LEN;
    end = ascii_run_end(span_slice(text, 0, limit), name, ASCII_LETTER);
    if (!has_sign || (end == name && end < text.len)) {
        return NONE;
    }
    return end == text.len ? OPEN : text.ptr[end] == (is_cast ? ']' : '(') ? end + 1 == text.len ? OPEN : end + 1 : NONE;
}

/* A number that is the code of a character of text. */
static bool read_code(struct span text, size_t at, char *code, size_t *end)
{
    unsigned value = 0;

    for (*end = at; *end < text.len && *end - at < DIGITS_MAX && ascii_is_digit(text.ptr[*end]); *end += 1) {
        value = value * 10 + (unsigned)(text.ptr[*end] - '0');
    }
    *code = (char)value;
    return *end > at && value < 0x80 && ascii_is((char)value, ASCII_PRINT);
}

/* Behind the last of the codes that begin at `at`, and how many they are. */
static size_t read_codes(struct span text, size_t at, size_t *n)
{
    size_t to = at, end;
    char code;

    for (*n = 0; at != NONE && at != OPEN && read_code(text, at, &code, &end); *n += 1) {
        to = end;
        at = gap_end(text, end);
    }
    return to;
}

/* Where the number begins that ends at `end`; `end` when there is none. */
static size_t code_begin(struct span text, size_t first, size_t end)
{
    size_t near = end - first > DIGITS_MAX ? end - DIGITS_MAX : first;

    return ascii_run_begin(text, near, end, ASCII_DIGIT);
}

/* Where the codes begin of which one begins at `at`. */
static size_t codes_begin(struct span text, size_t first, size_t at)
{
    for (unsigned i = 0; i < PENDING_CODES_MAX; i++) {
        size_t limit = at - first > GAP_MAX ? at - GAP_MAX : first;
        size_t end = at;
        while (end > limit && !ascii_is_digit(text.ptr[end - 1])) {
            end--;
        }
        size_t from = code_begin(text, first, end);
        char code;
        size_t code_end;
        if (end == limit || gap_end(text, end) != at || !read_code(text, from, &code, &code_end)) {
            break;
        }
        at = from;
    }
    return at;
}

static bool next_codes(const struct source_piece *r, size_t at, struct region *out)
{
    struct span text = r->text;
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_CODES)) < text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < text.len ? block_end : text.len;
        for (; at < end; at++) {
            size_t n;
            if (!ascii_is_digit(text.ptr[at]) || (at > 0 && ascii_is_alnum(text.ptr[at - 1]))) {
                continue;
            }
            size_t from = codes_begin(text, first, at);
            size_t to = read_codes(text, from, &n);
            if (n >= CODES_MIN) {
                *out = (struct region){.from = from, .to = to};
                return true;
            }
            at = to > at ? to - 1 : at;
        }
    }
    return false;
}

static void rewrite_codes(const struct source_piece *r, const struct region *region, struct builder *b)
{
    size_t end;
    char code;

    if (source_is_copy(r, region)) {
        return;
    }
    builder_begin(b, codes_transform.name, codes_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b) && read_code(r->text, at, &code, &end);) {
        size_t next = end < region->to ? gap_end(r->text, end) : end;
        struct origin origin = {.from = at, .len = next - at, .view_unit = 1, .parent_unit = (uint8_t)(next - at)};
        builder_put(b, span_of(&code, 1), &origin);
        at = next;
    }
    builder_end(b);
}

/* --- what may go on --- */

static struct pending codes_pending(struct span text, size_t first)
{
    size_t limit = text.len - first > GAP_MAX ? text.len - GAP_MAX : first;
    size_t end = text.len;

    while (end > limit && !ascii_is_digit(text.ptr[end - 1])) {
        end--;
    }
    size_t from = code_begin(text, first, end);
    if (end == limit || (end < text.len && gap_end(text, end) != OPEN)) {
        /* The first number is to come. */
        return pending_apart(text.len);
    }
    return pending_apart(codes_begin(text, first, from));
}

TRANSFORM_DEFINE(codes, "codes", VIEW_DECODED, SURVEY_CODES, next_codes, rewrite_codes, codes_pending);
