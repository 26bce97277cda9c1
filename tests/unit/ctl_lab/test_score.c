#include "testing.h"

#include <stdlib.h>

#include "ctl/lab/score.h"
#include "support/judge.h"

static const char rules[] =
    "rules:\n" TEST_RULE("strong", "secret", "critical", "0.95", "pattern: 'tok_[a-z]{8}'")
        TEST_RULE("weak", "secret", "low", "0.2", "pattern: 'wk_[a-z]{8}'")
            TEST_RULE("person", "pii", "low", "0.7", "pattern: 'Zoë [A-Z][a-z]{2,20}'");
static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [local]\n"
                             "    actions:\n"
                             "      - {confidence: '>=0.5', action: redact}\n"
                             "      - {category: secret, confidence: '>=0.9', action: block}\n";

struct fixture {
    struct judge judge;
    struct session session;
    struct arguments args;
    struct score_row_options options;
    struct batch batch;
    struct score_sum sum;
};

static void fixture_init(struct fixture *f)
{
    *f = (struct fixture){.args = {.min_confidence = -1}};
    if (!judge_init(&f->judge, rules, policy, false)) {
        fail_msg("%s", f->judge.err.text);
    }
    f->session.snapshot = f->judge.snapshot;
    f->session.policy = snapshot_policy(f->judge.snapshot, span_of("", 0), span_of("", 0));
    f->options =
        (struct score_row_options){.session = &f->session, .args = &f->args, .level = SCORE_REDACT};
    f->batch = (struct batch){.file = (char *)(uintptr_t) "rows", .first_line = 1};
    buf_init(&f->batch.input, 1 << 16);
    buf_init(&f->batch.output, 1 << 20);
    buf_init(&f->batch.problems, 1 << 20);
}

static void fixture_deinit(struct fixture *f)
{
    buf_deinit(&f->batch.input);
    buf_deinit(&f->batch.output);
    buf_deinit(&f->batch.problems);
    score_sum_deinit(&f->sum);
    judge_deinit(&f->judge);
}

static void score_text(struct fixture *f, const char *lines)
{
    struct score_event event;
    struct error err;

    assert_true(buf_append_str(&f->batch.input, lines, &err));
    score_rows(&f->options, f->judge.worker, &f->batch);
    for (size_t at = 0; at < f->batch.output.len; at += sizeof(event)) {
        memcpy(&event, f->batch.output.data + at, sizeof(event));
        assert_true(score_add(&f->sum, &event, &err));
    }
}

static const struct score_count *named(const struct score_counts *list, const char *name)
{
    for (size_t i = 0; i < list->n; i++) {
        if (strcmp(list->items[i].name, name) == 0) {
            return &list->items[i];
        }
    }
    fail_msg("nothing is named %s", name);
    return NULL;
}

static void a_positive_row_is_found_at_its_secret_alone(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f);
    score_text(&f, "{\"text\":\"a tok_abcdefgh "
                   "b\",\"kind\":\"positive\",\"rule\":\"r\",\"secret\":\"tok_abcdefgh\"}\n"
                   "{\"text\":\"tok_abcdefgh "
                   "other\",\"kind\":\"positive\",\"rule\":\"r\",\"secret\":\"other\"}\n"
                   "{\"text\":\"tok_abcdefgh\",\"kind\":\"positive\",\"rule\":\"r\"}\n");
    const struct score_count *c = named(&f.sum.groups, "r");
    assert_int_equal(c->found, 2);
    assert_int_equal(c->missed, 1);
    assert_int_equal(c->falses, 0);
    assert_int_equal(named(&f.sum.rules, "strong")->found, 2);
    fixture_deinit(&f);
}

static void a_finding_counts_from_the_level_on(void **state)
{
    static const struct {
        enum score_level level;
        size_t found, falses;
    } cases[] = {{SCORE_REPORT, 3, 2}, {SCORE_REDACT, 2, 1}, {SCORE_BLOCK, 1, 1}};

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f;
        fixture_init(&f);
        f.options.level = cases[i].level;
        score_text(&f, "{\"text\":\"wk_abcdefgh\",\"kind\":\"positive\"}\n"
                       "{\"text\":\"Zo\\u00eb Example\",\"kind\":\"positive\"}\n"
                       "{\"text\":\"tok_abcdefgh\",\"kind\":\"positive\"}\n"
                       "{\"text\":\"wk_abcdefgh tok_abcdefgh\",\"kind\":\"negative\"}\n");
        assert_int_equal(f.sum.total.found, cases[i].found);
        assert_int_equal(f.sum.total.falses, cases[i].falses);
        assert_int_equal(f.sum.total.flagged, 1);
        fixture_deinit(&f);
    }
}

static void spans_are_code_points_and_what_meets_none_is_false(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f);
    score_text(&f, "{\"text\":\"\\u00e9\\u20ac Zo\\u00eb Example, tok_abcdefgh\","
                   "\"spans\":[[3,14,\"PERSON\"],[0,2,\"SIGN\"]],\"label\":\"tagged\"}\n");
    assert_int_equal(named(&f.sum.groups, "PERSON")->found, 1);
    assert_int_equal(named(&f.sum.groups, "SIGN")->missed, 1);
    assert_int_equal(f.sum.total.span_falses, 1);
    assert_int_equal(named(&f.sum.rules, "strong")->falses, 1);
    assert_true(score_precision(&f.sum.total) == 0.5);
    fixture_deinit(&f);
}

