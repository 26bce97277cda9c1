/* spaced.c - g h p _ A b and g-h-p-_-A-b: single characters with the same one between. */
#include "text/ascii.h"
#include "text/transform.h"

enum { SINGLES_MIN = 10, ALNUM_MIN = 8, DISTINCT_MIN = 4, LOOK_BACK = 16 };

static bool is_word(struct span text, size_t at)
{
    return at < text.len && (ascii_is(text.ptr[at], ASCII_ALNUM) || text.ptr[at] == '_');
}

static bool is_graphic(char c)
{
    return c > ' ' && c <= '~';
}

/* Letters, digits or _ alone between two separators: how such a run starts. */
static bool starts_singles(struct span text, size_t at)
{
    return is_word(text, at) && (at == 0 || !is_word(text, at - 1)) && at + 2 < text.len &&
           !is_word(text, at + 1) && (unsigned char)text.ptr[at + 1] < 0x80 &&
           is_graphic(text.ptr[at + 2]);
}

/* Behind the last single character from `at` on. */
static size_t read_singles(struct span text, size_t at, size_t *n, size_t *n_alnum)
{
    char separator = text.ptr[at + 1];
    uint64_t seen[2] = {0};

    *n = 0;
    *n_alnum = 0;
    for (;;) {
        unsigned c = (unsigned char)text.ptr[at];
        seen[c / 64] |= (uint64_t)1 << c % 64;
        *n += 1;
        *n_alnum += ascii_is((char)c, ASCII_ALNUM);
        if (at + 2 >= text.len || text.ptr[at + 1] != separator || !is_graphic(text.ptr[at + 2]) ||
            is_word(text, at + 3)) {
            break;
        }
        at += 2;
    }
    if (__builtin_popcountll(seen[0]) + __builtin_popcountll(seen[1]) < DISTINCT_MIN) {
        *n = 0; /* a matrix of zeros and ones, a row of crosses */
    }
    return at + 1;
}

/* The marks begin where letters do; `s k - a n t - ...` may have run on for long by then. */
static size_t extend_back(struct span text, size_t first, size_t at)
{
    char separator = text.ptr[at + 1];

    while (at >= first + 2 && text.ptr[at - 1] == separator && is_graphic(text.ptr[at - 2]) &&
           (at == 2 || !is_word(text, at - 3))) {
        at -= 2;
    }
    return at;
}

/* The first run found from a start in [*at, end), not reaching back before `first`; else *at is at
 * `end` or behind. */
static bool find_singles(struct span text, size_t first, size_t *at, size_t end, struct region *out)
{
    while (*at < end) {
        if (!starts_singles(text, *at)) {
            *at += 1;
            continue;
        }
        size_t n;
        size_t n_alnum;
        *at = extend_back(text, first, *at);
        size_t to = read_singles(text, *at, &n, &n_alnum);
        if (n >= SINGLES_MIN && n_alnum >= ALNUM_MIN) {
            *out = (struct region){.from = *at, .to = to};
            return true;
        }
        first = *at = to;
    }
    return false;
}

static bool next_singles(const struct reading *r, size_t at, struct region *out)
{
    size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_SPACED)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        if (at % SURVEY_BLOCK == 0) {
            at = at - first > LOOK_BACK ? at - LOOK_BACK : first;
        }
        if (find_singles(r->text, first, &at, end, out)) {
            return true;
        }
        first = at;
    }
    return false;
}

static void rewrite_singles(const struct reading *r, const struct region *region, struct builder *b)
{
    if (reading_is_copy(r, region)) {
        return;
    }
    builder_begin(b, spaced_transform.name, spaced_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b); at += 2) {
        bool is_last = at + 1 == region->to;
        struct origin origin = {
            .from = at, .len = is_last ? 1 : 2, .view_unit = 1, .parent_unit = 2};
        builder_put(b, span_of(r->text.ptr + at, 1), &origin);
    }
    builder_end(b);
}

const struct transform spaced_transform = {
    .name = "spaced",
    .kind = VIEW_FOLDED,
    .marks = SURVEY_SPACED,
    .next = next_singles,
    .rewrite = rewrite_singles,
};
