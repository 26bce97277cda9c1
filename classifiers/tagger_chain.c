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

static float normalise(float v[TAGGER_LANES])
{
    float sum = 0;

    for (size_t j = 0; j < TAGGER_LANES; j++) {
        sum += v[j];
    }
    float scale = sum > 0 ? 1.0f / sum : 0;
    for (size_t j = 0; j < TAGGER_LANES; j++) {
        v[j] *= scale;
    }
    return sum;
}

static float forward(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    float before[TAGGER_LANES] = {1};
    float log_sum = 0;

    for (size_t t = 0; t < n; t++) {
        float next[TAGGER_LANES] = {0};
        for (size_t i = 0; i < TAGGER_LABELS; i++) {
            for (size_t j = 0; j < TAGGER_LANES; j++) {
                next[j] += before[i] * chain->step[i][j];
            }
        }
        for (size_t j = 0; j < TAGGER_LANES; j++) {
            next[j] *= rows[t].weight[j];
        }
        log_sum += tagger_log(normalise(next));
        memcpy(rows[t].forward, next, sizeof(next));
        memcpy(before, next, sizeof(next));
    }
    float end = 0;
    for (size_t i = 0; i < TAGGER_LABELS; i++) {
        end += before[i] * chain->step[i][0];
    }
    return log_sum + tagger_log(end);
}

static void backward(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    float after[TAGGER_LANES] = {1}; /* weight times backward of the token that follows */

    for (size_t t = n; t-- > 0;) {
        float *b = rows[t].backward;
        memset(b, 0, sizeof(rows[t].backward));
        for (size_t i = 0; i < TAGGER_LABELS; i++) {
            for (size_t j = 0; j < TAGGER_LANES; j++) {
                b[i] += chain->step[i][j] * after[j];
            }
        }
        (void)normalise(b);
        for (size_t j = 0; j < TAGGER_LANES; j++) {
            rows[t].chance[j] = rows[t].forward[j] * b[j];
            after[j] = rows[t].weight[j] * b[j];
        }
        (void)normalise(rows[t].chance);
    }
}

float tagger_chain_run(const struct tagger_chain *chain, struct tagger_row *rows, size_t n)
{
    float log_sum = forward(chain, rows, n);

    backward(chain, rows, n);
    return log_sum;
}
