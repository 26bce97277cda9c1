#include "dataset/word_skip.h"

enum { INVISIBLE = 0x1a /* the only one of ASCII that a word goes over */ };

void word_skip_begin(struct word_skip *s, const struct table *t, struct span text, bool digits_begin)
{
    s->t = t;
    s->text = text;
    s->digits_begin = digits_begin;
    s->at = s->size = 0;
}

/* At most WORD_BLOCK - 1. */
static size_t word_len(const struct word_skip *s, size_t first)
{
    return (size_t)__builtin_ctzll(~(s->in_words >> first) | UINT64_C(1) << (WORD_BLOCK - 1));
}

static size_t highest(uint64_t bits)
{
    return WORD_BLOCK - 1 - (size_t)__builtin_clzll(bits);
}

static void classify(struct word_skip *s)
{
    s->plain = s->in_words = 0;
    for (size_t i = 0; i < WORD_BLOCK; i += VECTOR_SIZE) {
        const vector_bytes v = vector_load(s->bytes + i);
        const vector_bytes letters = vector_in_range(v | vector_of(0x20), 'a', 'z'), digits = vector_in_range(v, '0', '9');
        s->plain |= (uint64_t)vector_top_bits(s->digits_begin ? letters : letters | digits) << i;
        s->in_words |= (uint64_t)vector_top_bits(letters | digits | vector_is(v, INVISIBLE) | v) << i;
    }
    s->begins = s->in_words & ~(s->in_words << 1);
    s->size = WORD_BLOCK;
    const size_t last = s->begins != 0 ? highest(s->begins) : 0;
    if (last > 0 && last + word_len(s, last) >= WORD_BLOCK - 1) {
        s->begins &= ~(UINT64_C(1) << last);
        s->size = last;
    }
}

static void look_at(struct word_skip *s, size_t at)
{
    const size_t left = s->text.len - at;

    s->at = at;
    s->bytes = s->text.ptr + at;
    if (left < sizeof(s->tail)) {
        memset(s->tail, ' ', sizeof(s->tail));
        memcpy(s->tail, s->bytes, left);
        s->bytes = s->tail;
    }
    classify(s);
    s->may_begin = 0;
    for (uint64_t words = s->begins; words != 0; words &= words - 1) {
        const size_t first = (size_t)__builtin_ctzll(words), len = word_len(s, first);
        const bool is_plain = (~s->plain >> first & ((UINT64_C(1) << len) - 1)) == 0;
        const bool may_go_on = first + len == left || first + len == WORD_BLOCK - 1; /* behind the text, or the block */
        s->may_begin |= (uint64_t)(!is_plain | may_go_on | first_word_may_begin(s->t, s->bytes + first, len)) << first;
    }
}

size_t word_skip(struct word_skip *s, size_t at, size_t *end)
{
    for (; at < s->text.len; at = s->at + s->size) {
        if (at < s->at || at - s->at >= s->size) {
            look_at(s, at);
        }
        const size_t from = at - s->at;
        if (from > 0 && (s->in_words >> (from - 1) & 3) == 3) { /* a word behind another without a gap: an ideograph */
            return at;
        }
        const uint64_t wanted = s->may_begin >> from << from;
        const uint64_t passed = s->begins >> from << from & (wanted - 1) & ~wanted;
        if (passed != 0) {
            const size_t last = highest(passed);
            *end = s->at + last + word_len(s, last);
        }
        if (wanted != 0) {
            return s->at + (size_t)__builtin_ctzll(wanted);
        }
    }
    return s->text.len;
}
