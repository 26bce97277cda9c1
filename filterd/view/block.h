/* block.h - which of 64 bytes are of which class, as bits: bit i tells about byte i.
 *
 * Three ways that agree: sixteen bytes at a time on every processor, 32 with AVX2, all at once with AVX-512 VBMI. */
#ifndef FILTERD_VIEW_BLOCK_H
#define FILTERD_VIEW_BLOCK_H

#include <stdint.h>

#include "text/utf8.h"
#include "text/vector.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { BLOCK_SIZE = 64 };

struct block_masks {
    uint64_t alnum;  /* letters, digits, _ */
    uint64_t base64; /* these and + / - */
    uint64_t digit;
    uint64_t upper;
    uint64_t list; /* hex digits, x, u, white space, + , - : ; */
    uint64_t newline;
    uint64_t space;  /* with all control characters */
    uint64_t quote;  /* " ' ` */
    uint64_t glue;   /* what may follow a part of a string: white space + . & \ and quotes */
    uint64_t escape; /* % & \ */
    uint64_t equals;
    uint64_t high; /* of a non-ASCII character, or the repair byte */
    uint64_t markup;  /* * ~ ` < ] */
    uint64_t control; /* escape, backspace, shift out */
    uint64_t opens;   /* what may follow signs of markup within a word: base64 and ! ( [ */
    uint64_t stop;    /* what may follow a literal in code: , ) ] ; | */
    uint64_t close;   /* ) ] */
    uint64_t underscore;
    uint64_t token; /* base64 and . : = @ % ~ */
};

static inline void block_classify_part(const char *bytes, unsigned shift, struct block_masks *m)
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
    vector_bytes quote = vector_is(v, '"') | vector_is(v, '\'') | vector_is(v, '`');
    vector_bytes percent = vector_is(v, '%');
    vector_bytes equals = vector_is(v, '=');
    vector_bytes tilde = vector_is(v, '~');
    vector_bytes token = base64 | dot | equals | percent | tilde | vector_is(v, ':') | vector_is(v, '@');
    vector_bytes glue = space | dot | vector_is(v, '+') | and_or_backslash | quote;
    vector_bytes bracket = vector_is(v, ']');
    vector_bytes close = bracket | vector_is(v, ')');
    vector_bytes markup =
        bracket | vector_is(v, '*') | tilde | vector_is(v, '`') | vector_is(v, '<');
    vector_bytes opens = base64 | vector_is(v, '!') | vector_is(v, '(') | vector_is(v, '[');
    vector_bytes stop = close | vector_is(v, ',') | vector_is(v, ';') | vector_is(v, '|');

    m->markup |= (uint64_t)vector_top_bits(markup) << shift;
    m->control |= (uint64_t)vector_top_bits(vector_is(v, 0x1b) | vector_is(v, '\b') | vector_is(v, 0x0e)) << shift;
    m->opens |= (uint64_t)vector_top_bits(opens) << shift;
    m->stop |= (uint64_t)vector_top_bits(stop) << shift;
    m->close |= (uint64_t)vector_top_bits(close) << shift;
    m->underscore |= (uint64_t)vector_top_bits(vector_is(v, '_')) << shift;
    m->token |= (uint64_t)vector_top_bits(token) << shift;
    m->alnum |= (uint64_t)vector_top_bits(alnum) << shift;
    m->base64 |= (uint64_t)vector_top_bits(base64) << shift;
    m->digit |= (uint64_t)vector_top_bits(digit) << shift;
    m->upper |= (uint64_t)vector_top_bits(vector_in_range(v, 'A', 'Z')) << shift;
    m->list |= (uint64_t)vector_top_bits(list) << shift;
    m->space |= (uint64_t)vector_top_bits(space) << shift;
    m->newline |= (uint64_t)vector_top_bits(vector_is(v, '\n')) << shift;
    m->quote |= (uint64_t)vector_top_bits(quote) << shift;
    m->glue |= (uint64_t)vector_top_bits(glue) << shift;
    m->escape |= (uint64_t)vector_top_bits(and_or_backslash | percent) << shift;
    m->equals |= (uint64_t)vector_top_bits(equals) << shift;
    m->high |= (uint64_t)vector_top_bits(v | vector_is(v, UTF8_REPLACEMENT_BYTE)) << shift;
}

