#include "classifiers/tagger_chain.h"

#include <stdint.h>
#include <string.h>

/* 2^k by the bits of the exponent, the rest by a polynomial: within 2e-7 of the true value. */
float tagger_exp(float x)
{
    if (!(x > -80.0f)) {
        return 0.0f;
    }
    if (x > 80.0f) {
        x = 80.0f;
    }
    float scaled = x * 1.44269504f;
    int32_t k = (int32_t)(scaled + (scaled < 0 ? -0.5f : 0.5f));
    float r = x - (float)k * 0.693359375f + (float)k * 2.12194440e-4f;
    float p =
        1.0f +
        r * (1.0f + r * (0.5f + r * (0.16666667f + r * (0.041666667f +
                                                        r * (0.0083333333f + r * 0.0013888889f)))));
    uint32_t bits = (uint32_t)(k + 127) << 23;
    float power;

    memcpy(&power, &bits, sizeof(power));
    return p * power;
}

/* By the exponent's bits and the series of artanh. */
float tagger_log(float x)
{
    uint32_t bits;
    float m;

    if (!(x > 1e-37f)) {
        x = 1e-37f;
    }
    memcpy(&bits, &x, sizeof(bits));
    int32_t k = (int32_t)(bits >> 23) - 127;
    bits = (bits & 0x7fffffu) | 0x3f800000u;
    memcpy(&m, &bits, sizeof(m));
    float z = (m - 1.41421356f) / (m + 1.41421356f);
    float zz = z * z;
    float series =
        2.0f * z *
        (1.0f + zz * (0.33333333f + zz * (0.2f + zz * (0.14285714f + zz * 0.11111111f))));

    return (float)k * 0.69314718f + 0.34657359f + series;
}

/* Four lanes at once, as the machine's vectors do, and none that no label is in; a mask is all bits where something holds. */
enum { QUAD = 4 };
_Static_assert(TAGGER_USED % QUAD == 0, "whole vectors");
typedef float quad __attribute__((vector_size(QUAD * sizeof(float))));
typedef int32_t masks __attribute__((vector_size(QUAD * sizeof(int32_t))));

static inline quad load(const float *v)
{
    quad x;

    memcpy(&x, v, sizeof(x));
    return x;
}

static inline void store(float *v, quad x)
{
    memcpy(v, &x, sizeof(x));
}

/* Where the mask holds a, else b. */
static inline quad choose(masks mask, quad a, quad b)
{
    return (quad)((mask & (masks)a) | (~mask & (masks)b));
}

/* Step by step what tagger_exp does, so that every lane is the same to the last bit. */
static inline quad exp_of(quad x)
{
    const quad none = {0};
    masks is_some = x > -80.0f;

    x = choose(is_some, x, none);
    x = choose(x > 80.0f, none + 80.0f, x);
    quad scaled = x * 1.44269504f;
    masks k = __builtin_convertvector(scaled + choose(scaled < 0, none - 0.5f, none + 0.5f), masks);
    quad whole = __builtin_convertvector(k, quad);
    quad r = x - whole * 0.693359375f + whole * 2.12194440e-4f;
    quad p =
        1.0f +
        r * (1.0f + r * (0.5f + r * (0.16666667f + r * (0.041666667f +
                                                        r * (0.0083333333f + r * 0.0013888889f)))));

    return choose(is_some, p * (quad)((k + 127) << 23), none);
}

void tagger_exp_all(const float of[TAGGER_USED], float out[TAGGER_USED])
{
    for (size_t j = 0; j < TAGGER_USED; j += QUAD) {
        store(out + j, exp_of(load(of + j)));
    }
}

/* Lanes behind the last label are 0. */
static inline void normalise(float v[TAGGER_LANES])
{
    float sum = 0;

    for (size_t j = 0; j < TAGGER_LABELS; j++) {
        sum += v[j];
    }
    float scale = sum > 0 ? 1.0f / sum : 0;
    for (size_t j = 0; j < TAGGER_USED; j += QUAD) {
        store(v + j, load(v + j) * scale);
    }
}

/* The chances of labels after those before, but for their weights. */
static inline quad step_on(const struct tagger_chain *chain, const float before[TAGGER_LANES],
                           size_t j)
{
    quad sum = before[0] * load(chain->step[0] + j);

    for (size_t i = 1; i < TAGGER_LABELS; i++) {
        sum += before[i] * load(chain->step[i] + j);
    }
    return sum;
}

/* Before the first token is label 0 alone, so there is nothing to be added up for it. */
static void forward(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    for (size_t t = 0; t < n; t++) {
        for (size_t j = 0; j < TAGGER_USED; j += QUAD) {
            quad next = t == 0 ? load(chain->step[0] + j) : step_on(chain, rows[t - 1].forward, j);
            store(rows[t].forward + j, next * load(rows[t].weight + j));
        }
        normalise(rows[t].forward);
    }
}

static inline float sum_of_products(const float *a, const float *b)
{
    float sum = 0;

    for (size_t j = 0; j < TAGGER_LABELS; j++) {
        sum += a[j] * b[j];
    }
    return sum;
}

/* Nor for the last, as label 0 alone comes after it. */
static void backward(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    float after[TAGGER_LANES]; /* weight times backward of the token that follows */

    for (size_t t = n; t-- > 0;) {
        float *b = rows[t].backward;
        memset(b, 0, sizeof(rows[t].backward));
        for (size_t i = 0; i < TAGGER_LABELS; i++) {
            b[i] = t + 1 == n ? chain->step[i][0] : sum_of_products(chain->step[i], after);
        }
        normalise(b);
        for (size_t j = 0; j < TAGGER_USED; j += QUAD) {
            store(rows[t].chance + j, load(rows[t].forward + j) * load(b + j));
            store(after + j, load(rows[t].weight + j) * load(b + j));
        }
        normalise(rows[t].chance);
    }
}

void tagger_chain_run(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    forward(chain, rows, n);
    backward(chain, rows, n);
}
