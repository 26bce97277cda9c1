/* Which event it is, and that two readers cannot take it for different ones. */
#include "websocket/event.h"

#include "testing.h"

static struct error err;

static void the_use_of_an_event_follows_from_its_type_and_response(void **state)
{
    (void)state;
    static const struct {
        enum event_api api;
        const char *json, *response;
        enum event_use use;
    } rows[] = {
        {EVENT_RESPONSES, "{\"type\":\"response.created\",\"response\":{\"id\":\"r\"}}", "", EVENT_BEGINS},
        {EVENT_RESPONSES, "{\"type\":\"response.output_text.delta\",\"delta\":\"x\"}", "", EVENT_GOES_ON},
        {EVENT_RESPONSES, "{\"type\":\"response.completed\"}", "", EVENT_ENDS},
        {EVENT_RESPONSES, "{\"type\":\"response.incomplete\"}", "", EVENT_ENDS},
        {EVENT_RESPONSES, "{\"type\":\"response.failed\"}", "", EVENT_ENDS},
        {EVENT_RESPONSES, "{\"type\":\"error\"}", "", EVENT_ENDS},
        {EVENT_RESPONSES, "{\"type\":\"of.tomorrow\"}", "", EVENT_GOES_ON},
        {EVENT_REALTIME, "{\"response\":{\"x\":{\"id\":\"no\"},\"id\":\"r\"},\"type\":\"response.created\"}", "r", EVENT_BEGINS},
        {EVENT_REALTIME, "{\"type\":\"response.text.delta\",\"response_id\":\"r\"}", "r", EVENT_GOES_ON},
        {EVENT_REALTIME, "{\"type\":\"response.done\",\"response\":{\"id\":\"r\"}}", "r", EVENT_ENDS},
        {EVENT_REALTIME, "{\"type\":\"of.tomorrow\",\"response_id\":\"r\"}", "r", EVENT_GOES_ON},
        {EVENT_REALTIME, "{\"type\":\"session.created\"}", "", EVENT_ALONE},
        {EVENT_REALTIME, "{\"type\":\"error\"}", "", EVENT_ALONE},
        {EVENT_REALTIME, "{\"type\":\"of.tomorrow\"}", "", EVENT_ALONE},
        {EVENT_REALTIME, "{\"type\":\"conversation.item.input_audio_transcription.delta\"}", "", EVENT_DROPPED},
        {EVENT_REALTIME, "{\"type\":\"conversation.item.input_audio_transcription.segment\"}", "", EVENT_DROPPED},
    };
    struct event e;

    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_true(event_read(rows[i].api, span_str(rows[i].json), &e, &err));
        assert_int_equal(rows[i].use, e.use);
        assert_true(span_is(e.response, rows[i].response));
    }
}

static void what_readers_could_read_differently_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "null", "[]", "\"response.created\"", "{}", "{\"type\":1}", "{\"type\":\"\"}", "{\"type\":\"a\"", "{\"type\":\"a\"}{}",
        "{\"type\":\"a\",\"type\":\"b\"}", "{\"t\\u0079pe\":\"a\"}", "{\"type\":\"a\",\"t\\u0079pe\":\"b\"}",
        "{\"type\":\"response\\u002ecreated\"}", "{\"type\":\"a\",\"response_id\":1}",
        "{\"type\":\"a\",\"response_id\":\"x\",\"response_id\":\"y\"}", "{\"type\":\"a\",\"response_id\":\"\\u0072\"}",
        "{\"type\":\"a\",\"response\":{\"id\":7}}", "{\"type\":\"a\",\"response\":{\"id\":\"x\",\"id\":\"y\"}}",
        "{\"type\":\"a\",\"response\":{}}",
    };
    struct event e;

    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(event_read(EVENT_REALTIME, span_str(texts[i]), &e, &err));
        assert_int_equal(EVENT_UNKNOWN, e.use);
    }
}

static void a_response_that_a_client_asks_for_has_no_id(void **state)
{
    (void)state;
    struct span type;

    assert_true(event_type(span_str("{\"type\":\"response.create\",\"response\":{\"instructions\":\"Say hello.\"}}"), &type, &err));
    assert_true(span_is(type, "response.create"));
    assert_false(event_type(span_str("{\"type\":\"a\",\"type\":\"b\"}"), &type, &err));
    assert_false(event_type(span_str("{\"type\":\"\"}"), &type, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_use_of_an_event_follows_from_its_type_and_response),
        cmocka_unit_test(what_readers_could_read_differently_is_refused),
        cmocka_unit_test(a_response_that_a_client_asks_for_has_no_id),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