static inline void block_classify(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    *out = (struct block_masks){0};
    for (unsigned shift = 0; shift < BLOCK_SIZE; shift += VECTOR_SIZE) {
        block_classify_part(bytes + shift, shift, out);
    }
}

#ifdef __x86_64__

#define BLOCK_HALF __attribute__((target("avx2")))
/* Called, it would keep every mask in memory. */
#define BLOCK_HALF_INLINED __attribute__((target("avx2"), always_inline))

/* All bits of a byte that is in [low, high]. */
BLOCK_HALF static inline __m256i half_in_range(__m256i v, char low, char high)
{
    __m256i above = _mm256_sub_epi8(v, _mm256_set1_epi8(low));

    return _mm256_cmpeq_epi8(_mm256_min_epu8(above, _mm256_set1_epi8((char)(high - low))), above);
}

BLOCK_HALF static inline __m256i half_is(__m256i v, char byte)
{
    return _mm256_cmpeq_epi8(v, _mm256_set1_epi8(byte));
}

BLOCK_HALF static inline __m256i half_or(__m256i a, __m256i b, __m256i c)
{
    return _mm256_or_si256(_mm256_or_si256(a, b), c);
}

BLOCK_HALF_INLINED static inline void half_put(uint64_t *mask, __m256i lanes, unsigned shift)
{
    *mask |= (uint64_t)(uint32_t)_mm256_movemask_epi8(lanes) << shift;
}

BLOCK_HALF_INLINED static inline void block_classify_half(const char *bytes, unsigned shift, struct block_masks *m)
{
    __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    __m256i lower = _mm256_or_si256(v, _mm256_set1_epi8(0x20));
    __m256i digit = half_in_range(v, '0', '9');
    __m256i underscore = half_is(v, '_');
    __m256i alnum = half_or(half_in_range(lower, 'a', 'z'), digit, underscore);
    __m256i dot = half_is(v, '.');
    __m256i plus = half_is(v, '+'), comma = half_is(v, ','), minus = half_is(v, '-');
    __m256i colon = half_is(v, ':'), semicolon = half_is(v, ';');
    __m256i base64 = _mm256_or_si256(half_or(alnum, plus, minus), half_is(v, '/'));
    __m256i space = half_in_range(v, 0, ' ');
    __m256i escape = _mm256_or_si256(half_is(v, '\\'), half_is(v, '&'));
    __m256i tick = half_is(v, '`');
    __m256i quote = half_or(half_is(v, '"'), half_is(v, '\''), tick);
    __m256i bracket = half_is(v, ']');
    __m256i close = _mm256_or_si256(bracket, half_is(v, ')'));
    __m256i percent = half_is(v, '%'), equals = half_is(v, '='), tilde = half_is(v, '~');
    __m256i list = half_or(half_in_range(lower, 'a', 'f'), half_is(lower, 'x'), half_is(lower, 'u'));
    __m256i list_signs = half_or(half_or(plus, comma, minus), half_or(colon, semicolon, space), digit);
    __m256i markup = half_or(half_or(bracket, tilde, tick), half_is(v, '*'), half_is(v, '<'));

    half_put(&m->alnum, alnum, shift);
    half_put(&m->base64, base64, shift);
    half_put(&m->digit, digit, shift);
    half_put(&m->upper, half_in_range(v, 'A', 'Z'), shift);
    half_put(&m->list, _mm256_or_si256(list, list_signs), shift);
    half_put(&m->newline, half_is(v, '\n'), shift);
    half_put(&m->space, space, shift);
    half_put(&m->quote, quote, shift);
    half_put(&m->glue, half_or(half_or(space, dot, plus), escape, quote), shift);
    half_put(&m->escape, _mm256_or_si256(escape, percent), shift);
    half_put(&m->equals, equals, shift);
    half_put(&m->high, _mm256_or_si256(v, half_is(v, UTF8_REPLACEMENT_BYTE)), shift);
    half_put(&m->markup, markup, shift);
    half_put(&m->control, half_or(half_is(v, 0x1b), half_is(v, '\b'), half_is(v, 0x0e)), shift);
    half_put(&m->opens, half_or(_mm256_or_si256(base64, half_is(v, '[')), half_is(v, '!'), half_is(v, '(')), shift);
    half_put(&m->stop, _mm256_or_si256(half_or(close, comma, semicolon), half_is(v, '|')), shift);
    half_put(&m->close, close, shift);
    half_put(&m->underscore, underscore, shift);
    half_put(&m->token, half_or(half_or(base64, dot, equals), half_or(percent, tilde, colon), half_is(v, '@')), shift);
}

