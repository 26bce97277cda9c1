#include "view/survey.h"

#include "view/block.h"
#include "view/spaced_step.h"

#include <endian.h>

/* A call would have every mask in memory. */
#define INLINED __attribute__((always_inline)) static inline

#define ONE_IN_EACH_MARK UINT64_C(0x0001000100010001)

enum {
    MARK_BITS = 16,
    MARKS_AT_ONCE = 4,
    GROUP_MAX = 17,         /* characters of a group that something separates from the next, with the mark of an added line */
    GROUP_IN_LINE_MAX = 9,  /* with another one in the same line, likewise */
    GROUP_LONG = 12,        /* the one behind it may be shorter */
    GROUPS_IN_RUN_MIN = 22, /* three groups and two signs between */
};

_Static_assert((int)SURVEY_BLOCK == (int)BLOCK_SIZE, "one mark per classified block");

/* What a block needs of the one before. */
struct before {
    uint64_t base64, token, newline, upper, rare, closing, quote, digit, close;
    uint64_t spaced; /* white space behind a quote */
    uint64_t alnum, single;
    uint64_t separators;
    uint64_t odd;    /* places that make a run of token characters odd */
    unsigned run;    /* token characters at the end of the block before that one */
};

/* Bit i: so many bits are in a row from there on. Those behind the block count as not set. */
static inline uint64_t rows_of_4(uint64_t bits)
{
    uint64_t two = bits & bits >> 1;
    return two & two >> 2;
}

/* Bit i: one of the bits i to i + 15 is set. */
static inline uint64_t any_of_16(uint64_t bits)
{
    bits |= bits >> 1;
    bits |= bits >> 2;
    bits |= bits >> 4;
    return bits | bits >> 8;
}

static inline unsigned leading(uint64_t bits)
{
    return ~bits == 0 ? SURVEY_BLOCK : (unsigned)__builtin_ctzll(~bits);
}

static inline unsigned trailing(uint64_t bits)
{
    return ~bits == 0 ? SURVEY_BLOCK : (unsigned)__builtin_clzll(~bits);
}

/* Encoded text has digits or capitals among any sixteen characters; most names of many small
 * letters have none. */
INLINED unsigned mark_runs(const struct block_masks *m, const struct before *b, uint64_t four)
{
    uint64_t eight = four & four >> 4;
    uint64_t sixteen = eight & eight >> 8;
    uint64_t rare = m->digit | m->upper;

    if (sixteen != 0 && (sixteen & any_of_16(rare)) != 0) {
        return SURVEY_RUN;
    }
    bool is_run = leading(m->base64) + trailing(b->base64) >= 16;
    return is_run && (rare | b->rare) != 0 ? SURVEY_RUN : 0u;
}

/* Bit i: one of the bits i - 16 to i is set, or one of the last of the block before. */
static inline uint64_t any_of_16_before(uint64_t bits, uint64_t before)
{
    bits |= bits << 1;
    bits |= bits << 2;
    bits |= bits << 4;
    bits |= bits << 8;
    return bits | bits << 1 | (before >> 48 != 0 ? 0xffff : 0);
}

/* A newline behind eight; one character may be between: a carriage return, a backslash. */
INLINED unsigned mark_wraps(const struct block_masks *m, const struct before *b,
                                  uint64_t four)
{
    uint64_t eight = four & four >> 4;
    uint64_t wraps = m->newline & (eight << 8 | eight << 9);
    const unsigned first = (unsigned)__builtin_ctzll(m->newline | UINT64_C(1) << 63);

    if (first <= 9) {
        uint64_t tail = first == 0 ? b->base64 : m->base64 << (64 - first) | b->base64 >> first;
        bool is_wrap = tail >> 56 == 0xff || tail << 1 >> 56 == 0xff;
        wraps |= is_wrap ? UINT64_C(1) << first : 0;
    }
    if (wraps == 0) {
        return 0;
    }
    wraps &= any_of_16_before(m->digit | m->upper, b->rare);
    return wraps != 0 ? SURVEY_WRAP : 0u;
}

/* Prose has the odd digit. A list lies with twelve characters at least in one block. */
INLINED unsigned mark_lists(const struct block_masks *m)
{
    uint64_t digits = m->digit & (m->digit - 1);

    if ((digits & (digits - 1)) == 0) {
        return 0;
    }
    uint64_t four = rows_of_4(m->list);
    uint64_t separators = m->list & ~m->alnum;
    bool has_two = (separators & (separators - 1)) != 0;
    return (four & four >> 4 & four >> 7) != 0 && has_two ? SURVEY_LIST : 0u;
}

