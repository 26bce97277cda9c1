/* test_classify.c - which units of a text a classifier is asked about, and what of its answers are findings. */
#include "searching.h"

#include "judge/classify.h"

enum { UNITS_MAX = 8, UNIT_MAX = 64 };

static char asked[UNITS_MAX][UNIT_MAX];
static size_t n_asked;

static unsigned head_of(const void *self, struct span name)
{
    (void)self;
    return span_is(name, "shouting") ? 0 : CLASSIFIER_HEADS_MAX;
}

/* Sure of a unit that begins with a z. */
static bool judge_unit(const void *self, struct span unit, const double wanted[CLASSIFIER_HEADS_MAX],
                       classifier_found_fn *found, void *context, struct error *err)
{
    const struct classifier_place place = {.head = 0, .to = unit.len, .score = unit.ptr[0] == 'z' ? 0.9 : 0.4};

    (void)self;
    assert_true(wanted[0] < 1 && unit.len < UNIT_MAX && n_asked < UNITS_MAX);
    memcpy(asked[n_asked], unit.ptr, unit.len);
    asked[n_asked++][unit.len] = '\0';
    return found(context, &place, err);
}

static struct span digest_of(const void *self)
{
    (void)self;
    return span_str("0123");
}

static const struct classifier shouting = {.head = head_of, .judge = judge_unit, .digest = digest_of};
static const struct classifier *const *offer(struct error *err)
{
    static const struct classifier *const classifiers[] = {&shouting, NULL};

    (void)err;
    return classifiers;
}

static const char rules[] =
    "rules:\n"
    "  - id: loud\n    title: Loud\n    category: content\n    severity: low\n    classifier: shouting\n    threshold: 0.5\n"
    "    allow: ['zoo.*', 'zeb']\n    match: [a, b, c]\n    no_match: [d, e, f]\n";

static struct rule_set *set;
static struct arena arena;
static struct finder finder = {.arena = &arena, .findings_max = 100};
static struct finding_list list;
static struct error err;

static int set_up(void **state)
{
    const struct rule_file file = {.path = "rules.yaml", .content = span_str(rules)};
    const struct rule_set_options options = {.classifiers = offer};

    (void)state;
    arena_init(&arena, 0, 1 << 20);
    set = rule_set_load(&file, 1, &options, &err);
    finder.regex = regex_scratch_new(&err);
    return set != NULL && finder.regex != NULL ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    regex_scratch_free(finder.regex);
    rule_set_unref(set);
    arena_deinit(&arena);
    return 0;
}

static void classify(const char *text, struct find_classify how)
{
    const struct find_request request = {.rules = set, .text = span_str(text), .classify = how};

    n_asked = 0;
    list = (struct finding_list){0};
    arena_reset(&arena);
    assert_true(classify_text(&finder, &request, &list, &err));
}

static void a_whole_text_is_one_unit(void **state)
{
    (void)state;
    classify("one. two.", (struct find_classify){.hold = HOLD_ALL});
    assert_int_equal(n_asked, 1);
    assert_string_equal(asked[0], "one. two.");
}

static void a_policy_that_holds_sentences_has_them_judged_alone(void **state)
{
    (void)state;
    classify("Here is one. zebra is two. End", (struct find_classify){.hold = HOLD_SENTENCE});
    assert_int_equal(n_asked, 3);
    assert_int_equal(list.n, 1);
    assert_found(&list.items[0], "loud", 13, 27, 90);
    assert_int_equal(list.items[0].source, FINDING_CLASSIFIER);
}

static void the_last_unit_of_an_open_text_is_not_judged(void **state)
{
    (void)state;
    classify("Here is one. zebra is tw", (struct find_classify){.hold = HOLD_SENTENCE, .is_open = true});
    assert_int_equal(n_asked, 1);
    assert_string_equal(asked[0], "Here is one. ");
    classify("zebra", (struct find_classify){.hold = HOLD_ALL, .is_open = true});
    assert_int_equal(n_asked, 0);
}

static void a_span_that_the_rule_allows_is_no_finding(void **state)
{
    (void)state;
    classify("zoo. zebra.", (struct find_classify){.hold = HOLD_SENTENCE});
    assert_int_equal(n_asked, 2);
    assert_int_equal(list.n, 1);
    assert_int_equal(list.items[0].from, 5); /* all of it must match */
}

static void off_it_asks_nothing(void **state)
{
    (void)state;
    classify("zebra", (struct find_classify){.hold = HOLD_ALL, .is_off = true});
    assert_int_equal(n_asked, 0);
}

static void below_the_threshold_nothing_is_found(void **state)
{
    (void)state;
    classify("calm", (struct find_classify){.hold = HOLD_ALL});
    assert_int_equal(n_asked, 1);
    assert_int_equal(list.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_text_is_one_unit),
        cmocka_unit_test(a_policy_that_holds_sentences_has_them_judged_alone),
        cmocka_unit_test(the_last_unit_of_an_open_text_is_not_judged),
        cmocka_unit_test(a_span_that_the_rule_allows_is_no_finding),
        cmocka_unit_test(off_it_asks_nothing),
        cmocka_unit_test(below_the_threshold_nothing_is_found),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
