#include "testing.h"

#include <math.h>

#include "ctl/lab/score_curve.h"

static void add(struct score_curves *c, enum score_class class, const double *scores, size_t n)
{
    struct error err;

    for (size_t i = 0; i < n; i++) {
        assert_true(score_curves_add(c, class, scores[i], &err));
    }
}

static bool is_near(double a, double b)
{
    return fabs(a - b) < 1e-9;
}

/* Against all pairs, counted one by one. */
static void the_area_is_the_share_of_pairs_in_order(void **state)
{
    double positive[40], quiet[60], expected = 0;
    struct score_curves c = {0};
    unsigned random = 5;
    (void)state;
    for (size_t i = 0; i < COUNT(positive) + COUNT(quiet); i++) {
        random = random * 1103515245 + 12345;
        double score = (random >> 16) % 8 / 8.0; /* many are equal */
        *(i < COUNT(positive) ? &positive[i] : &quiet[i - COUNT(positive)]) = score;
    }
    for (size_t i = 0; i < COUNT(positive); i++) {
        for (size_t k = 0; k < COUNT(quiet); k++) {
            expected += positive[i] > quiet[k] ? 1 : positive[i] < quiet[k] ? 0 : 0.5;
        }
    }
    add(&c, SCORE_CLASS_POSITIVE, positive, COUNT(positive));
    add(&c, SCORE_CLASS_QUIET, quiet, COUNT(quiet));
    score_curves_sort(&c);
    assert_true(is_near(score_curves_area(&c, SCORE_CLASS_QUIET), expected / COUNT(positive) / COUNT(quiet)));
    assert_true(score_curves_area(&c, SCORE_CLASS_ORDINARY) < 0);
    score_curves_deinit(&c);
}

static void the_share_at_a_threshold_counts_what_reaches_it(void **state)
{
    static const double scores[] = {0.5, 0.25, 1, 0.5};
    struct score_curves c = {0};
    (void)state;
    add(&c, SCORE_CLASS_ORDINARY, scores, COUNT(scores));
    add(&c, SCORE_CLASS_NONE, scores, COUNT(scores));
    score_curves_sort(&c);
    assert_true(is_near(score_curves_share(&c, SCORE_CLASS_ORDINARY, 0.5), 0.75));
    assert_true(is_near(score_curves_share(&c, SCORE_CLASS_ORDINARY, 0.51), 0.25));
    assert_true(is_near(score_curves_share(&c, SCORE_CLASS_ORDINARY, 0), 1));
    assert_true(score_curves_share(&c, SCORE_CLASS_QUIET, 0.5) < 0);
    score_curves_deinit(&c);
}

static void no_score_is_beyond_its_bounds(void **state)
{
    static const double scores[] = {NAN, -3, 7, INFINITY};
    struct score_curves c = {0};
    (void)state;
    add(&c, SCORE_CLASS_QUIET, scores, COUNT(scores));
    score_curves_sort(&c);
    assert_true(is_near(score_curves_share(&c, SCORE_CLASS_QUIET, 1), 0.5));
    assert_true(is_near(score_curves_share(&c, SCORE_CLASS_QUIET, 0), 1));
    score_curves_deinit(&c);
}

static char *drawn(const struct score_curves *c, const char *title, double threshold)
{
    static struct buf out;
    struct error err;

    buf_deinit(&out);
    buf_init(&out, 1 << 20);
    assert_true(score_svg(c, span_str(title), threshold, &out, &err));
    assert_true(buf_append_char(&out, '\0', &err));
    return out.data;
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (text = strstr(text, what); text != NULL; text = strstr(text + 1, what)) {
        n++;
    }
    return n;
}

static void a_picture_has_the_three_charts_and_both_schemes(void **state)
{
    static const double high[] = {0.9, 0.8, 0.4}, low[] = {0.1, 0.4, 0.2};
    struct score_curves c = {0};
    (void)state;
    add(&c, SCORE_CLASS_POSITIVE, high, COUNT(high));
    add(&c, SCORE_CLASS_QUIET, low, COUNT(low));
    add(&c, SCORE_CLASS_ORDINARY, low, COUNT(low));
    score_curves_sort(&c);
    const char *svg = drawn(&c, "toxicity", 0.5);
    assert_true(strncmp(svg, "<svg xmlns=", 11) == 0);
    assert_non_null(strstr(svg, "prefers-color-scheme: dark"));
    assert_non_null(strstr(svg, "ROC"));
    assert_non_null(strstr(svg, "AUC 0.944"));
    assert_non_null(strstr(svg, "average precision"));
    assert_non_null(strstr(svg, "class=\"threshold\""));
    assert_int_equal(count(svg, "<polyline"), 2 + 1 + 3 + 6); /* curves, and one for each line of the legends */
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    score_curves_deinit(&c);
}

static void a_picture_of_nothing_is_one_all_the_same(void **state)
{
    const struct score_curves c = {0};
    (void)state;
    const char *svg = drawn(&c, "", -1);
    assert_non_null(strstr(svg, "</svg>"));
    assert_int_equal(count(svg, "<polyline"), 0);
    assert_null(strstr(svg, "nan"));
}

static void a_title_cannot_leave_its_element(void **state)
{
    const struct score_curves c = {0};
    (void)state;
    const char *svg = drawn(&c, "</title><script>alert('1')&\"\x01\xff\xc3\xa9\xef\xbf\xbf", -1);
    assert_null(strstr(svg, "<script"));
    assert_int_equal(count(svg, "&lt;/title&gt;&lt;script&gt;alert(&apos;1&apos;)&amp;&quot;\xef\xbf\xbd\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd<"), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_area_is_the_share_of_pairs_in_order),
        cmocka_unit_test(the_share_at_a_threshold_counts_what_reaches_it),
        cmocka_unit_test(no_score_is_beyond_its_bounds),
        cmocka_unit_test(a_picture_has_the_three_charts_and_both_schemes),
        cmocka_unit_test(a_picture_of_nothing_is_one_all_the_same),
        cmocka_unit_test(a_title_cannot_leave_its_element),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
