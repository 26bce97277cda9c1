/* What is loaded from a folder of rules with a policy, and which of the rules are compiled. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "judge/find.h"
#include "pipeline/load.h"

#define RULE(id, pattern, more)                                                                                         \
    "  - {id: " id ", title: t, category: secret, severity: low, confidence: 0.5, pattern: '" pattern "', " more          \
    "match: ['" id " 1234'], no_match: [b]}\n"

static const char *const files[][2] = {
    {"used/a.yaml", "rules:\n" RULE("one", "one [0-9]{4}", "") RULE("two", "two [0-9]{4}", "requires: {rules: [four], within: 64}, ")},
    {"unused/b.yaml", "rules:\n" RULE("three", "three [0-9]{4}", "") RULE("four", "four [0-9]{4}", "") RULE("five", "five [0-9]{4}", "")},
    {"policy.yaml", "policies:\n"
                    "  default: {rules: [used], actions: [{category: secret, action: redact}]}\n"
                    "  other: {rules: [five], actions: [{category: secret, action: block}]}\n"},
};

static char folder[256];

static int make_folder(void **state)
{
    struct error err;
    char path[512];

    (void)state;
    testing_folder(folder, sizeof(folder));
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i][0]);
        char *slash = strrchr(path, '/');
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
        assert_true(file_write_atomic(path, span_str(files[i][1]), 0600, &err));
    }
    return 0;
}

static int remove_folder(void **state)
{
    char path[512];

    (void)state;
    for (size_t i = 0; i < COUNT(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i][0]);
        (void)unlink(path);
        *strrchr(path, '/') = '\0';
        (void)rmdir(path);
    }
    return rmdir(folder) == 0 || access(folder, F_OK) != 0 ? 0 : -1;
}

static struct snapshot *load(bool only_used, bool test_examples)
{
    const struct rule_set_options options = {.only_used = only_used, .test_examples = test_examples};
    struct error err = {0};
    struct snapshot *s = snapshot_open(folder, NULL, &options, &err);

    if (s == NULL) {
        fail_msg("%s", err.text);
    }
    return s;
}

static bool can_find(const struct snapshot *s, const char *id)
{
    return rule_set_can_find(s->rules, rule_set_index(s->rules, rule_set_find(s->rules, span_str(id))));
}

static void only_rules_of_a_policy_and_their_partners_are_compiled(void **state)
{
    struct snapshot *all = load(false, false), *used = load(true, false);

    (void)state;
    assert_int_equal(all->rules->n_patterns, 5);
    assert_int_equal(used->rules->n_patterns, 4);
    assert_true(can_find(all, "three"));
    assert_false(can_find(used, "three"));
    assert_true(can_find(used, "one") && can_find(used, "two") && can_find(used, "four") && can_find(used, "five"));
    assert_true(span_equal(all->rules->digest, used->rules->digest));
    assert_true(span_equal(all->policies[0].digest, used->policies[0].digest));
    snapshot_unref(all);
    snapshot_unref(used);
}

static size_t find_all(const struct snapshot *s, const struct policy *policy, struct finding found[8])
{
    static const char text[] = "one 1111, two 2222 beside four 4444; three 3333, five 5555";
    uint64_t ignored[STAGE_COUNT] = {0};
    struct error err = {0};
    struct arena arena;
    struct finding_list list = {0};
    struct finder f = {.arena = &arena, .views = {.depth = 1, .max_bytes = 4096, .max_pieces = 16}, .findings_max = 8};
    const struct find_request request = {
        .rules = s->rules, .has_rule = policy->has_rule, .text = span_str(text), .stage_ns = ignored};

    arena_init(&arena, 0, 1 << 20);
    f.scan = scanner_scratch_new(&err);
    f.regex = regex_scratch_new(&err);
    assert_non_null(f.scan);
    assert_non_null(f.regex);
    assert_true(find_in_text(&f, &request, &list, &err));
    for (size_t i = 0; i < list.n; i++) {
        found[i] = list.items[i];
    }
    scanner_scratch_free(f.scan);
    regex_scratch_free(f.regex);
    arena_deinit(&arena);
    return list.n;
}

static void what_is_compiled_does_not_change_what_a_policy_finds(void **state)
{
    struct snapshot *all = load(false, false), *used = load(true, false);
    const size_t expected[] = {2, 1};

    (void)state;
    for (size_t p = 0; p < all->n_policies; p++) {
        struct finding a[8], b[8];
        size_t n = find_all(all, &all->policies[p], a);
        assert_int_equal(n, expected[p]);
        assert_int_equal(find_all(used, &used->policies[p], b), n);
        for (size_t i = 0; i < n; i++) {
            assert_int_equal(a[i].from, b[i].from);
            assert_true(span_equal(a[i].rule->id, b[i].rule->id));
        }
    }
    snapshot_unref(all);
    snapshot_unref(used);
}

static void a_policy_over_rules_that_are_not_compiled_is_refused(void **state)
{
    static const char policy[] = "policies:\n  default: {rules: [unused], actions: []}\n";
    struct snapshot *all = load(false, false), *used = load(true, false);
    struct error err = {0};

    (void)state;
    assert_null(snapshot_load(used->rules, "policy.yaml", span_str(policy), &err));
    assert_non_null(strstr(err.text, "'three' is not compiled"));
    struct snapshot *other = snapshot_load(all->rules, "policy.yaml", span_str(policy), &err);
    assert_non_null(other);
    snapshot_unref(other);
    snapshot_unref(all);
    snapshot_unref(used);
}

static bool broken(void *context, const struct rule *rule, bool is_match, size_t index)
{
    size_t *n = context;

    (void)rule, (void)is_match, (void)index;
    ++*n;
    return true;
}

static void examples_of_rules_that_are_not_compiled_are_not_run(void **state)
{
    struct snapshot *all = load(false, false), *used = load(true, false);
    size_t n_broken = 0, n_all = 0, n_used = 0;
    struct error err;

    (void)state;
    assert_true(snapshot_test_examples(all, span_of(NULL, 0), broken, &n_broken, &n_all, &err));
    assert_true(snapshot_test_examples(used, span_of(NULL, 0), broken, &n_broken, &n_used, &err));
    assert_int_equal(n_all, 10);
    assert_int_equal(n_used, 8);
    assert_int_equal(n_broken, 2); /* `two` alone, without its partner, in either */
    snapshot_unref(all);
    snapshot_unref(used);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_rules_of_a_policy_and_their_partners_are_compiled),
        cmocka_unit_test(what_is_compiled_does_not_change_what_a_policy_finds),
        cmocka_unit_test(a_policy_over_rules_that_are_not_compiled_is_refused),
        cmocka_unit_test(examples_of_rules_that_are_not_compiled_are_not_run),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
