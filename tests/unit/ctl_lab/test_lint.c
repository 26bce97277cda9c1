#include "testing.h"

#include "ctl/lab/lint.h"
#include "ctl/lab/lint_corpus.h"
#include "support/judge.h"
#include "text/utf8.h"

/* A trigger that is rare, one that hits each word with a pattern that goes back and forth behind it, whose end no automaton
 * reads, and a twin of the first, so that their trigger is shared. */
static const char rules[] =
    "rules:\n" TEST_RULE("cheap-one", "secret", "low", "0.5", "pattern: 'cheap-[0-9]{4}'")
        TEST_RULE("dear-one", "secret", "low", "0.5",
                  "trigger: '[a-z]', lead: 200, pattern: '[a-z ]{1,80}[a-z ,]{1,80}(?=dear-)[a-z]'")
            TEST_RULE("cheap-twin", "secret", "low", "0.5", "trigger: 'cheap-[0-9]', lead: 7, pattern: 'cheap-[0-9]{6}'");

static void measure(const struct judge *j, struct span corpus, const char *id, struct lint_result *out)
{
    const struct lint_options options = {
        .rules = j->rules, .yardstick = j->rules, .corpus = corpus, .is_counted = true};
    struct error err;
    struct lint *lint = lint_new(&options, &err);

    assert_non_null(lint);
    assert_true(lint_rule(lint, rule_set_find(j->rules, span_str(id)), out, &err));
    lint_free(lint);
}

static void fill(struct buf *corpus)
{
    struct error err;

    buf_init(corpus, 1 << 20);
    for (int i = 0; i < 200; i++) {
        assert_true(buf_appendf(corpus, &err, "a line of ordinary words, well-known ones, number %d\n", i));
    }
}

static void the_share_is_of_what_is_counted_and_the_same_each_time(void **state)
{
    struct judge j;
    struct buf corpus;
    struct lint_result dear, again, cheap;

    (void)state;
    assert_true(judge_init(&j, rules, NULL, false));
    fill(&corpus);
    measure(&j, buf_span(&corpus), "dear-one", &dear);
    measure(&j, buf_span(&corpus), "dear-one", &again);
    measure(&j, buf_span(&corpus), "cheap-one", &cheap);
    assert_true(dear.is_over && dear.pcre2_share > 0.5 && dear.hyperscan_share == 0);
    assert_true(dear.work.steps > 10000 && dear.work.searches > 0 && dear.hits > 1000);
    assert_memory_equal(&dear.work, &again.work, sizeof(dear.work));
    assert_true(dear.pcre2_share == again.pcre2_share);
    assert_false(cheap.is_over);
    assert_true(cheap.pcre2_share == 0);
    assert_non_null(strstr(dear.reasons, "begins with 0 literal bytes"));
    assert_string_equal(cheap.reasons, "");
    buf_deinit(&corpus);
    judge_deinit(&j);
}

static void times_are_measured_unless_only_counts_are_wanted(void **state)
{
    struct judge j;
    struct buf corpus;
    struct lint_result r;
    struct error err;

    (void)state;
    assert_true(judge_init(&j, rules, NULL, false));
    fill(&corpus);
    const struct lint_options options = {.rules = j.rules, .yardstick = j.rules, .corpus = buf_span(&corpus)};
    struct lint *lint = lint_new(&options, &err);
    assert_non_null(lint);
    assert_true(lint_rule(lint, rule_set_find(j.rules, span_str("dear-one")), &r, &err));
    assert_true(r.trigger_ns > 0 && r.total_ns > 0);
    assert_true(r.hyperscan_share >= 0 && r.hyperscan_share < 1);
    assert_true(lint_rule(lint, rule_set_find(j.rules, span_str("cheap-one")), &r, &err));
    assert_true(r.trigger_ns > 0 && r.hits == 0 && r.hyperscan_share >= 0 && r.hyperscan_share < 1);
    lint_free(lint);
    lint_free(NULL);
    buf_deinit(&corpus);
    judge_deinit(&j);
}

/* Words at their starts are no triggers of Hyperscan: what is found of them counts all the same. */
static void hits_are_those_of_the_search_that_is_made(void **state)
{
    static const char word_rules[] =
        "rules:\n" TEST_RULE("word-one", "secret", "low", "0.5", "boundary: word, pattern: '(?i)(?:number|ordinary) [0-9]{2}'")
            TEST_RULE("word-part", "secret", "low", "0.5", "boundary: none, pattern: '(?i)(?:umber|rdinary) [0-9]{2}'");
    struct judge j;
    struct buf corpus;
    struct lint_result start, inside;

    (void)state;
    assert_true(judge_init(&j, word_rules, NULL, false));
    fill(&corpus);
    measure(&j, buf_span(&corpus), "word-one", &start);
    measure(&j, buf_span(&corpus), "word-part", &inside);
    assert_int_equal(start.hits, 400);
    assert_int_equal(start.matches, 90);
    assert_int_equal(inside.matches, 190);
    buf_deinit(&corpus);
    judge_deinit(&j);
}

static void the_made_up_corpus_is_valid_and_always_the_same(void **state)
{
    struct judge j;
    struct buf a, b;
    struct error err;

    (void)state;
    assert_true(judge_init(&j, rules, NULL, false));
    buf_init(&a, 2 * LINT_CORPUS_BYTES);
    buf_init(&b, 2 * LINT_CORPUS_BYTES);
    assert_true(lint_corpus_make(j.rules, &a, &err));
    assert_true(lint_corpus_make(j.rules, &b, &err));
    assert_true(a.len >= LINT_CORPUS_BYTES);
    assert_true(span_equal(buf_span(&a), buf_span(&b)));
    assert_int_equal(utf8_valid_prefix(buf_span(&a)), a.len);
    buf_deinit(&a);
    buf_deinit(&b);
    judge_deinit(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_share_is_of_what_is_counted_and_the_same_each_time),
        cmocka_unit_test(times_are_measured_unless_only_counts_are_wanted),
        cmocka_unit_test(hits_are_those_of_the_search_that_is_made),
        cmocka_unit_test(the_made_up_corpus_is_valid_and_always_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