static void labels_say_what_is_to_be_found_and_the_rest_is_quiet(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f);
    f.args.positive = "bad,worse";
    score_text(&f,
               "{\"text\":\"tok_abcdefgh\",\"label\":\"worse\",\"kind\":\"a kind of its own\"}\n"
               "{\"text\":\"tok_abcdefgh\",\"label\":\"good\"}\n"
               "{\"text\":\"nothing\",\"label\":\"good\"}\n"
               "{\"text\":\"wk_abcdefgh\"}\n");
    assert_int_equal(named(&f.sum.groups, "worse")->found, 1);
    assert_int_equal(named(&f.sum.groups, "good")->quiet, 2);
    assert_int_equal(named(&f.sum.groups, "good")->flagged, 1);
    assert_int_equal(f.sum.quiet_rows, 3);
    assert_int_equal(f.sum.quiet_bytes, 12 + 7 + 11);
    assert_int_equal(f.sum.quiet_findings[CATEGORY_SECRET][SCORE_BLOCK], 1);
    assert_int_equal(f.sum.quiet_findings[CATEGORY_SECRET][SCORE_REPORT], 1);
    fixture_deinit(&f);
}

static void a_line_that_is_no_row_is_named_and_counts_for_nothing(void **state)
{
    static const struct {
        const char *line, *expected;
    } cases[] = {
        {"not JSON\n", "a JSON object expected"},
        {"[1]\n", "\"text\": a string expected"},
        {"{\"kind\":\"positive\"}\n", "\"text\": a string expected"},
        {"{\"text\":\"tok_abcdefgh\",\"kind\":\"perhaps\"}\n",
         "\"positive\" or \"negative\" expected"},
        {"{\"text\":\"tok_abcdefgh\",\"label\":3}\n", "\"label\": a string expected"},
        {"{\"text\":\"tok_abcdefgh\",\"spans\":[[0,3,\"A\"],[3,99,\"B\"]]}\n",
         "within the text expected"},
        {"{\"text\":\"tok_abcdefgh\",\"spans\":[[3,3,\"A\"]]}\n", "within the text expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct fixture f;
        struct report_problem problem;
        fixture_init(&f);
        score_text(&f, "\n");
        buf_clear(&f.batch.input);
        score_text(&f, cases[i].line);
        assert_int_equal(f.batch.problems.len, sizeof(problem));
        memcpy(&problem, f.batch.problems.data, sizeof(problem));
        assert_int_equal(problem.line, 1);
        assert_non_null(strstr(problem.reason, cases[i].expected));
        assert_null(strstr(problem.reason, "tok_"));
        assert_int_equal(f.batch.output.len, 0);
        fixture_deinit(&f);
    }
}

static void no_event_holds_any_of_the_text(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f);
    score_text(
        &f,
        "{\"text\":\"tok_abcdefgh\",\"kind\":\"positive\",\"secret\":\"tok_abcdefgh\"}\n"
        "{\"text\":\"tok_abcdefgh missed-one\",\"kind\":\"positive\",\"secret\":\"missed-one\"}\n"
        "{\"text\":\"tok_abcdefgh\",\"kind\":\"negative\"}\n");
    assert_true(f.batch.output.len >= 4 * sizeof(struct score_event));
    assert_null(memmem(f.batch.output.data, f.batch.output.len, "abcdefgh", 8));
    assert_null(memmem(f.batch.output.data, f.batch.output.len, "missed-one", 10));
    fixture_deinit(&f);
}

static void a_share_that_the_labels_do_not_tell_is_negative(void **state)
{
    const struct score_count none = {0}, places = {.found = 3, .missed = 1};
    const struct score_count all = {.found = 3, .missed = 1, .quiet = 4, .flagged = 1, .falses = 9};
    const struct score_count quiet = {.quiet = 2, .flagged = 1};

    (void)state;
    assert_true(score_recall(&none) < 0 && score_precision(&none) < 0 && score_f1(&none) < 0);
    assert_true(score_recall(&places) == 0.75 && score_precision(&places) < 0 &&
                score_f1(&places) < 0);
    assert_true(score_precision(&all) == 0.75 && score_f1(&all) == 0.75);
    assert_true(score_recall(&quiet) < 0 && score_precision(&quiet) < 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_positive_row_is_found_at_its_secret_alone),
        cmocka_unit_test(a_finding_counts_from_the_level_on),
        cmocka_unit_test(spans_are_code_points_and_what_meets_none_is_false),
        cmocka_unit_test(labels_say_what_is_to_be_found_and_the_rest_is_quiet),
        cmocka_unit_test(a_line_that_is_no_row_is_named_and_counts_for_nothing),
        cmocka_unit_test(no_event_holds_any_of_the_text),
        cmocka_unit_test(a_share_that_the_labels_do_not_tell_is_negative),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
