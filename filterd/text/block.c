#include "text/block.h"

#include "text/utf8.h"
#include "text/vector.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

static inline void classify_part(const char *bytes, unsigned shift, struct block_masks *m)
{
    vector_bytes v = vector_load(bytes);
    vector_bytes lower = v | vector_of(0x20);
    vector_bytes digit = vector_in_range(v, '0', '9');
    vector_bytes alnum = vector_in_range(lower, 'a', 'z') | digit | vector_is(v, '_');
    vector_bytes plus_to_slash = vector_in_range(v, '+', '/');
    vector_bytes dot = vector_is(v, '.');
    vector_bytes base64 = alnum | (plus_to_slash & ~(vector_is(v, ',') | dot));
    vector_bytes space = vector_in_range(v, 0, ' ');
    vector_bytes list = vector_in_range(lower, 'a', 'f') | vector_in_range(v, '0', ';') |
                        vector_in_range(v, '+', '-') | space | vector_is(lower, 'x') |
                        vector_is(lower, 'u');
    vector_bytes and_or_backslash = vector_is(v, '\\') | vector_is(v, '&');
    vector_bytes escape = and_or_backslash | vector_is(v, '%') | vector_is(v, '=');
    vector_bytes quote = vector_is(v, '"') | vector_is(v, '\'');
    vector_bytes glue = space | dot | vector_is(v, '+') | and_or_backslash | quote;
    vector_bytes high = v | vector_is(v, UTF8_REPLACEMENT_BYTE);

    m->alnum |= (uint64_t)vector_top_bits(alnum) << shift;
    m->base64 |= (uint64_t)vector_top_bits(base64) << shift;
    m->digit |= (uint64_t)vector_top_bits(digit) << shift;
    m->list |= (uint64_t)vector_top_bits(list) << shift;
    m->newline |= (uint64_t)vector_top_bits(vector_is(v, '\n')) << shift;
    m->quote |= (uint64_t)vector_top_bits(quote) << shift;
    m->glue |= (uint64_t)vector_top_bits(glue) << shift;
    m->escape |= (uint64_t)vector_top_bits(escape) << shift;
    m->high |= (uint64_t)vector_top_bits(high) << shift;
}

void block_classify_plainly(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    *out = (struct block_masks){0};
    for (unsigned shift = 0; shift < BLOCK_SIZE; shift += VECTOR_SIZE) {
        classify_part(bytes + shift, shift, out);
    }
}

#ifdef __x86_64__

#define WIDE __attribute__((target("avx512f,avx512bw")))

WIDE static inline uint64_t wide_in_range(__m512i v, char low, char high)
{
    return _mm512_cmple_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(low)),
                                  _mm512_set1_epi8((char)(high - low)));
}

WIDE static inline uint64_t wide_is(__m512i v, char byte)
{
    return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(byte));
}

/* AVX-512 compares 64 bytes straight into a mask. */
WIDE static void classify_widely(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    __m512i v = _mm512_loadu_si512(bytes);
    __m512i lower = _mm512_or_si512(v, _mm512_set1_epi8(0x20));
    uint64_t digit = wide_in_range(v, '0', '9');
    uint64_t alnum = wide_in_range(lower, 'a', 'z') | digit | wide_is(v, '_');
    uint64_t dot = wide_is(v, '.');
    uint64_t space = wide_in_range(v, 0, ' ');
    uint64_t and_or_backslash = wide_is(v, '\\') | wide_is(v, '&');
    uint64_t quote = wide_is(v, '"') | wide_is(v, '\'');

    out->alnum = alnum;
    out->base64 = alnum | (wide_in_range(v, '+', '/') & ~(wide_is(v, ',') | dot));
    out->digit = digit;
    out->list = wide_in_range(lower, 'a', 'f') | wide_in_range(v, '0', ';') |
                wide_in_range(v, '+', '-') | space | wide_is(lower, 'x') | wide_is(lower, 'u');
    out->newline = wide_is(v, '\n');
    out->quote = quote;
    out->glue = space | dot | wide_is(v, '+') | and_or_backslash | quote;
    out->escape = and_or_backslash | wide_is(v, '%') | wide_is(v, '=');
    out->high = _mm512_movepi8_mask(v) | wide_is(v, UTF8_REPLACEMENT_BYTE);
}

block_classify_fn block_classifier(void)
{
    return __builtin_cpu_supports("avx512bw") ? classify_widely : block_classify_plainly;
}

#else

block_classify_fn block_classifier(void)
{
    return block_classify_plainly;
}

#endif
