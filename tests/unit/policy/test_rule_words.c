/* Lists of words: what they find, and that each shipped word is found. */
#include "testing.h"

#include "pipeline/load.h"
#include "support/judge.h"
#include "support/shipped.h"

#define POLICY "policies:\n  default:\n    rules: [local]\n    actions:\n      - {category: content, action: redact}\n"
#define LIST(more) "rules:\n" TEST_RULE("w", "content", "low", "0.5", more)

static void judges_to(const char *rules, const char *text, const char *expected)
{
    for (int without = 0; without <= 1; without++) {
        struct judge j;
        if (!judge_init(&j, rules, POLICY, without != 0)) {
            fail_msg("%s", j.err.text);
        }
        struct span out = judge_text(&j, span_str(text));
        if (!span_is(out, expected)) {
            fail_msg("%s the prefilter '%s' became '" SPAN_FMT "', expected '%s'", without != 0 ? "without" : "with", text,
                     SPAN_ARG(out), expected);
        }
        judge_deinit(&j);
    }
}

static void words_stand_free_of_letters_of_every_script(void **state)
{
    static const char list[] = LIST("words: [ass, Grüße, хер]");

    (void)state;
    judges_to(list, "An ass, a class and an assistant.", "An [w], a class and an assistant.");
    judges_to(list, "ass_x x_ass assé 9ass \"ass\" ass", "ass_x x_ass assé 9ass \"[w]\" [w]");
    judges_to(list, "Liebe GRÜSSE, liebe grüße, херувим и ХЕР", "Liebe GRÜSSE, liebe [w], херувим и [w]");
}

static void of_words_that_begin_alike_the_longest_is_taken(void **state)
{
    static const char list[] = LIST("words: [as, asset, assets, asset sale, zoo]");

    (void)state;
    judges_to(list, "as asset assets asse asset sale asset sales zoo", "[w] [w] [w] asse [w] [w] sales [w]");
}

static void a_space_or_hyphen_is_a_space_a_hyphen_or_a_line_end(void **state)
{
    static const char list[] = LIST("words: [go to bed, up-hill]");

    (void)state;
    judges_to(list, "go to bed, go-to\nbed, go  to bed, up hill, uphill", "[w], [w], go  to bed, [w], uphill");
}

static void without_a_boundary_words_stand_anywhere(void **state)
{
    static const char list[] = LIST("words: [王八蛋, ab], boundary: none");

    (void)state;
    judges_to(list, "他是王八蛋吗 cabs", "他是[w]吗 c[w]s");
}

/* The long s and the Kelvin sign are letters s and k without regard to case, and none to Hyperscan's \b. */
static void partners_outside_ascii_are_found_as_well(void **state)
{
    static const char list[] = LIST("words: [ass, kick, oak], views: [raw]");

    (void)state;
    judges_to(list, "aſſ, \xe2\x84\xaaick, oa\xe2\x84\xaa, aſſe", "[w], [w], [w], aſſe");
}

static void signs_in_words_stand_for_themselves(void **state)
{
    static const char list[] = LIST("words: ['a.b*c', '@home', 'f(x)']");

    (void)state;
    judges_to(list, "a.b*c axbbc @home f(x) fx", "[w] axbbc [w] [w] fx");
}

static void faults_are_named(void **state)
{
    static const struct {
        const char *rules, *expected;
    } cases[] = {
        {LIST("words: []"), "1 to 4096 words expected"},
        {LIST("words: ['']"), "words of 1 to 128 bytes expected"},
        {LIST("words: [' a']"), "no space at their ends"},
        {LIST("words: [\"a\\tb\"]"), "without control characters"},
        {LIST("words: [a], pattern: a"), "either 'pattern', 'words', 'classifier', 'exact_data' or 'documents' expected"},
        {LIST("words: [a], trigger: a"), "expected with 'words'"},
        {LIST("boundary: letter"), "either 'pattern', 'words', 'classifier', 'exact_data' or 'documents' expected"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct judge j;
        bool is_loaded = judge_init(&j, cases[i].rules, POLICY, false);
        assert_false(is_loaded);
        if (strstr(j.err.text, cases[i].expected) == NULL) {
            fail_msg("case %zu: %s", i, j.err.text);
        }
        judge_deinit(&j);
    }
}

static bool finds(const struct exchange *x, const struct rule *rule, size_t len)
{
    for (size_t i = 0; i < x->n_findings; i++) {
        if (x->findings[i].rule == rule && x->findings[i].from == 0 && x->findings[i].to == len) {
            return true;
        }
    }
    return false;
}

/* Under the first policy that has the rule: the default one alone lets its words pass. */
static size_t find_words(struct snapshot *snapshot, struct worker *worker, const struct rule *rule)
{
    const struct policy *policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0});
    bool is_default = policy->has_rule[rule_set_index(snapshot->rules, rule)];

    for (size_t i = 0; i < rule->words.n; i++) {
        struct channel channel = {.text = rule->words.items[i]};
        struct exchange x = {.snapshot = snapshot,
                             .policy = is_default ? policy : snapshot_policy(snapshot, span_str("privacy"), (struct span){0}),
                             .channels = &channel,
                             .n_channels = 1};
        (void)worker_begin(worker);
        pipeline_judge(worker, &x);
        if (!finds(&x, rule, channel.text.len) || (is_default && x.action != ACTION_ALLOW)) {
            fail_msg(SPAN_FMT " does not report '" SPAN_FMT "'", SPAN_ARG(rule->id), SPAN_ARG(channel.text));
        }
    }
    return rule->words.n;
}

static void every_word_of_the_shipped_lists_is_reported_and_let_pass(void **state)
{
    const struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    struct error err;
    size_t n = 0;

    (void)state;
    struct snapshot *snapshot = snapshot_open(NULL, "rules/policy-privacy.yaml", &options, &err);
    assert_non_null(snapshot);
    struct worker *worker = worker_new(&limits, NULL, &err);
    assert_non_null(worker);
    for (uint32_t i = 0; i < snapshot->rules->n_rules; i++) {
        n += find_words(snapshot, worker, &snapshot->rules->rules[i]);
    }
    assert_true(n > 1000);
    worker_free(worker);
    snapshot_unref(snapshot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_stand_free_of_letters_of_every_script),
        cmocka_unit_test(of_words_that_begin_alike_the_longest_is_taken),
        cmocka_unit_test(a_space_or_hyphen_is_a_space_a_hyphen_or_a_line_end),
        cmocka_unit_test(without_a_boundary_words_stand_anywhere),
        cmocka_unit_test(partners_outside_ascii_are_found_as_well),
        cmocka_unit_test(signs_in_words_stand_for_themselves),
        cmocka_unit_test(faults_are_named),
        cmocka_unit_test(every_word_of_the_shipped_lists_is_reported_and_let_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