BLOCK_HALF_INLINED static inline void block_classify_halves(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    *out = (struct block_masks){0};
    block_classify_half(bytes, 0, out);
    block_classify_half(bytes + BLOCK_SIZE / 2, BLOCK_SIZE / 2, out);
}

#define BLOCK_WIDE __attribute__((target("avx512f,avx512bw,avx512vbmi")))

/* Called, they would keep every mask in memory. */
#define BLOCK_WIDE_INLINED __attribute__((target("avx512f,avx512bw,avx512vbmi"), always_inline))

/* The classes of a character of ASCII, as constants. */
#define BLOCK_IS_IN(c, low, high) ((c) >= (low) && (c) <= (high))
#define BLOCK_IS_DIGIT(c) BLOCK_IS_IN(c, '0', '9')
#define BLOCK_IS_LOWER(c, low, high) BLOCK_IS_IN((c) | 0x20, low, high)
#define BLOCK_IS_ALNUM(c) (BLOCK_IS_DIGIT(c) || BLOCK_IS_LOWER(c, 'a', 'z') || (c) == '_')
#define BLOCK_IS_BASE64(c) (BLOCK_IS_ALNUM(c) || (c) == '+' || (c) == '-' || (c) == '/')
#define BLOCK_IS_SPACE(c) ((c) <= ' ')
#define BLOCK_IS_QUOTE(c) ((c) == '"' || (c) == '\'' || (c) == '`')
#define BLOCK_IS_LIST(c)                                                                                                       \
    (BLOCK_IS_LOWER(c, 'a', 'f') || BLOCK_IS_IN(c, '0', ';') || BLOCK_IS_IN(c, '+', '-') || BLOCK_IS_SPACE(c) ||                  \
     BLOCK_IS_LOWER(c, 'x', 'x') || BLOCK_IS_LOWER(c, 'u', 'u'))
#define BLOCK_IS_ESCAPE(c) ((c) == '\\' || (c) == '&')
#define BLOCK_IS_GLUE(c) (BLOCK_IS_SPACE(c) || (c) == '.' || (c) == '+' || BLOCK_IS_ESCAPE(c) || BLOCK_IS_QUOTE(c))
#define BLOCK_IS_MARKUP(c) ((c) == ']' || (c) == '*' || (c) == '~' || (c) == '`' || (c) == '<')
#define BLOCK_IS_CLOSE(c) ((c) == ']' || (c) == ')')
#define BLOCK_IS_STOP(c) (BLOCK_IS_CLOSE(c) || (c) == ',' || (c) == ';' || (c) == '|')
#define BLOCK_IS_TOKEN(c)                                                                                                      \
    (BLOCK_IS_BASE64(c) || (c) == '.' || (c) == '=' || (c) == '%' || (c) == '~' || (c) == ':' || (c) == '@')

/* A bit for each class, of eight at a time. */
#define BLOCK_BITS(a, b, c, d, e, f, g, h) ((a) | (b) << 1 | (c) << 2 | (d) << 3 | (e) << 4 | (f) << 5 | (g) << 6 | (h) << 7)
#define BLOCK_WORDS(c)                                                                                                         \
    BLOCK_BITS(BLOCK_IS_ALNUM(c), BLOCK_IS_BASE64(c), BLOCK_IS_DIGIT(c), BLOCK_IS_IN(c, 'A', 'Z'), BLOCK_IS_LIST(c), (c) == '\n',  \
               BLOCK_IS_SPACE(c), BLOCK_IS_QUOTE(c))
