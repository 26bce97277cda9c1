/* spaced.c - g h p _ A b and g-h-p-_-A-b: single characters with the same one between.
 *
 * A character is whatever is alone: a sign, a letter of another alphabet, the space between two words
 * that were written so, a line's end. */
#include "base/ascii.h"
#include "text/vector.h"
#include "view/spaced_step.h"
#include "view/transform.h"

enum { SINGLES_MIN = 10, ALNUM_MIN = 8, DISTINCT_MIN = 4, LOOK_BACK = 32 };

/* Letters, digits or _ alone between two separators: how such a run starts. */
static bool starts_singles(struct span text, size_t at)
{
    return spaced_is_word(text, at) && (at == 0 || !spaced_is_word(text, at - 1)) && at + 2 < text.len &&
           !spaced_is_word(text, at + 1) && (unsigned char)text.ptr[at + 1] < 0x80 &&
           spaced_single_at(text, at + 2) != 0;
}

static vector_bytes words_of(const char *bytes)
{
    vector_bytes v = vector_load(bytes);

    return vector_in_range(v, '0', '9') | vector_in_range(v | vector_of(0x20), 'a', 'z') | vector_is(v, '_');
}

/* The first place in [at, end) where singles may start, or `end`; sixteen at once. */
static size_t next_start(struct span text, size_t at, size_t end)
{
    at += at == 0 && end > 0 && !starts_singles(text, at);
    for (; at > 0 && at + VECTOR_SIZE <= end && at + VECTOR_SIZE < text.len; at += VECTOR_SIZE) {
        const char *bytes = text.ptr + at;
        unsigned found = vector_top_bits(words_of(bytes) & ~words_of(bytes - 1) & ~words_of(bytes + 1));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < end && !starts_singles(text, at)) {
        at++;
    }
    return at;
}

/* What is known of a run: characters, letters and digits among them, different ones. */
struct singles {
    size_t n, n_alnum;
    uint64_t seen[2];
    size_t last;    /* place of the last letter, digit or _ */
    uint64_t words; /* bit i: there is one i bytes before it */
    bool are_close; /* enough of them, for the survey */
};

static void count_word(struct singles *s, size_t at)
{
    const size_t gap = at - s->last;

    s->words = gap < 64 ? s->words << gap | 1 : 1;
    s->last = at;
    s->are_close = s->are_close || spaced_are_close(s->words);
}

static void count(struct singles *s, struct span text, size_t at)
{
    unsigned bit = (unsigned char)text.ptr[at] & 0x7f;

    s->seen[bit / 64] |= (uint64_t)1 << bit % 64;
    s->n++;
    s->n_alnum += ascii_is(text.ptr[at], ASCII_ALNUM);
    if (spaced_is_word(text, at)) {
        count_word(s, at);
    }
}

/* Behind the last single character from `at` on that is no white space. */
static size_t read_singles(struct span text, size_t at, struct singles *s)
{
    char separator = text.ptr[at + 1];
    size_t blanks = 0;
    size_t end = at;

    *s = (struct singles){.last = at};
    for (size_t len = 1;;) {
        count(s, text, at);
        blanks = ascii_is(text.ptr[at], ASCII_SPACE) ? blanks + 1 : 0;
        end = blanks == 0 ? at + len : end;
        size_t next = spaced_next(text, at + len, separator);
        if (next == 0 || blanks > SPACED_BLANKS_MAX) {
            break;
        }
        at = next;
        len = spaced_single_at(text, at);
    }
    return end;
}

/* The marks begin where letters do; `s k - a n t - ...` may have run on for long by then. */
static size_t extend_back(struct span text, size_t first, size_t at)
{
    char separator = text.ptr[at + 1];
    size_t begin = at;
    size_t blanks = 0;

    for (size_t before; blanks <= SPACED_BLANKS_MAX && (before = spaced_before(text, first, at, separator)) != SIZE_MAX;) {
        at = before;
        blanks = ascii_is(text.ptr[at], ASCII_SPACE) ? blanks + 1 : 0;
        begin = spaced_may_be_first(text.ptr[at]) ? at : begin;
    }
    return begin;
}

/* The first run found from a start in [*at, end), not reaching back before `first`; else *at is at
 * `end` or behind. */
