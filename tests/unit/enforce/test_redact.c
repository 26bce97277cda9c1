#include <stdlib.h>
#include <time.h>

#include "testing.h"

#include "support/judge.h"

static const char rules[] =
    "rules:\n" TEST_RULE("alpha", "secret", "high", "0.9", "pattern: 'aa-[0-9]{4}(?:-bb-[0-9]{4})?'")
        TEST_RULE("beta", "secret", "critical", "0.9", "pattern: 'bb-[0-9]{4}-cc', boundary: none")
            TEST_RULE("last", "secret", "high", "0.9", "pattern: '^db:(?<secret>[^ :]{4,80})$', boundary: none");

static struct judge j;

static void use(const char *with)
{
    char policy[300];

    judge_deinit(&j);
    (void)snprintf(policy, sizeof(policy), "policies:\n  default: {rules: [local], actions: [{action: redact%s%s}]}\n",
                   with != NULL ? ", with: " : "", with != NULL ? with : "");
    if (!judge_init(&j, rules, policy, false)) {
        fail_msg("%s", j.err.text);
    }
}

static int set_up(void **state)
{
    (void)state;
    memset(&j, 0, sizeof(j));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&j);
    return 0;
}

static void assert_text(struct span text, const char *expected)
{
    if (!span_is(text, expected)) {
        fail_msg("got %.*s", (int)text.len, text.ptr);
    }
}

static void a_label_stands_for_the_text(void **state)
{
    (void)state;
    use(NULL);
    assert_text(judge_text(&j, span_str("x aa-1234 y")), "x [alpha] y");
    assert_text(judge_text(&j, span_str("aa-1234")), "[alpha]");
    assert_text(judge_text(&j, span_str("aa-1234 aa-5678")), "[alpha] [alpha]");
}

static void overlaps_merge_under_the_most_severe(void **state)
{
    (void)state;
    use(NULL);
    assert_text(judge_text(&j, span_str("x aa-1234-bb-5678-cc y")), "x [beta] y");
}

static void a_mask_keeps_the_last_characters(void **state)
{
    (void)state;
    use("{mask: {keep_last: 2}}");
    assert_text(judge_text(&j, span_str("x aa-1234 y")), "x *****34 y");
}

static void a_mask_keeps_nothing_of_a_merged_place(void **state)
{
    (void)state;
    use("{mask: {keep_last: 2}}");
    assert_text(judge_text(&j, span_str("aa-1234-bb-5678-cc")), "******************");
}

static void remove_deletes_and_replace_writes_its_text(void **state)
{
    (void)state;
    use("remove");
    assert_text(judge_text(&j, span_str("x aa-1234 y")), "x  y");
    use("{replace: 'gone'}");
    assert_text(judge_text(&j, span_str("x aa-1234 y")), "x gone y");
}

static void a_hash_is_a_stable_pseudonym(void **state)
{
    char first[100];

    (void)state;
    use("hash");
    struct span out = judge_text(&j, span_str("aa-1234"));
    assert_int_equal(out.len, strlen("[alpha:hash:0123456789abcdef]"));
    memcpy(first, out.ptr, out.len);
    out = judge_text(&j, span_str("aa-1234"));
    assert_memory_equal(first, out.ptr, out.len);
    out = judge_text(&j, span_str("aa-1235"));
    assert_memory_not_equal(first, out.ptr, out.len);
}

static void encryption_is_undone_by_the_key_holder_alone(void **state)
{
    struct redaction_keys other;
    struct span token, clear;
    struct error err;

    (void)state;
    use("encrypt");
    struct span out = judge_text(&j, span_str("aa-1234"));
    const size_t head = strlen("[alpha:enc:");
    assert_true(out.len > head + 1);
    token = span_slice(out, head, out.len - 1);
    assert_true(redact_decrypt(worker_arena(j.worker), &j.keys, token, &clear, &err));
    assert_true(span_is(clear, "aa-1234"));
    memset(&other, 8, sizeof(other));
    assert_false(redact_decrypt(worker_arena(j.worker), &other, token, &clear, &err));
}

static void redacting_again_changes_nothing(void **state)
{
    static const char *const operators[] = {NULL, "{mask: {keep_last: 2}}", "hash", "remove", "{replace: '#'}", "encrypt"};
    char once[400];

    (void)state;
    for (size_t i = 0; i < COUNT(operators); i++) {
        use(operators[i]);
        struct span out = judge_text(&j, span_str("x aa-1234 aa-1234-bb-5678-cc y"));
        memcpy(once, out.ptr, out.len);
        struct span twice = judge_text(&j, span_of(once, out.len));
        assert_int_equal(twice.len, out.len);
        assert_memory_equal(twice.ptr, once, twice.len);
        assert_int_equal(j.x.action, ACTION_ALLOW);
    }
}

