#include "text/survey.h"

#include "text/block.h"

_Static_assert((int)SURVEY_BLOCK == (int)BLOCK_SIZE, "one mark byte per classified block");

/* What later blocks need of the block before. */
struct carry {
    uint64_t alnum, base64, list, closing;
    uint64_t single, single2, single4;    /* isolated characters: 1, 2, 4 of them */
    uint64_t base2, base4, base8, base12; /* runs that are at least so long, where they end */
    uint64_t list2, list4, list8;
};

/* Bit i tells about the byte n before byte i. */
static inline uint64_t earlier(uint64_t now, uint64_t before, unsigned n)
{
    return now << n | before >> (SURVEY_BLOCK - n);
}

/* Doubling: a run of 2n ends where runs of n end here and n bytes before. */
static inline unsigned mark_runs(const struct block_masks *m, struct carry *c)
{
    uint64_t base2 = m->base64 & earlier(m->base64, c->base64, 1);
    uint64_t base4 = base2 & earlier(base2, c->base2, 2);
    uint64_t base8 = base4 & earlier(base4, c->base4, 4);
    uint64_t base12 = base8 & earlier(base4, c->base4, 8);
    uint64_t base16 = base8 & earlier(base8, c->base8, 8);
    /* One character may stand between: a carriage return, a continuation mark. */
    uint64_t wrap = m->newline & (earlier(base12, c->base12, 1) | earlier(base12, c->base12, 2));

    c->base2 = base2;
    c->base4 = base4;
    c->base8 = base8;
    c->base12 = base12;
    return (base16 != 0 ? SURVEY_RUN : 0u) | (wrap != 0 ? SURVEY_WRAP : 0u);
}

/* Prose has the odd digit; a list that lies half in a block has more than two in either half. */
static inline unsigned mark_lists(const struct block_masks *m, struct carry *c)
{
    uint64_t digits = m->digit & (m->digit - 1);

    if ((digits & (digits - 1)) == 0) {
        c->list2 = c->list4 = c->list8 = 0;
        return 0;
    }
    uint64_t list2 = m->list & earlier(m->list, c->list, 1);
    uint64_t list4 = list2 & earlier(list2, c->list2, 2);
    uint64_t list8 = list4 & earlier(list4, c->list4, 4);
    uint64_t list16 = list8 & earlier(list8, c->list8, 8);

    c->list2 = list2;
    c->list4 = list4;
    c->list8 = list8;
    return list16 != 0 ? SURVEY_LIST : 0u;
}

/* A single character is known as such one byte later, so bits stand one byte behind it. */
static inline unsigned mark_singles(const struct block_masks *m, struct carry *c)
{
    uint64_t single = earlier(m->alnum, c->alnum, 1) & ~m->alnum & ~earlier(m->alnum, c->alnum, 2);
    uint64_t single2 = single & earlier(single, c->single, 2);

    c->single = single;
    if (single2 == 0) {
        c->single2 = c->single4 = 0;
        return 0;
    }
    uint64_t single4 = single2 & earlier(single2, c->single2, 4);
    uint64_t single8 = single4 & earlier(single4, c->single4, 8);
    c->single2 = single2;
    c->single4 = single4;
    return single8 != 0 ? SURVEY_SPACED : 0u;
}

static inline unsigned mark_quotes(const struct block_masks *m, struct carry *c)
{
    uint64_t closing = m->quote & earlier(m->base64, c->base64, 1);
    uint64_t before = earlier(closing, c->closing, 1);

    c->closing = closing;
    return (before & m->glue) != 0 ? SURVEY_QUOTE : 0u;
}

static inline unsigned mark_block(const struct block_masks *m, struct carry *c)
{
    unsigned marks = mark_runs(m, c) | mark_lists(m, c) | mark_singles(m, c) | mark_quotes(m, c);

    marks |= m->high != 0 ? SURVEY_HIGH : 0u;
    marks |= m->escape != 0 ? SURVEY_ESCAPE : 0u;
    c->alnum = m->alnum;
    c->base64 = m->base64;
    c->list = m->list;
    return marks;
}

bool survey_make(struct arena *a, struct span text, struct survey *out, struct error *err)
{
    size_t n_whole = text.len / SURVEY_BLOCK;
    /* One block more, of '!' behind the text's end, so that what ends with the text is seen. */
    size_t n_blocks = n_whole + 1;
    uint8_t *marks = arena_alloc(a, n_blocks, err);
    block_classify_fn classify = block_classifier();
    struct block_masks masks;
    struct carry carry = {0};
    unsigned all = 0;

    if (marks == NULL) {
        return false;
    }
    for (size_t i = 0; i < n_whole; i++) {
        classify(text.ptr + i * SURVEY_BLOCK, &masks);
        marks[i] = (uint8_t)mark_block(&masks, &carry);
        all |= marks[i];
    }
    char rest[SURVEY_BLOCK];
    memset(rest, '!', sizeof(rest)); /* is in no class */
    memcpy(rest, text.ptr + n_whole * SURVEY_BLOCK, text.len % SURVEY_BLOCK);
    classify(rest, &masks);
    marks[n_whole] = (uint8_t)mark_block(&masks, &carry);
    *out = (struct survey){.marks = marks, .n_blocks = n_blocks, .all = all | marks[n_whole]};
    return true;
}

size_t survey_next(const struct survey *s, size_t at, unsigned marks)
{
    if ((s->all & marks) == 0) {
        return SIZE_MAX;
    }
    for (size_t i = at / SURVEY_BLOCK; i < s->n_blocks; i++) {
        if ((s->marks[i] & marks) != 0) {
            return i * SURVEY_BLOCK > at ? i * SURVEY_BLOCK : at;
        }
    }
    return SIZE_MAX;
}
