#include "testing.h"

#include <stdio.h>

#include "http/litellm_request.h"

enum { TEXT_MAX = 100 };

static struct arena arena;
static struct litellm_request request;
static struct filter_fault fault;

static bool read_body(const char *body)
{
    arena_reset(&arena);
    fault = (struct filter_fault){0};
    return litellm_request_read(&arena, span_str(body), TEXT_MAX, &request, &fault);
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 20, 1 << 24);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static const struct channel *find_channel(const char *path)
{
    for (size_t i = 0; i < request.n_channels; i++) {
        if (span_is(request.channels[i].path, path) && !request.channels[i].is_member_name) {
            return &request.channels[i];
        }
    }
    return NULL;
}

static void texts_come_first_and_in_order(void **state)
{
    (void)state;
    assert_true(read_body("{\"tool_calls\":[\"x\"],\"input_type\":\"response\","
                          "\"texts\":[\"a\\n\",\"\",\"c\"]}"));
    assert_true(request.is_response);
    assert_int_equal(request.n_texts, 3);
    assert_int_equal(request.n_channels, 4);
    assert_true(span_is(request.channels[0].text, "a\n"));
    assert_true(span_is(request.channels[1].path, "/texts/1"));
    assert_true(span_is(request.channels[2].text, "c"));
    assert_true(span_is(request.channels[3].path, "/tool_calls/0"));
    assert_int_equal(request.bytes, 4);
}

static void null_is_absent_and_unknown_members_are_passed_over(void **state)
{
    (void)state;
    assert_true(read_body("{\"input_type\":\"request\",\"texts\":null,\"images\":[\"i\"],"
                          "\"tool_calls\":null,\"structured_messages\":null,\"model\":null,"
                          "\"request_data\":null,\"litellm_call_id\":null,\"later\":{\"a\":1}}"));
    assert_false(request.is_response);
    assert_int_equal(request.n_channels, 0);
    assert_int_equal(request.who.session.len, 0);
}

static void arguments_are_read_as_the_document_they_hold(void **state)
{
    (void)state;
    assert_true(read_body("{\"input_type\":\"response\",\"tool_calls\":["
                          "{\"function\":{\"arguments\":\"{\\\"to\\\":[\\\"a\\\\nb\\\"]}\"}},"
                          "{\"function\":{\"arguments\":\"{\\\"cut\"}},"
                          "{\"function\":{\"arguments\":\"7\"}}]}"));
    assert_null(find_channel("/tool_calls/0/function/arguments"));
    const struct channel *leaf = find_channel("/tool_calls/0/function/arguments/to/0");
    assert_non_null(leaf);
    assert_true(span_is(leaf->text, "a\nb"));
    assert_true(span_is(leaf->key, "to"));
    const struct channel *cut = find_channel("/tool_calls/1/function/arguments");
    assert_non_null(cut);
    assert_true(span_is(cut->text, "{\"cut"));
    assert_non_null(find_channel("/tool_calls/2/function/arguments"));
}

static void messages_are_read_when_there_are_no_texts(void **state)
{
    (void)state;
    assert_true(read_body("{\"input_type\":\"request\",\"texts\":[\"a\"],"
                          "\"structured_messages\":[{\"content\":\"a\"}]}"));
    assert_null(find_channel("/structured_messages/0/content"));
    assert_true(read_body("{\"input_type\":\"request\",\"texts\":[],"
                          "\"structured_messages\":[{\"content\":\"a\"}]}"));
    assert_non_null(find_channel("/structured_messages/0/content"));
    assert_int_equal(request.n_texts, 0);
}

static void messages_are_read_for_what_the_texts_do_not_say(void **state)
{
    (void)state;
    static const char body[] = "{\"input_type\":\"%s\",\"texts\":[\"ab\",\"b\",\"\"],\"structured_messages\":[{\"content\":[{\"text\":\"b\"},{\"text\":\"new\"},"
                               "{\"image_url\":{\"url\":\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAAAAAAAAAAAAAAAAAAAAAA"
                               "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\"}}]}]}";
    char text[sizeof(body) + 8];
    (void)snprintf(text, sizeof(text), body, "request");
    assert_true(read_body(text));
    assert_null(find_channel("/structured_messages/0/content/0/text"));
    assert_non_null(find_channel("/structured_messages/0/content/1/text"));
    assert_null(find_channel("/structured_messages/0/content/2/image_url/url"));
    assert_int_equal(request.n_texts, 3);
    (void)snprintf(text, sizeof(text), body, "response");
    assert_true(read_body(text));
    assert_int_equal(request.n_channels, 3);
}

static void team_key_and_conversation_say_who(void **state)
{
    (void)state;
    assert_true(read_body("{\"input_type\":\"request\",\"litellm_call_id\":\"c\","
                          "\"litellm_trace_id\":\"t\",\"request_data\":{\"user_api_key_alias\":"
                          "\"k\",\"user_api_key_team_alias\":\"b\",\"user_api_key_hash\":1}}"));
    assert_true(span_is(request.who.session, "t"));
    assert_true(span_is(request.who.app, "k"));
    assert_true(span_is(request.who.tenant, "b"));
    assert_true(read_body("{\"input_type\":\"request\",\"litellm_call_id\":\"c\"}"));
    assert_true(span_is(request.who.session, "c"));
}

static void faults_have_a_status_and_a_place(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned status;
        const char *pointer;
    } cases[] = {
        {"", 400, ""},
        {"[]", 422, ""},
        {"{}", 422, "/input_type"},
        {"{\"input_type\":null}", 422, "/input_type"},
        {"{\"input_type\":\"other\"}", 422, "/input_type"},
        {"{\"input_type\":\"request\",\"texts\":{}}", 422, "/texts"},
        {"{\"input_type\":\"request\",\"texts\":[\"a\",null]}", 422, "/texts"},
        {"{\"input_type\":\"request\",\"tool_calls\":\"a\"}", 422, "/tool_calls"},
        {"{\"input_type\":\"request\",\"structured_messages\":1}", 422, "/structured_messages"},
        {"{\"input_type\":\"request\",\"request_data\":1}", 422, "/request_data"},
        {"{\"input_type\":\"request\",\"litellm_call_id\":[]}", 422, ""},
        {"{\"input_type\":\"request\",\"texts\":[],\"texts\":[]}", 400, "/texts"},
        {"{\"input_type\":\"request\",\"texts\":[\"0123456789012345678901234567890123456789"
         "0123456789012345678901234567890123456789012345678901234567890123456789\"]}",
         413, ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(read_body(cases[i].body));
        assert_int_equal(fault.status, cases[i].status);
        assert_string_equal(fault.pointer, cases[i].pointer);
        assert_true(fault.detail[0] != '\0');
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(texts_come_first_and_in_order),
        cmocka_unit_test(null_is_absent_and_unknown_members_are_passed_over),
        cmocka_unit_test(arguments_are_read_as_the_document_they_hold),
        cmocka_unit_test(messages_are_read_when_there_are_no_texts),
        cmocka_unit_test(messages_are_read_for_what_the_texts_do_not_say),
        cmocka_unit_test(team_key_and_conversation_say_who),
        cmocka_unit_test(faults_have_a_status_and_a_place),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
