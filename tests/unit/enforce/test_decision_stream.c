#include "unit/enforce/decision_format_testing.h"

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
        cmocka_unit_test(a_finding_without_bytes_has_a_place_and_no_token),
        cmocka_unit_test(an_open_record_has_no_verdict_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
