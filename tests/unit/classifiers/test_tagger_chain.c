#include "testing.h"

#include <math.h>
#include <string.h>

#include "base/span.h"
#include "classifiers/tagger_chain.h"

static void exp_and_log_are_near_the_true_ones(void **state)
{
    (void)state;
    for (float x = -20; x < 20; x += 0.37f) {
        assert_true(fabsf(tagger_exp(x) / expf(x) - 1) < 1e-5f);
        assert_true(fabsf(tagger_log(expf(x)) - x) < 1e-4f);
    }
    assert_true(tagger_exp(-1e30f) == 0);
    assert_true(isfinite(tagger_exp(1e30f)));
    assert_true(tagger_exp(nanf("")) == 0);
}

static void all_lanes_are_as_one_by_one(void **state)
{
    float lanes[TAGGER_USED], together[TAGGER_USED];

    (void)state;
    for (float x = -90; x < 90; x += 0.0137f) {
        for (size_t j = 0; j < TAGGER_USED; j++) {
            lanes[j] = x * (float)(1 + j) / 3;
        }
        lanes[3] = nanf("");
        lanes[5] = -INFINITY;
        lanes[7] = INFINITY;
        tagger_exp_all(lanes, together);
        for (size_t j = 0; j < TAGGER_USED; j++) {
            float alone = tagger_exp(lanes[j]);
            assert_memory_equal(&together[j], &alone, sizeof(alone));
        }
    }
}

enum { LABELS = 3, RUN = 4 };

/* The chances by adding up all labellings, for a few labels. */
static void by_hand(const struct tagger_chain *chain, const struct tagger_row *rows,
                    double chances[RUN][LABELS])
{
    double total = 0;

    memset(chances, 0, sizeof(double) * RUN * LABELS);
    for (unsigned code = 0; code < 81; code++) {
        unsigned labels[RUN] = {code % 3, code / 3 % 3, code / 9 % 3, code / 27};
        double score = 1;
        unsigned before = 0;
        for (size_t t = 0; t < RUN; t++) {
            score *= (double)chain->step[before][labels[t]] * (double)rows[t].weight[labels[t]];
            before = labels[t];
        }
        score *= (double)chain->step[before][0];
        total += score;
        for (size_t t = 0; t < RUN; t++) {
            chances[t][labels[t]] += score;
        }
    }
    for (size_t t = 0; t < RUN; t++) {
        for (size_t j = 0; j < LABELS; j++) {
            chances[t][j] /= total;
        }
    }
}

static void chances_are_those_of_all_labellings_together(void **state)
{
    struct tagger_chain chain = {{{1, 2, 0}, {0.5f, 0.2f, 3}, {1.5f, 1, 0.7f}}};
    struct tagger_row rows[RUN] = {{.weight = {1, 2, 0.5f}},
                                   {.weight = {0.1f, 1, 4}},
                                   {.weight = {1, 0, 1}},
                                   {.weight = {0.3f, 1, 1}}};
    double wanted[RUN][LABELS];

    (void)state;
    by_hand(&chain, rows, wanted);
    tagger_chain_run(&chain, rows, RUN);
    for (size_t t = 0; t < RUN; t++) {
        for (size_t j = 0; j < LABELS; j++) {
            assert_true(fabs((double)rows[t].chance[j] - wanted[t][j]) < 1e-5);
        }
        for (size_t j = LABELS; j < TAGGER_LANES; j++) {
            assert_true(rows[t].chance[j] == 0);
        }
    }
}

static void a_run_without_a_labelling_has_no_chances(void **state)
{
    struct tagger_chain chain = {{{0}}};
    struct tagger_row rows[2] = {{.weight = {1}}, {.weight = {1}}};

    (void)state;
    tagger_chain_run(&chain, rows, COUNT(rows));
    for (size_t j = 0; j < TAGGER_LANES; j++) {
        assert_true(rows[0].chance[j] == 0 && rows[1].chance[j] == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_and_log_are_near_the_true_ones),
        cmocka_unit_test(all_lanes_are_as_one_by_one),
        cmocka_unit_test(chances_are_those_of_all_labellings_together),
        cmocka_unit_test(a_run_without_a_labelling_has_no_chances),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