static inline bool has_four(uint64_t places, uint64_t before, uint64_t of)
{
    return __builtin_popcountll(places & of) + __builtin_popcountll(before & of) >= 4;
}

/* Letters alone, an even number of bytes apart; most blocks have too few of them to be looked at. */
INLINED unsigned mark_singles(const struct block_masks *m, struct before *b)
{
    const uint64_t even = 0x5555555555555555;
    const uint64_t single = m->alnum & ~(m->alnum << 1 | b->alnum >> 63) & ~(m->alnum >> 1), before = b->single;

    b->alnum = m->alnum;
    b->single = single;
    if (!has_four(single, before, even) && !has_four(single, before, ~even)) {
        return 0;
    }
    for (uint64_t left = single; left != 0; left &= left - 1) {
        const unsigned last = (unsigned)__builtin_ctzll(left);
        const uint64_t places = last < 30 ? single << (30 - last) | before >> (SURVEY_BLOCK - 30 + last) : single >> (last - 30);
        if (spaced_are_close(places)) {
            return SURVEY_SPACED;
        }
    }
    return 0;
}

/* What may glue parts is behind a quote: behind a token any, behind other text an operator, with a space before it
 * perhaps. */
INLINED unsigned mark_quotes(const struct block_masks *m, struct before *b)
{
    uint64_t closing = m->quote & (m->base64 << 1 | b->base64 >> 63);
    uint64_t behind = closing << 1 | b->closing >> 63;
    uint64_t operators = m->glue & ~m->space & ~m->quote;
    uint64_t quote_before = m->quote << 1 | b->quote >> 63;
    uint64_t spaced = (quote_before & m->space) << 1 | b->spaced >> 63;

    b->closing = closing;
    b->quote = m->quote;
    b->spaced = quote_before & m->space;
    unsigned parts = (behind & (m->glue | m->stop)) != 0 ? SURVEY_PARTS : 0u;
    return parts | (((behind & m->glue) | ((quote_before | spaced) & operators)) != 0 ? SURVEY_QUOTE : 0u);
}

/* What is behind the block may be a digit, or the end of the line. */
INLINED unsigned mark_encoded(const struct block_masks *m)
{
    uint64_t rare = m->digit | m->upper;
    uint64_t behind = (rare >> 1 | UINT64_C(1) << 63) & (rare >> 2 | UINT64_C(3) << 62);

    uint64_t ends = m->newline >> 1 | m->newline >> 2 | UINT64_C(3) << 62;

    return (m->equals & (behind | ends)) != 0 ? SURVEY_ENCODED : 0u;
}

/* Up to seven signs one behind another, from those on that are given; by doubling. */
static inline uint64_t with_signs_behind(uint64_t signs, uint64_t markup)
{
    signs |= markup & signs << 1;
    markup &= markup << 1;
    signs |= markup & signs << 2;
    markup &= markup << 2;
    return signs | (markup & signs << 4);
}

/* Signs of markup one behind another behind a letter or digit; what follows them decides, and behind the block it is not
 * known. */
INLINED unsigned mark_markup(const struct block_masks *m, const struct before *b)
{
    uint64_t after = m->base64 << 1 | b->base64 >> 63;
    uint64_t signs = m->markup & after;
    uint64_t pair = m->quote & m->quote >> 1 & after;
    uint64_t line_end = m->escape & after & (m->newline >> 1 | UINT64_C(1) << 63);

    signs = with_signs_behind(signs, m->markup);
    uint64_t more = m->opens | m->quote | m->escape | m->control;
    uint64_t behind = signs << 1 & ~m->markup & more;
    pair &= (more | m->markup) >> 2 | UINT64_C(3) << 62;
    bool is_cut = (signs | (m->quote & after)) >> 63 != 0;
    return (behind | pair | line_end | m->control) != 0 || is_cut ? SURVEY_MARKUP : 0u;
}

/* What grouped.c calls alone: two characters between, which may be a new line and the number of a list. */
INLINED unsigned mark_alone(const struct block_masks *m, const struct before *b)
{
    uint64_t single = m->token & ~(m->token << 1 | b->token >> 63) & ~(m->token >> 1) & (~(m->token >> 2) | m->newline >> 1);

    return __builtin_popcountll(single) >= 4 ? SURVEY_GROUPED : 0u;
}

/* What grouped.c calls odd: a letter or _ and a digit side by side, a capital behind another character of base64, digits beside
 * a sign of a token or a quote. Numbers between other characters, and words in capitals, are not. */
