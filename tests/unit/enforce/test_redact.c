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

static void a_channel_takes_its_own_findings_alone(void **state)
{
    enum { N_CHANNELS = 1000 };
    static struct channel channels[N_CHANNELS];
    static struct finding findings[N_CHANNELS];
    const struct rule rule = {.id = span_str("r"), .category = CATEGORY_SECRET};
    struct exchange x = {.channels = channels, .n_channels = N_CHANNELS, .findings = findings};
    struct redacted_places places;
    struct arena arena;
    struct error err;

    (void)state;
    arena_init(&arena, 0, SIZE_MAX / 2);
    for (size_t i = 0; i < N_CHANNELS; i++) {
        channels[i].text = span_str("a value.");
        if (i % 5 != 0) {
            findings[x.n_findings++] =
                (struct finding){.channel = (uint32_t)i, .rule = &rule, .from = 2, .to = 7, .action = ACTION_REDACT};
        }
    }
    for (size_t i = 0; i < N_CHANNELS; i++) {
        assert_true(redact_channel(&arena, &x, (uint32_t)i, NULL, &places, &err));
        assert_text(channels[i].output, i % 5 != 0 ? "a [r]." : "a value.");
    }
    arena_deinit(&arena);
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
        cmocka_unit_test(a_channel_takes_its_own_findings_alone),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
