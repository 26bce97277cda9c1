#include "testing.h"

#include <jansson.h>

#include "http/filter_answer.h"
#include "support/judge.h"

static const char rules[] =
    "rules:\n" TEST_RULE("key-x", "secret", "high", "0.9", "pattern: 'KEY-[0-9]{8}'")
        TEST_RULE("bomb-x", "injection", "critical", "0.9", "pattern: 'BOMB[0-9]{4}'");
static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [key-x, bomb-x]\n"
                             "    notice: withheld\n"
                             "    actions:\n"
                             "      - {category: secret, action: redact}\n"
                             "      - {category: injection, action: block}\n";

static struct judge judge;
static struct buf out;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    buf_init(&out, 1 << 20);
    if (!judge_init(&judge, rules, policy, false)) {
        print_error("%s\n", judge.err.text);
        return -1;
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&out);
    judge_deinit(&judge);
    return 0;
}

/* The answer to a body, parsed by jansson; the caller gives it back. */
static json_t *answer(const char *body)
{
    struct arena *a = worker_begin(judge.worker);
    struct filter_request q;
    struct filter_fault fault;

    assert_true(filter_request_read(a, span_str(body), 1 << 20, &q, &fault));
    judge.x.channels = q.channels;
    judge.x.n_channels = q.n_channels;
    judge.x.snapshot = judge.snapshot;
    judge.x.policy = snapshot_policy(judge.snapshot, (struct span){0}, (struct span){0});
    pipeline_judge(judge.worker, &judge.x);
    buf_clear(&out);
    assert_true(filter_answer_write(&q, &judge.x, 5000, a, &out, &err));
    json_t *json = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

static const char *text_of(json_t *json, const char *name)
{
    return json_string_value(json_object_get(json, name));
}

static void an_answer_says_what_was_found_and_where(void **state)
{
    (void)state;
    json_t *json = answer("{\"text\":\"é KEY-12345678\"}");
    json_t *finding = json_array_get(json_object_get(json, "findings"), 0);

    assert_string_equal(text_of(json, "action"), "redact");
    assert_string_equal(text_of(json, "rule"), "key-x");
    assert_string_equal(text_of(json, "text"), "é [key-x]");
    assert_int_equal(json_integer_value(json_object_get(json, "elapsed_us")), 5);
    json_t *bytes = json_object_get(finding, "bytes");
    json_t *chars = json_object_get(finding, "chars");
    assert_int_equal(json_integer_value(json_array_get(bytes, 0)), 3);
    assert_int_equal(json_integer_value(json_array_get(chars, 0)), 2);
    assert_int_equal(json_integer_value(json_array_get(chars, 1)), 14);
    json_decref(json);
}

static void a_block_carries_the_notice_and_no_text(void **state)
{
    (void)state;
    json_t *json = answer("{\"text\":\"BOMB1234 tick\"}");

    assert_string_equal(text_of(json, "action"), "block");
    assert_true(json_is_null(json_object_get(json, "text")));
    assert_string_equal(text_of(json, "notice"), "withheld");
    assert_null(memmem(out.data, out.len, "tick", 4));
    json_decref(json);
}

static void a_secret_in_a_name_is_not_in_any_path(void **state)
{
    (void)state;
    json_t *json = answer("{\"document\":{\"KEY-12345678\":{\"a\":[\"KEY-12345678\"]}}}");

    assert_string_equal(text_of(json, "action"), "block");
    assert_null(memmem(out.data, out.len, "12345678", 8));
    assert_non_null(memmem(out.data, out.len, "\"/[name]/[name]/0\"", 18));
    json_decref(json);
}

static void what_could_not_be_judged_is_listed_without_names(void **state)
{
    (void)state;
    struct arena *a = worker_begin(judge.worker);
    struct filter_request q;
    struct filter_fault fault;

    assert_true(filter_request_read(a, span_str("{\"document\":{\"name\":\"value\"}}"), 1 << 20, &q,
                                    &fault));
    judge.x.channels = q.channels;
    judge.x.n_channels = q.n_channels;
    pipeline_judge(judge.worker, &judge.x);
    exchange_fail(&judge.x, "limit reached");
    buf_clear(&out);
    assert_true(filter_answer_write(&q, &judge.x, 0, a, &out, &err));
    assert_non_null(memmem(out.data, out.len, "filterd.unjudged", 16));
    assert_non_null(memmem(out.data, out.len, "\"reason\":\"limit reached\"", 24));
    assert_null(memmem(out.data, out.len, "/name", 5));
    assert_null(memmem(out.data, out.len, "value", 5));
}

static void an_answer_that_does_not_fit_fails(void **state)
{
    (void)state;
    struct buf small;
    struct filter_request q;
    struct filter_fault fault;
    struct arena *a = worker_begin(judge.worker);

    assert_true(filter_request_read(a, span_str("{\"text\":\"KEY-12345678\"}"), 100, &q, &fault));
    judge.x.channels = q.channels;
    judge.x.n_channels = 1;
    pipeline_judge(judge.worker, &judge.x);
    for (size_t max = 1; max < 512; max++) {
        buf_init(&small, max);
        bool fits = filter_answer_write(&q, &judge.x, 0, a, &small, &err);
        assert_true(!fits || small.len <= max);
        buf_deinit(&small);
    }
}

static void a_failed_verdict_blocks_whatever_it_was(void **state)
{
    (void)state;
    struct filter_outcome o = {.kind = FILTER_MESSAGES, .action = ACTION_ALLOW, .bytes = 7};

    o.policy = snapshot_policy(judge.snapshot, (struct span){0}, (struct span){0});
    filter_outcome_fail(&o);
    buf_clear(&out);
    assert_true(filter_answer_failed(&o, "no reason", &out, &err));
    json_t *json = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    assert_string_equal(text_of(json, "action"), "block");
    assert_string_equal(text_of(json, "rule"), "filterd.unjudged");
    assert_true(json_is_null(json_object_get(json, "messages")));
    assert_string_equal(text_of(json, "notice"), "withheld");
    json_decref(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_answer_says_what_was_found_and_where),
        cmocka_unit_test(a_block_carries_the_notice_and_no_text),
        cmocka_unit_test(a_secret_in_a_name_is_not_in_any_path),
        cmocka_unit_test(what_could_not_be_judged_is_listed_without_names),
        cmocka_unit_test(an_answer_that_does_not_fit_fails),
        cmocka_unit_test(a_failed_verdict_blocks_whatever_it_was),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