INLINED uint64_t odd_places(const struct block_masks *m, const struct before *b)
{
    uint64_t base64_before = m->base64 << 1 | b->base64 >> 63, digit_before = m->digit << 1 | b->digit >> 63;
    uint64_t capital = m->upper & ~(m->upper << 1 | b->upper >> 63);
    uint64_t first = m->digit & ~digit_before, second = m->digit & digit_before;
    uint64_t last = second & ~(m->digit >> 1); /* what is behind the block may be a sign */
    uint64_t odd = (capital | m->underscore | first) & base64_before;

    odd |= m->alnum & ~m->digit & digit_before;
    odd |= second & (first & (m->token << 1 | b->token >> 63)) << 1;
    odd |= last & ((m->token | m->quote) >> 1 | UINT64_C(1) << 63);
    odd |= second & 1; /* what is before it is two blocks away */
    return odd;
}

/* The bits of two blocks from bit `at` of the first one on. */
static inline uint64_t bits_from(uint64_t first, uint64_t second, unsigned at)
{
    return at == 0 ? first : first >> at | second << (SURVEY_BLOCK - at);
}

/* All that separates groups, and some more. */
INLINED uint64_t separators(const struct block_masks *m)
{
    return m->space | m->quote | m->high | m->stop | m->markup;
}

static inline bool is_near(unsigned a, unsigned b)
{
    return a + 1 >= b && b + 1 >= a;
}

/* Whether one of the next two runs of token characters, the first of which may be the mark of a list, has about that length; the first
 * one begins with bit 0, of `known` bits. */
static inline bool has_alike(uint64_t token, unsigned known, unsigned len)
{
    const unsigned first = leading(token);
    const uint64_t behind = first < SURVEY_BLOCK ? token >> first : 0;

    if (is_near(first, len) || behind == 0) {
        return true;
    }
    const unsigned gap = (unsigned)__builtin_ctzll(behind), second = leading(behind >> gap);
    return is_near(second, len) || first + gap + second >= known;
}

/* Whether groups of odd characters may begin with the run of token characters at bit `at` of the block before, or lie in it: it
 * has room for them; or what separates groups is behind it, a new line or, of a short one, another of its length. A new line may
 * have more in front of it. *end is where the run ends. */
INLINED bool is_group(const struct block_masks *m, const struct before *b, unsigned at, unsigned *end)
{
    const uint64_t token = bits_from(b->token, m->token, at);
    const unsigned ahead = leading(token), back = trailing(b->token << (SURVEY_BLOCK - 1 - at));
    const unsigned len = ahead + back - 1 + (back > at ? b->run : 0);

    *end = at + ahead;
    if (len > GROUP_MAX) {
        return len >= GROUPS_IN_RUN_MIN;
    }
    const uint64_t behind = token >> ahead;
    const unsigned gap = behind == 0 ? SURVEY_BLOCK - 1 : (unsigned)__builtin_ctzll(behind);
    const uint64_t between = (UINT64_C(1) << gap) - 1, newline = bits_from(b->newline, m->newline, at) >> ahead & between;
    const bool is_short = len <= GROUP_IN_LINE_MAX;
    if (newline != 0) {
        const bool may_begin = is_short || (newline & 3) != 0; /* a carriage return may be between */
        return may_begin && (len >= GROUP_LONG || has_alike(behind >> gap, SURVEY_BLOCK - ahead - gap, len));
    }
    const unsigned next = leading(behind >> gap);
    return is_short && (next == len || next + 1 == len) &&
           (bits_from(b->separators, separators(m), at) >> ahead & between) == between;
}

/* Of the block before, as what is behind the groups decides. */
INLINED unsigned mark_groups(const struct block_masks *m, const struct before *b)
{
    unsigned end;

    for (uint64_t odd = b->odd; odd != 0; odd = end < SURVEY_BLOCK ? odd >> end << end : 0) {
        if (is_group(m, b, (unsigned)__builtin_ctzll(odd), &end)) {
            return SURVEY_GROUPED;
        }
    }
    return 0;
}

/* 103)+chr(104 and [char]103+[char]104. */
INLINED unsigned mark_codes(const struct block_masks *m, const struct before *b)
{
    uint64_t found = (m->digit << 1 | b->digit >> 63) & m->close;

    found |= (m->close << 1 | b->close >> 63) & m->digit;
    found &= found - 1;
    return (found & (found - 1)) != 0 ? SURVEY_CODES : 0u;
}

