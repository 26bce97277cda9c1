#include "text/utf8.h"

#include "text/vector.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { LAST_ASCII = 0x7f, FIRST_SUPPLEMENTARY = 0x10000, VECTORS = 4 /* at once */ };

static unsigned char byte_at(struct span text, size_t i)
{
    return (unsigned char)text.ptr[i];
}

static bool is_continuation(unsigned char c)
{
    return (c & 0xc0) == 0x80;
}

/* Where the ASCII that starts at `at` ends. */
static size_t skip_ascii(struct span text, size_t at)
{
    for (; text.len - at >= VECTORS * VECTOR_SIZE; at += VECTORS * VECTOR_SIZE) {
        vector_bytes any = {0};
        for (size_t i = 0; i < VECTORS; i++) {
            any |= vector_load(text.ptr + at + i * VECTOR_SIZE);
        }
        if (vector_top_bits(any) != 0) {
            break;
        }
    }
    for (; text.len - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        unsigned high = vector_top_bits(vector_load(text.ptr + at));
        if (high != 0) {
            return at + (size_t)__builtin_ctz(high);
        }
    }
    while (at < text.len && byte_at(text, at) <= LAST_ASCII) {
        at++;
    }
    return at;
}

/* Whether `second` may follow `first`: a range that depends on it (Unicode, table 3-7). */
static bool may_be_second(unsigned char first, unsigned char second)
{
    unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
    unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;
    return second >= low && second <= high;
}

/* The length of the well-formed sequence of two to four bytes at `at`; 0 when it is ill-formed. */
static size_t sequence_length(struct span text, size_t at)
{
    unsigned char first = byte_at(text, at);
    size_t len = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.len - at < len) {
        return 0;
    }
    if (!may_be_second(first, byte_at(text, at + 1))) {
        return 0;
    }
    for (size_t i = 2; i < len; i++) {
        if (!is_continuation(byte_at(text, at + i))) {
            return 0;
        }
    }
    return len;
}

/* The length of the valid text from `at` on. */
static size_t valid_end(struct span text, size_t at)
{
    while (at < text.len) {
        if (byte_at(text, at) <= LAST_ASCII) {
            at = skip_ascii(text, at);
            continue;
        }
        size_t len = sequence_length(text, at);
        if (len == 0) {
            break;
        }
        at += len;
    }
    return at;
}

size_t utf8_valid_prefix(struct span text)
{
    return valid_end(text, 0);
}

bool utf8_is_ascii(struct span text)
{
    return skip_ascii(text, 0) == text.len;
}

/* Control characters that show as nothing: C0 and DEL, but white space, and what changes how terminals show the rest. */
static bool is_hidden(unsigned char c)
{
    enum { BACKSPACE = 0x08, SHIFT_OUT = 0x0e, ESCAPE = 0x1b, DELETE = 0x7f }; /* between the first two: white space */

    return (c < ' ' && (c < BACKSPACE || c > SHIFT_OUT) && c != ESCAPE) || c == DELETE;
}

#ifdef __x86_64__
enum { WIDE = 32 };

/* Bit i: byte i is hidden. A row for each lower half of a byte says with which upper halves it is: 0, 1 and 7. */
__attribute__((target("avx2"))) static inline uint32_t hidden_bits(const char *bytes)
{
    const __m256i rows = _mm256_setr_epi8(3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 0, 2, 2, 2, -125, 3, 3, 3, 3, 3, 3, 3, 3, 2, 2, 2, 0, 2, 2, 2, -125);
    const __m256i uppers = _mm256_setr_epi8(1, 2, 0, 0, 0, 0, 0, -128, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0, -128, 0, 0, 0, 0, 0, 0, 0, 0);
    const __m256i v = _mm256_loadu_si256((const __m256i *)(const void *)bytes);
    const __m256i upper = _mm256_shuffle_epi8(uppers, _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0f)));
    const __m256i both = _mm256_and_si256(_mm256_shuffle_epi8(rows, v), upper);

    return ~(uint32_t)_mm256_movemask_epi8(_mm256_cmpeq_epi8(both, _mm256_setzero_si256()));
}

