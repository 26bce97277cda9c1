#include "prompt/nh.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { GROUP_WORDS = NH_GROUP / 4 };

/* Adds those of whole groups to the sums. */
typedef void add_fn(const uint32_t *key, const char *bytes, size_t groups, uint64_t sums[NH_SUMS]);

static void add(const uint32_t *key, const char *bytes, size_t groups, uint64_t sums[NH_SUMS])
{
    for (size_t g = 0; g < groups; g++) {
        uint32_t words[GROUP_WORDS];
        memcpy(words, bytes + g * NH_GROUP, sizeof(words));
        for (size_t s = 0; s < NH_SUMS; s++) {
            const uint32_t *k = key + (g + s) * GROUP_WORDS;
            for (size_t i = 0; i < GROUP_WORDS; i += 2) {
                sums[s] += (uint64_t)(words[i] + k[i]) * (words[i + 1] + k[i + 1]);
            }
        }
    }
}

#ifdef __x86_64__
#define WIDE __attribute__((target("avx2")))
#define WIDE_INLINED __attribute__((target("avx2"), always_inline))

WIDE_INLINED static inline __m256i load(const void *bytes)
{
    return _mm256_loadu_si256((const __m256i *)bytes);
}

WIDE_INLINED static inline __m256i products(__m256i words, const uint32_t *key)
{
    const __m256i both = _mm256_add_epi32(words, load(key));

    return _mm256_mul_epu32(both, _mm256_srli_epi64(both, 32));
}

WIDE_INLINED static inline uint64_t total(__m256i lanes)
{
    uint64_t parts[4];

    memcpy(parts, &lanes, sizeof(parts));
    return parts[0] + parts[1] + parts[2] + parts[3];
}

_Static_assert(NH_SUMS == 4, "one variable for each, as compilers keep no array in registers");

WIDE static void add_widely(const uint32_t *key, const char *bytes, size_t groups, uint64_t sums[NH_SUMS])
{
    __m256i a = _mm256_setzero_si256(), b = a, c = a, d = a;

    for (size_t g = 0; g < groups; g++) {
        const __m256i words = load(bytes + g * NH_GROUP);
        const uint32_t *k = key + g * GROUP_WORDS;
        a = _mm256_add_epi64(a, products(words, k));
        b = _mm256_add_epi64(b, products(words, k + GROUP_WORDS));
        c = _mm256_add_epi64(c, products(words, k + (size_t)2 * GROUP_WORDS));
        d = _mm256_add_epi64(d, products(words, k + (size_t)3 * GROUP_WORDS));
    }
    sums[0] += total(a);
    sums[1] += total(b);
    sums[2] += total(c);
    sums[3] += total(d);
}

#define CARRYLESS __attribute__((target("avx2,pclmul,vpclmulqdq")))
#define CARRYLESS_INLINED __attribute__((target("avx2,pclmul,vpclmulqdq"), always_inline))

/* Of the two words of each half. */
CARRYLESS_INLINED static inline __m256i carryless_products(__m256i words, const uint32_t *key)
{
    const __m256i both = _mm256_xor_si256(words, load(key));

    return _mm256_clmulepi64_epi128(both, both, 0x10);
}

WIDE_INLINED static inline void add_halves(__m256i halves, uint64_t sum[2])
{
    uint64_t parts[4];

    memcpy(parts, &halves, sizeof(parts));
    sum[0] ^= parts[0] ^ parts[2];
    sum[1] ^= parts[1] ^ parts[3];
}

CARRYLESS static void add_carryless(const uint32_t *key, const char *bytes, size_t groups, uint64_t sums[NH_SUMS])
{
    __m256i a = _mm256_setzero_si256(), b = a;

    for (size_t g = 0; g < groups; g++) {
        const __m256i words = load(bytes + g * NH_GROUP);
        const uint32_t *k = key + g * GROUP_WORDS;
        a = _mm256_xor_si256(a, carryless_products(words, k));
        b = _mm256_xor_si256(b, carryless_products(words, k + GROUP_WORDS));
    }
    add_halves(a, sums);
    add_halves(b, sums + 2);
}
#endif

bool nh_can(enum nh_way way)
{
#ifdef __x86_64__
    bool has_avx2 = __builtin_cpu_supports("avx2");
    bool has_carryless = has_avx2 && __builtin_cpu_supports("pclmul") && __builtin_cpu_supports("vpclmulqdq");
#else
    const bool has_avx2 = false, has_carryless = false;
#endif
    const bool can[] = {[NH_PLAIN] = true, [NH_WIDE] = has_avx2, [NH_CARRYLESS] = has_carryless};

    return can[way];
}

static void sum_block(add_fn *add_groups, const struct nh_key *key, struct span block, uint64_t sums[NH_SUMS])
{
    const size_t whole = block.len / NH_GROUP, rest = block.len % NH_GROUP;
    char last[NH_GROUP] = {0};

    memset(sums, 0, NH_SUM);
    add_groups(key->words, block.ptr, whole, sums);
    if (rest > 0) {
        memcpy(last, block.ptr + whole * NH_GROUP, rest);
        add_groups(key->words + whole * GROUP_WORDS, last, 1, sums);
    }
}

void nh_sums_by(enum nh_way way, const struct nh_key *key, struct span text, uint64_t *sums)
{
    static add_fn *const adders[] = {
        [NH_PLAIN] = add,
#ifdef __x86_64__
        [NH_WIDE] = add_widely,
        [NH_CARRYLESS] = add_carryless,
#endif
    };

    for (size_t at = 0; at < text.len; at += NH_BLOCK, sums += NH_SUMS) {
        sum_block(adders[way], key, span_slice(text, at, text.len - at < NH_BLOCK ? text.len : at + NH_BLOCK), sums);
    }
}

void nh_sums(const struct nh_key *key, struct span text, uint64_t *sums)
{
    nh_sums_by(nh_can(NH_CARRYLESS) ? NH_CARRYLESS : nh_can(NH_WIDE) ? NH_WIDE : NH_PLAIN, key, text, sums);
}