static bool find_singles(struct span text, size_t first, size_t *at, size_t end, struct region *out)
{
    while ((*at = next_start(text, *at, end)) < end) {
        if (!starts_singles(text, *at)) {
            *at += 1;
            continue;
        }
        struct singles singles;
        *at = extend_back(text, first, *at);
        size_t to = read_singles(text, *at, &singles);
        int n_distinct = __builtin_popcountll(singles.seen[0]) + __builtin_popcountll(singles.seen[1]);
        /* Not a matrix of zeros and ones, a row of crosses. */
        if (singles.n >= SINGLES_MIN && singles.n_alnum >= ALNUM_MIN && singles.are_close && n_distinct >= DISTINCT_MIN) {
            *out = (struct region){.from = *at, .to = to};
            return true;
        }
        *at = to;
    }
    return false;
}

static bool next_singles(const struct source_piece *r, size_t at, struct region *out)
{
    const size_t first = at;

    while ((at = survey_next(&r->survey, at, SURVEY_SPACED)) < r->text.len) {
        size_t block_end = (at / SURVEY_BLOCK + 1) * SURVEY_BLOCK;
        size_t end = block_end < r->text.len ? block_end : r->text.len;
        if (at % SURVEY_BLOCK == 0) {
            at = at - first > LOOK_BACK ? at - LOOK_BACK : first;
        }
        if (find_singles(r->text, first, &at, end, out)) {
            return true;
        }
    }
    return false;
}

static void rewrite_singles(const struct source_piece *r, const struct region *region, struct builder *b)
{
    if (source_is_copy(r, region)) {
        return;
    }
    builder_begin(b, spaced_transform.name, spaced_transform.kind);
    for (size_t at = region->from; at < region->to && !builder_has_failed(b);) {
        size_t len = spaced_single_at(r->text, at);
        bool is_last = at + len == region->to;
        struct origin origin = {
            .from = at, .len = is_last ? len : len + 1, .view_unit = (uint8_t)len, .parent_unit = (uint8_t)(len + 1)};
        builder_put(b, span_of(r->text.ptr + at, len), &origin);
        at += len + 1;
    }
    builder_end(b);
}

/* --- what may go on --- */

/* Where the character begins that ends at `end`, if it may be alone; SIZE_MAX otherwise. */
static size_t single_before(struct span text, size_t first, size_t end)
{
    if (end <= first) {
        return SIZE_MAX;
    }
    size_t from = character_begin(text, end);
    return from >= first && spaced_single_at(text, from) == end - from ? from : SIZE_MAX;
}

/* What stands so close to a character is more of its word. */
static bool is_no_separator(char c)
{
    return ascii_is(c, ASCII_ALNUM) || c == '_' || (unsigned char)c >= 0x80;
}

/* Where single characters begin of which the last ends at `end`, with the separator between; text.len when there are
 * none. */
static size_t singles_before(struct span text, size_t first, size_t end, char separator)
{
    size_t at = single_before(text, first, end);
    size_t blanks = 0;

    if (at == SIZE_MAX || is_no_separator(separator) || (at > 0 && spaced_is_word(text, at - 1))) {
        return text.len;
    }
    size_t begin = spaced_may_be_first(text.ptr[at]) ? at : text.len;
    for (size_t before; blanks <= SPACED_BLANKS_MAX && (before = spaced_before(text, first, at, separator)) != SIZE_MAX;) {
        at = before;
        blanks = ascii_is(text.ptr[at], ASCII_SPACE) ? blanks + 1 : 0;
        begin = spaced_may_be_first(text.ptr[at]) ? at : begin;
    }
    return begin;
}

/* Whether it stands behind another alphabet, where a run may begin without a separator in front. */
static bool is_behind_others(struct span text, size_t at)
{
    return at > 0 && (unsigned char)text.ptr[at - 1] >= 0x80 && spaced_may_be_first(text.ptr[at]);
}

/* "g h p _" and "g-h-p-_-", also with the last separator behind. A sign at the end may be either. */
static struct pending singles_pending(struct span text, size_t first)
{
    size_t last = single_before(text, first, text.len);
    size_t from = text.len;

    if (last != SIZE_MAX) {
        from = is_behind_others(text, last) ? last : singles_before(text, first, text.len, (char)(last > 0 ? text.ptr[last - 1] : ' '));
    }
    if (text.len > first && !spaced_is_word(text, text.len - 1)) {
        size_t with_separator = singles_before(text, first, text.len - 1, text.ptr[text.len - 1]);
        from = with_separator < from ? with_separator : from;
    }
    return pending_apart(from);
}

TRANSFORM_DEFINE(spaced, "spaced", VIEW_FOLDED, SURVEY_SPACED,
                 next_singles, rewrite_singles, singles_pending);