/* The same as find_hidden, up to where less than a step is left. */
__attribute__((target("avx2"))) static size_t find_hidden_widely(struct span text, size_t at)
{
    for (; text.len - at >= WIDE; at += WIDE) {
        uint32_t found = hidden_bits(text.ptr + at);
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    return at;
}
#endif

static size_t find_hidden(struct span text, size_t at)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx2")) {
        at = find_hidden_widely(text, at);
    }
#endif
    for (; text.len - at >= VECTOR_SIZE; at += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + at);
        vector_bytes low = vector_in_range(v, 0, 0x1f) & ~vector_in_range(v, 0x08, 0x0e) & ~vector_is(v, 0x1b);
        unsigned found = vector_top_bits(low | vector_is(v, 0x7f));
        if (found != 0) {
            return at + (size_t)__builtin_ctz(found);
        }
    }
    while (at < text.len && !is_hidden(byte_at(text, at))) {
        at++;
    }
    return at;
}

bool utf8_repair(struct arena *a, struct span text, struct span *repaired, struct error *err)
{
    size_t valid = valid_end(text, 0), hidden = find_hidden(text, 0);

    if (valid == text.len && hidden == text.len) {
        *repaired = text;
        return true;
    }
    char *bytes = arena_alloc(a, text.len, err);
    if (bytes == NULL) {
        return false;
    }
    memcpy(bytes, text.ptr, text.len);
    for (; valid < text.len; valid = valid_end(text, valid + 1)) {
        bytes[valid] = UTF8_REPLACEMENT_BYTE;
    }
    for (; hidden < text.len; hidden = find_hidden(text, hidden + 1)) {
        bytes[hidden] = UTF8_REPLACEMENT_BYTE;
    }
    *repaired = span_of(bytes, text.len);
    return true;
}

size_t utf8_encode(uint32_t code_point, char out[4])
{
    if (code_point <= LAST_ASCII) {
        out[0] = (char)code_point;
        return 1;
    }
    size_t len = code_point < 0x800 ? 2 : code_point < FIRST_SUPPLEMENTARY ? 3 : 4;
    uint32_t lead = len == 2 ? 0xc0 : len == 3 ? 0xe0 : 0xf0;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code_point & 0x3f));
        code_point >>= 6;
    }
    out[0] = (char)(lead | code_point);
    return len;
}

/* Every byte but a continuation starts a code point; every byte from 0xf0 on starts one that
 * takes two UTF-16 units. */
static void count_leads(struct span text, size_t *code_points, size_t *supplementary)
{
    size_t starts = 0;
    size_t large = 0;
    size_t i = 0;

    for (; text.len - i >= VECTOR_SIZE; i += VECTOR_SIZE) {
        vector_bytes v = vector_load(text.ptr + i);
        if (vector_top_bits(v) == 0) {
            starts += VECTOR_SIZE;
            continue;
        }
        unsigned rest = vector_top_bits(vector_in_range(v, 0x80, 0xbf));
        starts += VECTOR_SIZE - (size_t)__builtin_popcount(rest);
        large += (size_t)__builtin_popcount(vector_top_bits(vector_in_range(v, 0xf0, 0xff)));
    }
    for (; i < text.len; i++) {
        starts += !is_continuation(byte_at(text, i));
        large += byte_at(text, i) >= 0xf0;
    }
    *code_points = starts;
    *supplementary = large;
}

size_t utf8_count_code_points(struct span text)
{
    size_t code_points;
    size_t supplementary;
    count_leads(text, &code_points, &supplementary);
    return code_points;
}

size_t utf8_count_utf16_units(struct span text)
{
    size_t code_points;
    size_t supplementary;
    count_leads(text, &code_points, &supplementary);
    return code_points + supplementary;
}
