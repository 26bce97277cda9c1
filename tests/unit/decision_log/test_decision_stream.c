#include "unit/decision_log/decision_format_testing.h"

#include "policy/supervisor.h"

static struct decision_stream stream = {
    .phase = "final",
    .end = "blocked",
    .protocol = "openai",
    .upstream = {"ai", 2},
    .bytes_from = 1000,
    .bytes_to = 900,
    .hold_max = 43,
};

static const json_t *format_it(struct fixture *f, const struct decision_stream *s)
{
    struct error err;

    buf_init(&f->line, DECISION_RECORD_MAX);
    assert_true(decision_format_stream(&f->exchange, s, &keys, 7000, &f->line, &err));
    assert_line(buf_span(&f->line));
    f->record = json_loadb(f->line.data, f->line.len, 0, NULL);
    assert_non_null(f->record);
    return f->record;
}

static void a_streams_last_record_says_how_it_ended_and_what_went_out(void **state)
{
    struct fixture f;

    (void)state;
    start(&f);
    struct channel *c = add_channel(&f, "/choices/0/delta/content", "some text");
    /* A stream's texts are not kept: lengths stand without bytes. */
    c->text = span_of(NULL, 20);
    c->output = span_of(NULL, 12);
    f.exchange.action = ACTION_BLOCK;
    f.exchange.rule = f.rule.id;
    const json_t *r = format_it(&f, &stream);
    assert_string_equal(text_at(r, "phase"), "final");
    assert_string_equal(text_at(r, "end"), "blocked");
    assert_string_equal(text_at(r, "protocol"), "openai");
    assert_string_equal(text_at(r, "upstream"), "ai");
    assert_string_equal(text_at(r, "action"), "block");
    assert_int_equal(json_integer_value(json_object_get(r, "from_upstream_bytes")), 1000);
    assert_int_equal(json_integer_value(json_object_get(r, "to_client_bytes")), 900);
    assert_int_equal(json_integer_value(json_object_get(r, "hold_max_bytes")), 43);
    assert_int_equal(json_integer_value(json_object_get(r, "in_bytes")), 20);
    assert_int_equal(json_integer_value(json_object_get(r, "out_bytes")), 12);
    assert_null(json_object_get(r, "input_tok"));
    end(&f);
}

static void a_stream_says_what_took_no_part(void **state)
{
    struct fixture f;

    (void)state;
    start(&f);
    assert_null(json_object_get(format_it(&f, &stream), "without"));
    end(&f);
    start(&f);
    f.exchange.is_unclassified = true;
    assert_string_equal(text_at(format_it(&f, &stream), "without"), "classifiers");
    end(&f);
}

static void each_question_about_a_part_is_on_record(void **state)
{
    static const struct supervision result = {.outcome = SUPERVISION_TIMEOUT};
    static const struct supervision_unit units[] = {
        {.channel = 1, .from = 3, .to = 9, .outcome = SUPERVISION_ANSWERED, .confidence = 0.5, .latency_ns = 4000},
        {.channel = SUPERVISION_BESIDE, .outcome = SUPERVISION_ANSWERED, .is_violation = true, .category = SUPERVISOR_HATE},
        {.channel = 0, .from = 7, .is_rest = true, .outcome = SUPERVISION_TIMEOUT, .is_cached = true},
    };
    struct fixture f;

    (void)state;
    start(&f);
    f.exchange.supervision = &result;
    f.exchange.units = units;
    f.exchange.n_units = COUNT(units);
    const json_t *list = json_object_get(json_object_get(format_it(&f, &stream), "supervisor"), "units");
    assert_int_equal(json_array_size(list), 3);
    const json_t *one = json_array_get(list, 0), *two = json_array_get(list, 1), *three = json_array_get(list, 2);
    assert_int_equal(json_integer_value(json_object_get(one, "channel")), 1);
    assert_int_equal(json_integer_value(json_object_get(one, "start")), 3);
    assert_int_equal(json_integer_value(json_object_get(one, "end")), 9);
    assert_string_equal(text_at(one, "verdict"), "ok");
    assert_int_equal(json_integer_value(json_object_get(one, "latency_us")), 4);
    assert_null(json_object_get(one, "rest"));
    assert_true(json_is_true(json_object_get(two, "beside")));
    assert_null(json_object_get(two, "channel"));
    assert_string_equal(text_at(two, "category"), "hate");
    assert_true(json_is_true(json_object_get(three, "rest")));
    assert_null(json_object_get(three, "end"));
    assert_string_equal(text_at(three, "outcome"), "timeout");
    assert_null(json_object_get(three, "verdict"));
    assert_true(json_is_true(json_object_get(three, "cached")));
    end(&f);
}

static void as_many_questions_as_there_can_be_fit(void **state)
{
    static const struct supervision result = {.outcome = SUPERVISION_ANSWERED};
    static struct supervision_unit units[SUPERVISOR_QUESTIONS_MAX];
    struct fixture f;

    (void)state;
    for (size_t i = 0; i < COUNT(units); i++) {
        units[i] = (struct supervision_unit){.channel = UINT32_MAX - 1,
                                             .from = SIZE_MAX / 2,
                                             .to = SIZE_MAX / 2,
                                             .outcome = SUPERVISION_ANSWERED,
                                             .is_violation = true,
                                             .category = SUPERVISOR_SELF_HARM,
                                             .confidence = 0.123456789,
                                             .latency_ns = INT64_MAX,
                                             .is_cached = true};
    }
    start(&f);
    for (int i = 0; i < 64; i++) {
        add_channel(&f, "/a", "text");
    }
    for (int i = 0; i < 64; i++) {
        (void)add_finding(&f, 0, 1, 2);
    }
    f.exchange.supervision = &result;
    f.exchange.units = units;
    f.exchange.n_units = COUNT(units);
    const json_t *r = format_it(&f, &stream);
    assert_int_equal(json_array_size(json_object_get(json_object_get(r, "supervisor"), "units")), COUNT(units));
    assert_int_equal(json_array_size(json_object_get(r, "channels")), 64);
    end(&f);
}

static void a_finding_without_bytes_has_a_place_and_no_token(void **state)
{
    struct fixture f;

    (void)state;
    start(&f);
    struct channel *c = add_channel(&f, "/choices/0/delta/content", "some text");
    (void)add_finding(&f, 0, 1, 5);
    f.findings[0].value = (struct span){0};
    c->text = c->output = span_of(NULL, 20);
    const json_t *finding = json_array_get(json_object_get(format_it(&f, &stream), "findings"), 0);
    assert_int_equal(json_integer_value(json_object_get(finding, "start")), 1);
    assert_null(json_object_get(finding, "value_tok"));
    end(&f);
}

static void an_open_record_has_no_verdict_yet(void **state)
{
    const struct decision_stream open = {
        .phase = "open", .protocol = "openai", .upstream = text_of("ai")};
    struct fixture f;

    (void)state;
    start(&f);
    const json_t *r = format_it(&f, &open);
    assert_string_equal(text_at(r, "phase"), "open");
    assert_non_null(text_at(r, "req_id"));
    assert_null(json_object_get(r, "action"));
    assert_null(json_object_get(r, "end"));
    assert_null(json_object_get(r, "channels"));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_streams_last_record_says_how_it_ended_and_what_went_out),
        cmocka_unit_test(a_stream_says_what_took_no_part),
        cmocka_unit_test(each_question_about_a_part_is_on_record),
        cmocka_unit_test(as_many_questions_as_there_can_be_fit),
        cmocka_unit_test(a_finding_without_bytes_has_a_place_and_no_token),
        cmocka_unit_test(an_open_record_has_no_verdict_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