INLINED unsigned mark_block(const struct block_masks *m, struct before *b)
{
    uint64_t four = rows_of_4(m->base64);
    unsigned marks = mark_runs(m, b, four) | mark_wraps(m, b, four) | mark_quotes(m, b);

    marks |= mark_lists(m) | mark_singles(m, b) | mark_encoded(m);
    marks |= mark_markup(m, b) | mark_alone(m, b) | mark_codes(m, b);
    marks |= m->high != 0 ? SURVEY_HIGH : 0u;
    marks |= m->escape != 0 ? SURVEY_ESCAPE : 0u;
    b->odd = odd_places(m, b);
    b->run = trailing(b->token);
    b->base64 = m->base64;
    b->token = m->token;
    b->newline = m->newline;
    b->separators = separators(m);
    b->upper = m->upper;
    b->rare = m->digit | m->upper;
    b->digit = m->digit;
    b->close = m->close;
    return marks;
}

/* Marks a block, and the one before with what is known of it now. The first block has nothing odd before it. */
INLINED unsigned mark_next(const struct block_masks *m, struct before *b, uint16_t *mark)
{
    unsigned groups = mark_groups(m, b);

    if (groups != 0) {
        mark[-1] |= (uint16_t)groups;
    }
    *mark = (uint16_t)mark_block(m, b);
    return *mark | groups;
}

/* Marks all whole blocks and one block more, of the rest and of '#', so that what ends with the
 * text is seen. Inlined into its callers, to be compiled for their processors. */
INLINED unsigned mark_all(struct span text, uint16_t *marks, void (*classify)(const char *, struct block_masks *))
{
    size_t n_whole = text.len / SURVEY_BLOCK;
    struct block_masks masks;
    struct before before = {0};
    unsigned all = 0;

    for (size_t i = 0; i < n_whole; i++) {
        classify(text.ptr + i * SURVEY_BLOCK, &masks);
        all |= mark_next(&masks, &before, &marks[i]);
    }
    char rest[SURVEY_BLOCK];
    memset(rest, '#', sizeof(rest)); /* is in no class */
    memcpy(rest, text.ptr + n_whole * SURVEY_BLOCK, text.len % SURVEY_BLOCK);
    classify(rest, &masks);
    all |= mark_next(&masks, &before, &marks[n_whole]);
    const struct block_masks nothing = {0};
    marks[n_whole] |= (uint16_t)mark_groups(&nothing, &before);
    return all | marks[n_whole];
}

static unsigned mark_all_plainly(struct span text, uint16_t *marks)
{
    return mark_all(text, marks, block_classify);
}

#ifdef __x86_64__
BLOCK_HALF static unsigned mark_all_in_halves(struct span text, uint16_t *marks)
{
    return mark_all(text, marks, block_classify_halves);
}

BLOCK_WIDE static unsigned mark_all_widely(struct span text, uint16_t *marks)
{
    return mark_all(text, marks, block_classify_wide);
}
#endif

bool survey_make(struct arena *a, struct span text, struct survey *out, struct error *err)
{
    size_t n_blocks = text.len / SURVEY_BLOCK + 1;
    size_t n_padded = (n_blocks + MARKS_AT_ONCE - 1) / MARKS_AT_ONCE * MARKS_AT_ONCE; /* as survey_next reads them */
    uint16_t *marks = arena_array(a, n_padded, sizeof(*marks), err);
    unsigned (*mark)(struct span text, uint16_t * marks) = mark_all_plainly;

    if (marks == NULL) {
        return false;
    }
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi")) {
        mark = mark_all_widely;
    } else if (__builtin_cpu_supports("avx2")) {
        mark = mark_all_in_halves;
    }
#endif
    memset(marks + n_padded - MARKS_AT_ONCE, 0, MARKS_AT_ONCE * sizeof(*marks));
    unsigned all = mark(text, marks);
    *out = (struct survey){.marks = marks, .n_blocks = n_blocks, .all = all};
    return true;
}

size_t survey_next(const struct survey *s, size_t at, unsigned marks)
{
    const uint64_t wanted = marks * ONE_IN_EACH_MARK;
    size_t i = at / SURVEY_BLOCK;

    if ((s->all & marks) == 0) {
        return SIZE_MAX;
    }
    for (; i < s->n_blocks; i = (i / MARKS_AT_ONCE + 1) * MARKS_AT_ONCE) {
        size_t skipped = i % MARKS_AT_ONCE;
        uint64_t four;
        memcpy(&four, s->marks + (i - skipped), sizeof(four));
        uint64_t found = le64toh(four) & wanted;
        found = found >> skipped * MARK_BITS << skipped * MARK_BITS;
        if (found != 0) {
            size_t block = i - skipped + (size_t)__builtin_ctzll(found) / MARK_BITS;
            return block * SURVEY_BLOCK > at ? block * SURVEY_BLOCK : at;
        }
    }
    return SIZE_MAX;
}
