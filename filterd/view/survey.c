#include "view/survey.h"

#include "view/block.h"

#include <endian.h>

#define ONE_IN_EACH_BYTE UINT64_C(0x0101010101010101)

_Static_assert((int)SURVEY_BLOCK == (int)BLOCK_SIZE, "one mark byte per classified block");

/* What a block needs of the one before. */
struct before {
    uint64_t base64, rare, closing, quote;
    uint64_t spaced; /* white space behind a quote */
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
static inline unsigned mark_runs(const struct block_masks *m, const struct before *b, uint64_t four)
{
    uint64_t eight = four & four >> 4;
    uint64_t sixteen = eight & eight >> 8;
    uint64_t rare = m->digit | m->upper;

    if (sixteen != 0 && (sixteen & any_of_16(rare)) != 0) {
        return SURVEY_RUN;
    }
    /* Half of a run that begins in the block before is in one of the two. */
    bool has_half = (m->base64 & 0xff) == 0xff || b->base64 >> 56 == 0xff;
    bool is_run = has_half && leading(m->base64) + trailing(b->base64) >= 16;
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
static inline unsigned mark_wraps(const struct block_masks *m, const struct before *b,
                                  uint64_t four)
{
    uint64_t eight = four & four >> 4;
    uint64_t wraps = m->newline & (eight << 8 | eight << 9);
    unsigned first = m->newline == 0 ? SURVEY_BLOCK : (unsigned)__builtin_ctzll(m->newline);

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
static inline unsigned mark_lists(const struct block_masks *m)
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

/* Six bits at least. */
static inline bool has_six(uint64_t bits)
{
    for (unsigned i = 0; i < 5 && bits != 0; i++) {
        bits &= bits - 1;
    }
    return bits != 0;
}

/* Letters at every second place, or many characters alone between white space. */
static inline unsigned mark_singles(const struct block_masks *m)
{
    uint64_t single = m->alnum & ~(m->alnum << 1) & ~(m->alnum >> 1);
    uint64_t two = single & single >> 2;
    uint64_t alone = ~m->space & m->space << 1 & m->space >> 1;

    return (two & two >> 4) != 0 || has_six(alone) ? SURVEY_SPACED : 0u;
}

/* What may glue parts is behind a quote: behind a token any, behind other text an operator, with a space before it
 * perhaps. */
static inline unsigned mark_quotes(const struct block_masks *m, struct before *b)
{
    uint64_t closing = m->quote & (m->base64 << 1 | b->base64 >> 63);
    uint64_t behind = closing << 1 | b->closing >> 63;
    uint64_t operators = m->glue & ~m->space & ~m->quote;
    uint64_t quote_before = m->quote << 1 | b->quote >> 63;
    uint64_t spaced = (quote_before & m->space) << 1 | b->spaced >> 63;

    b->closing = closing;
    b->quote = m->quote;
    b->spaced = quote_before & m->space;
    return ((behind & m->glue) | ((quote_before | spaced) & operators)) != 0 ? SURVEY_QUOTE : 0u;
}

/* What is behind the block may be a digit, or the end of the line. */
static inline unsigned mark_encoded(const struct block_masks *m)
{
    uint64_t rare = m->digit | m->upper;
    uint64_t behind = (rare >> 1 | UINT64_C(1) << 63) & (rare >> 2 | UINT64_C(3) << 62);

    uint64_t ends = m->newline >> 1 | m->newline >> 2 | UINT64_C(3) << 62;

    return (m->equals & (behind | ends)) != 0 ? SURVEY_ENCODED : 0u;
}

__attribute__((always_inline)) static inline unsigned mark_block(const struct block_masks *m,
                                                                 struct before *b)
{
    uint64_t four = rows_of_4(m->base64);
    unsigned marks = mark_runs(m, b, four) | mark_wraps(m, b, four) | mark_quotes(m, b);

    marks |= mark_lists(m) | mark_singles(m) | mark_encoded(m);
    marks |= m->high != 0 ? SURVEY_HIGH : 0u;
    marks |= m->escape != 0 ? SURVEY_ESCAPE : 0u;
    b->base64 = m->base64;
    b->rare = m->digit | m->upper;
    return marks;
}

/* Marks all whole blocks and one block more, of the rest and of '!', so that what ends with the
 * text is seen. Inlined into its callers, to be compiled for their processors. */
__attribute__((always_inline)) static inline unsigned
mark_all(struct span text, uint8_t *marks, void (*classify)(const char *, struct block_masks *))
{
    size_t n_whole = text.len / SURVEY_BLOCK;
    struct block_masks masks;
    struct before before = {0};
    unsigned all = 0;

    for (size_t i = 0; i < n_whole; i++) {
        classify(text.ptr + i * SURVEY_BLOCK, &masks);
        marks[i] = (uint8_t)mark_block(&masks, &before);
        all |= marks[i];
    }
    char rest[SURVEY_BLOCK];
    memset(rest, '!', sizeof(rest)); /* is in no class */
    memcpy(rest, text.ptr + n_whole * SURVEY_BLOCK, text.len % SURVEY_BLOCK);
    classify(rest, &masks);
    marks[n_whole] = (uint8_t)mark_block(&masks, &before);
    return all | marks[n_whole];
}

static unsigned mark_all_plainly(struct span text, uint8_t *marks)
{
    return mark_all(text, marks, block_classify);
}

#ifdef __x86_64__
BLOCK_WIDE static unsigned mark_all_widely(struct span text, uint8_t *marks)
{
    return mark_all(text, marks, block_classify_wide);
}
#endif

bool survey_make(struct arena *a, struct span text, struct survey *out, struct error *err)
{
    size_t n_blocks = text.len / SURVEY_BLOCK + 1;
    size_t n_padded = (n_blocks + 7) / 8 * 8; /* survey_next reads eight at a time */
    uint8_t *marks = arena_alloc(a, n_padded, err);
    unsigned (*mark)(struct span text, uint8_t * marks) = mark_all_plainly;

    if (marks == NULL) {
        return false;
    }
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512bw")) {
        mark = mark_all_widely;
    }
#endif
    memset(marks + n_padded - 8, 0, 8);
    unsigned all = mark(text, marks);
    *out = (struct survey){.marks = marks, .n_blocks = n_blocks, .all = all};
    return true;
}

size_t survey_next(const struct survey *s, size_t at, unsigned marks)
{
    const uint64_t wanted = marks * ONE_IN_EACH_BYTE;
    size_t i = at / SURVEY_BLOCK;

    if ((s->all & marks) == 0) {
        return SIZE_MAX;
    }
    for (; i < s->n_blocks; i = (i / 8 + 1) * 8) {
        uint64_t eight;
        memcpy(&eight, s->marks + i / 8 * 8, sizeof(eight));
        uint64_t found = le64toh(eight) & wanted;
        found = found >> i % 8 * 8 << i % 8 * 8;
        if (found != 0) {
            size_t from = (i / 8 * 8 + (size_t)__builtin_ctzll(found) / 8) * SURVEY_BLOCK;
            return from > at ? from : at;
        }
    }
    return SIZE_MAX;
}