/* A rule may take its own label for another value. */
static void a_label_that_reads_as_what_it_stands_for_settles(void **state)
{
    (void)state;
    use(NULL);
    assert_text(judge_text(&j, span_str("db:VrUYzjiN")), "db:[last]");
    assert_int_equal(j.x.action, ACTION_REDACT);
    assert_int_equal(j.x.n_findings, 1);
    assert_text(judge_text(&j, span_str("db:[last]")), "db:[last]");
}

static void a_member_name_cannot_be_redacted_and_blocks(void **state)
{
    (void)state;
    use(NULL);
    j.channel.is_member_name = true;
    judge_text(&j, span_str("aa-1234"));
    assert_int_equal(j.x.action, ACTION_BLOCK);
    j.channel.is_member_name = false;
}

static void a_key_is_context_and_never_part_of_the_text(void **state)
{
    (void)state;
    use(NULL);
    j.channel.key = span_str("aa-1234 aa-1");
    assert_text(judge_text(&j, span_str("plain aa-1234")), "plain [alpha]");
    assert_int_equal(j.x.n_findings, 1);
    assert_int_equal(j.x.findings[0].from, 6);
    j.channel.key = (struct span){0};
}

/* --- many channels -------------------------------------------------------------- */

/* Of channels with a finding each, but for every fifth; processor time of this thread in microseconds. */
static uint64_t redact_all(size_t n)
{
    const struct rule rule = {.id = span_str("r"), .category = CATEGORY_SECRET};
    struct exchange x = {.n_channels = n};
    struct redacted_places places;
    struct timespec from, to;
    struct arena arena;
    struct error err;

    arena_init(&arena, 0, SIZE_MAX / 2);
    struct finding *findings = calloc(n, sizeof(*findings));
    x.channels = calloc(n, sizeof(*x.channels));
    assert_true(findings != NULL && x.channels != NULL);
    for (size_t i = 0; i < n; i++) {
        x.channels[i].text = span_str("a value.");
        if (i % 5 != 0) {
            findings[x.n_findings++] =
                (struct finding){.channel = (uint32_t)i, .rule = &rule, .from = 2, .to = 7, .action = ACTION_REDACT};
        }
    }
    x.findings = findings;
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    for (size_t i = 0; i < n; i++) {
        assert_true(redact_channel(&arena, &x, (uint32_t)i, NULL, &places, &err));
    }
    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
    for (size_t i = 0; i < n; i++) {
        assert_text(x.channels[i].output, i % 5 != 0 ? "a [r]." : "a value.");
    }
    free(x.channels);
    free(findings);
    arena_deinit(&arena);
    return (uint64_t)(to.tv_sec - from.tv_sec) * 1000000 + (uint64_t)(to.tv_nsec / 1000) - (uint64_t)(from.tv_nsec / 1000);
}

/* A request may have a finding in each of many thousand texts: ten times as many must not cost a hundred times as much. */
static void the_cost_of_a_channel_is_not_that_of_all(void **state)
{
    (void)state;
    uint64_t few = redact_all(4000), many = redact_all(40000);

    if (many > 30 * few + 30000) {
        fail_msg("4,000 channels %ju us, 40,000 %ju us", (uintmax_t)few, (uintmax_t)many);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_stands_for_the_text),
        cmocka_unit_test(overlaps_merge_under_the_most_severe),
        cmocka_unit_test(a_mask_keeps_the_last_characters),
        cmocka_unit_test(a_mask_keeps_nothing_of_a_merged_place),
        cmocka_unit_test(remove_deletes_and_replace_writes_its_text),
        cmocka_unit_test(a_hash_is_a_stable_pseudonym),
        cmocka_unit_test(encryption_is_undone_by_the_key_holder_alone),
        cmocka_unit_test(redacting_again_changes_nothing),
        cmocka_unit_test(a_label_that_reads_as_what_it_stands_for_settles),
        cmocka_unit_test(a_member_name_cannot_be_redacted_and_blocks),
        cmocka_unit_test(a_key_is_context_and_never_part_of_the_text),
        cmocka_unit_test(the_cost_of_a_channel_is_not_that_of_all),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