#define BLOCK_SIGNS(c)                                                                                                         \
    BLOCK_BITS(BLOCK_IS_GLUE(c), BLOCK_IS_ESCAPE(c) || (c) == '%', (c) == '=', BLOCK_IS_MARKUP(c), (c) == 0x1b || (c) == '\b' || (c) == 0x0e, \
               BLOCK_IS_BASE64(c) || (c) == '!' || (c) == '(' || (c) == '[', BLOCK_IS_STOP(c), BLOCK_IS_CLOSE(c))
#define BLOCK_OTHERS(c) BLOCK_BITS((c) == '_', BLOCK_IS_TOKEN(c), (c) == UTF8_REPLACEMENT_BYTE, 0, 0, 0, 0, 0)
#define BLOCK_8(bits, c) bits(c), bits((c) + 1), bits((c) + 2), bits((c) + 3), bits((c) + 4), bits((c) + 5), bits((c) + 6), bits((c) + 7)
#define BLOCK_64(bits, c)                                                                                                      \
    BLOCK_8(bits, c), BLOCK_8(bits, (c) + 8), BLOCK_8(bits, (c) + 16), BLOCK_8(bits, (c) + 24), BLOCK_8(bits, (c) + 32),          \
        BLOCK_8(bits, (c) + 40), BLOCK_8(bits, (c) + 48), BLOCK_8(bits, (c) + 56)

static const uint8_t block_words[128] = {BLOCK_64(BLOCK_WORDS, 0), BLOCK_64(BLOCK_WORDS, 64)};
static const uint8_t block_signs[128] = {BLOCK_64(BLOCK_SIGNS, 0), BLOCK_64(BLOCK_SIGNS, 64)};
static const uint8_t block_others[128] = {BLOCK_64(BLOCK_OTHERS, 0), BLOCK_64(BLOCK_OTHERS, 64)};

/* The bits of each byte; none beyond ASCII. */
BLOCK_WIDE_INLINED static inline __m512i block_look_up(const uint8_t table[128], __m512i v, uint64_t ascii)
{
    return _mm512_maskz_permutex2var_epi8(ascii, _mm512_loadu_si512(table), v, _mm512_loadu_si512(table + 64));
}

BLOCK_WIDE_INLINED static inline uint64_t block_has(__m512i bits, unsigned number)
{
    return _mm512_test_epi8_mask(bits, _mm512_set1_epi8((char)(1U << number)));
}

/* Three tables have all classes of a byte; AVX-512 tests a bit of 64 bytes straight into a mask. */
BLOCK_WIDE_INLINED static inline void block_classify_wide(const char bytes[BLOCK_SIZE], struct block_masks *out)
{
    const __m512i v = _mm512_loadu_si512(bytes);
    const uint64_t beyond = _mm512_movepi8_mask(v);
    const __m512i words = block_look_up(block_words, v, ~beyond);
    const __m512i signs = block_look_up(block_signs, v, ~beyond);
    const __m512i others = block_look_up(block_others, v, ~beyond);

    out->alnum = block_has(words, 0);
    out->base64 = block_has(words, 1);
    out->digit = block_has(words, 2);
    out->upper = block_has(words, 3);
    out->list = block_has(words, 4);
    out->newline = block_has(words, 5);
    out->space = block_has(words, 6);
    out->quote = block_has(words, 7);
    out->glue = block_has(signs, 0);
    out->escape = block_has(signs, 1);
    out->equals = block_has(signs, 2);
    out->markup = block_has(signs, 3);
    out->control = block_has(signs, 4);
    out->opens = block_has(signs, 5);
    out->stop = block_has(signs, 6);
    out->close = block_has(signs, 7);
    out->underscore = block_has(others, 0);
    out->token = block_has(others, 1);
    out->high = beyond | block_has(others, 2);
}

#endif
#endif
