#include "testing.h"

#include <jansson.h>

#include "ctl/replay/replay_sum.h"

static struct replay_verdict verdict(enum action action, const char *rule)
{
    struct replay_verdict v = {.action = action};

    (void)snprintf(v.rule, sizeof(v.rule), "%s", rule);
    return v;
}

static void add(struct replay_sum *s, uint64_t seq, struct replay_verdict before, struct replay_verdict after)
{
    const struct replay_change c = {seq, before, after};
    struct error err;

    assert_true(replay_sum_add(s, &c, &err));
}

static json_t *as_json(const struct replay_sum *s)
{
    const struct replay_head head = {"new\n\"policy\".yaml", span_str("sha256:00")};
    struct buf out;
    struct error err;

    buf_init(&out, 1 << 24);
    assert_true(replay_append_json(&out, &head, s, &err));
    json_t *json = json_loadb(out.data, out.len, 0, NULL);
    buf_deinit(&out);
    assert_non_null(json);
    return json;
}

static json_int_t number(const json_t *json, const char *name)
{
    const json_t *value = json_object_get(json, name);

    assert_true(json_is_integer(value));
    return json_integer_value(value);
}

static void a_change_is_another_action_or_another_rule(void **state)
{
    struct replay_verdict a = verdict(ACTION_BLOCK, "iban"), b = verdict(ACTION_BLOCK, "iban");
    struct replay_verdict c = verdict(ACTION_REDACT, "iban"), d = verdict(ACTION_BLOCK, "card");

    (void)state;
    assert_false(replay_is_change(&a, &b));
    assert_true(replay_is_change(&a, &c));
    assert_true(replay_is_change(&a, &d));
}

static void sums_and_changes_are_in_the_json(void **state)
{
    struct replay_sum s = {0};

    (void)state;
    add(&s, 3, verdict(ACTION_BLOCK, "iban"), verdict(ACTION_ALLOW, ""));
    add(&s, 4, verdict(ACTION_BLOCK, "iban"), verdict(ACTION_BLOCK, "iban"));
    add(&s, 7, verdict(ACTION_ALLOW, ""), verdict(ACTION_REDACT, "card"));
    s.skipped[REPLAY_ERASED] = 2;
    s.n_by_policy = 1;
    json_t *json = as_json(&s);
    assert_int_equal(number(json, "judged"), 3);
    assert_int_equal(number(json, "changed"), 2);
    assert_int_equal(number(json, "by_policy"), 1);
    assert_int_equal(number(json, "by_record"), 2);
    assert_int_equal(number(json_object_get(json, "skipped"), "erased"), 2);
    assert_int_equal(json_array_size(json_object_get(json, "moves")), 2);
    const json_t *changes = json_object_get(json, "changes");
    assert_int_equal(json_array_size(changes), 2);
    assert_int_equal(number(json_array_get(changes, 0), "seq"), 3);
    assert_int_equal(number(json_array_get(changes, 1), "seq"), 7);
    const json_t *iban = json_array_get(json_object_get(json, "rules"), 0);
    assert_string_equal(json_string_value(json_object_get(iban, "rule")), "iban");
    assert_int_equal(number(iban, "before"), 2);
    assert_int_equal(number(iban, "after"), 1);
    json_decref(json);
    replay_sum_deinit(&s);
}

static void changes_beyond_the_list_are_counted(void **state)
{
    struct replay_sum s = {0};

    (void)state;
    for (uint64_t i = 1; i <= REPLAY_CHANGES_MAX + 5; i++) {
        add(&s, i, verdict(ACTION_ALLOW, ""), verdict(ACTION_BLOCK, "iban"));
    }
    json_t *json = as_json(&s);
    assert_int_equal(number(json, "changed"), REPLAY_CHANGES_MAX + 5);
    assert_int_equal(number(json, "changes_more"), 5);
    assert_int_equal(json_array_size(json_object_get(json, "changes")), REPLAY_CHANGES_MAX);
    json_decref(json);
    replay_sum_deinit(&s);
}

static void the_text_names_each_way_of_change_once(void **state)
{
    struct replay_sum s = {0};
    struct buf out;
    struct error err;

    (void)state;
    add(&s, 1, verdict(ACTION_BLOCK, "iban"), verdict(ACTION_ALLOW, ""));
    add(&s, 2, verdict(ACTION_BLOCK, "iban"), verdict(ACTION_ALLOW, ""));
    s.skipped[REPLAY_REMOVED] = 1;
    buf_init(&out, 4096);
    assert_true(replay_append_text(&out, &s, &err) && buf_append_char(&out, '\0', &err));
    assert_string_equal(out.data, "2 exchanges judged again, 2 verdicts change\n"
                                  "  block -> allow: 2\n"
                                  "  iban decides 0, before 2\n"
                                  "compared with the policy in force: 0, with the verdict on record: 2\n"
                                  "passed over, not there any more: 1\n");
    buf_clear(&out);
    assert_true(replay_append_change(&out, &s.changes[0], &err) && buf_append_char(&out, '\0', &err));
    assert_string_equal(out.data, "1: block (iban) -> allow");
    buf_deinit(&out);
    replay_sum_deinit(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_is_another_action_or_another_rule),
        cmocka_unit_test(sums_and_changes_are_in_the_json),
        cmocka_unit_test(changes_beyond_the_list_are_counted),
        cmocka_unit_test(the_text_names_each_way_of_change_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
