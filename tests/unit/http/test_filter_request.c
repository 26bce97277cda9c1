#include "testing.h"

#include <stdio.h>

#include "http/filter_request.h"

enum { TEXT_MAX = 100 };

static struct arena arena;
static struct filter_request request;
static struct filter_fault fault;

static bool read_body(const char *body)
{
    arena_reset(&arena);
    fault = (struct filter_fault){0};
    return filter_request_read(&arena, span_str(body), TEXT_MAX, &request, &fault);
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

static void all_members_are_read(void **state)
{
    (void)state;
    assert_true(read_body("{\"text\":\"a\\nb\",\"policy\":\"p\",\"tenant\":\"t\",\"app\":\"w\","
                          "\"agent\":\"g\\u0031\",\"session\":\"s\",\"explain\":true}"));
    assert_int_equal(request.kind, FILTER_TEXT);
    assert_true(span_is(request.channels[0].text, "a\nb"));
    assert_true(span_is(request.policy, "p"));
    assert_true(span_is(request.who.tenant, "t"));
    assert_true(span_is(request.who.app, "w"));
    assert_true(span_is(request.who.agent, "g1"));
    assert_true(span_is(request.who.session, "s"));
    assert_true(request.explain);
    assert_int_equal(request.bytes, 3);
}

static void only_the_content_is_required(void **state)
{
    (void)state;
    assert_true(read_body(" {\"text\":\"\"} "));
    assert_int_equal(request.n_channels, 1);
    assert_false(request.explain);
    assert_int_equal(request.who.agent.len, 0);
    assert_true(read_body("{\"messages\":[]}"));
    assert_int_equal(request.n_channels, 0);
    assert_true(read_body("{\"document\":null}"));
    assert_int_equal(request.kind, FILTER_DOCUMENT);
}

static void paths_stand_in_the_exchange(void **state)
{
    (void)state;
    assert_true(read_body("{\"messages\":[{\"content\":\"x\"}]}"));
    bool has_path = false;
    for (size_t i = 0; i < request.n_channels; i++) {
        has_path |=
            span_is(request.channels[i].path, "/0/content") && !request.channels[i].is_member_name;
    }
    assert_true(has_path);
}

static void faults_have_status_and_pointer(void **state)
{
    (void)state;
    static const struct {
        const char *body;
        unsigned status;
        const char *pointer;
    } cases[] = {
        {"", 400, ""},
        {"{", 400, ""},
        {"{\"text\":\"a\"}{}", 400, ""},
        {"{\"text\":\"\xff\"}", 400, ""},
        {"{\"text\":\"a\",\"text\":\"a\"}", 400, "/text"},
        {"{\"agent\":\"a\",\"text\":\"a\",\"agent\":\"a\"}", 400, "/agent"},
        {"{\"te\\u0078t\":\"a\",\"text\":\"a\"}", 400, "/text"},
        {"7", 422, ""},
        {"{}", 422, ""},
        {"{\"explain\":true}", 422, ""},
        {"{\"Text\":\"a\"}", 422, "/Text"},
        {"{\"text\":\"a\",\"max_tokens\":1}", 422, "/max_tokens"},
        {"{\"text\":\"a\",\"a/b\":1}", 422, ""},
        {"{\"text\":\"a\",\"\":1}", 422, ""},
        {"{\"text\":\"a\",\"abcdefghijklmnopqrstu\":1}", 422, ""},
        {"{\"text\":\"a\",\"messages\":[]}", 422, ""},
        {"{\"text\":null}", 422, "/text"},
        {"{\"messages\":{}}", 422, "/messages"},
        {"{\"messages\":[{},{},3]}", 422, "/messages/2"},
        {"{\"text\":\"a\",\"explain\":1}", 422, "/explain"},
        {"{\"text\":\"a\",\"tenant\":[]}", 422, "/tenant"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        if (read_body(cases[i].body) || fault.status != cases[i].status ||
            strcmp(fault.pointer, cases[i].pointer) != 0) {
            fail_msg("%s: %u %s %s", cases[i].body, fault.status, fault.pointer, fault.detail);
        }
    }
}

/* But for a member's name of letters alone, and short. */
static void a_fault_never_quotes_the_input(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "canary",
        "{\"canary7\":1}",
        "{\"canary-canary\":1}",
        "{\"canarycanarycanarycanary\":1}",
        "{\"text\":[\"canary\"]}",
        "{\"text\":\"canary",
        "\"canary\"",
        "{\"text\":\"\\ud800canary\"}",
        "{\"text\":\"a\",\"explain\":\"canary\"}",
    };

    for (size_t i = 0; i < COUNT(bodies); i++) {
        assert_false(read_body(bodies[i]));
        assert_null(strstr(fault.detail, "canary"));
        assert_null(strstr(fault.pointer, "canary"));
    }
}

static void the_sum_of_all_channels_is_bounded(void **state)
{
    (void)state;
    char body[400];
    char text[TEXT_MAX + 2];

    memset(text, 'a', sizeof(text));
    text[TEXT_MAX] = '\0';
    (void)snprintf(body, sizeof(body), "{\"text\":\"%s\"}", text);
    assert_true(read_body(body));
    (void)snprintf(body, sizeof(body), "{\"text\":\"%sa\"}", text);
    assert_false(read_body(body));
    assert_int_equal(fault.status, 413);
    (void)snprintf(body, sizeof(body), "{\"document\":[\"%.60s\",\"%.60s\"]}", text, text);
    assert_false(read_body(body));
    assert_int_equal(fault.status, 413);
}

static void parameters_fill_a_plain_text(void **state)
{
    (void)state;
    unsigned seen = 0;

    assert_true(filter_request_plain(span_str("hello"), TEXT_MAX, &request, &fault));
    assert_true(filter_request_set(&request, span_str("agent"), span_str("a"), &seen, &fault));
    assert_true(filter_request_set(&request, span_str("explain"), span_str("1"), &seen, &fault));
    assert_true(span_is(request.who.agent, "a"));
    assert_true(request.explain);
    assert_false(filter_request_set(&request, span_str("agent"), span_str("b"), &seen, &fault));
    assert_int_equal(fault.status, 400);
    assert_false(filter_request_set(&request, span_str("text"), span_str("b"), &seen, &fault));
    assert_int_equal(fault.status, 422);
    seen = 0;
    assert_false(filter_request_set(&request, span_str("explain"), span_str("x"), &seen, &fault));
    assert_int_equal(fault.status, 422);
}

static void a_request_may_be_masked_and_an_answer_restored(void **state)
{
    (void)state;
    assert_true(read_body("{\"text\":\"a\",\"direction\":\"request\"}"));
    assert_true(request.is_request && request.restore.ptr == NULL && request.handle[0] == '\0');
    assert_true(read_body("{\"text\":\"a\",\"direction\":\"answer\",\"restore\":\"00ff\"}"));
    assert_true(!request.is_request && span_is(request.restore, "00ff"));
    static const char *const wrong[] = {"\"Request\"", "\"\"", "true", "null", "[\"request\"]"};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        char body[100];
        (void)snprintf(body, sizeof(body), "{\"text\":\"a\",\"direction\":%s}", wrong[i]);
        assert_false(read_body(body));
        assert_int_equal(fault.status, 422);
        assert_string_equal(fault.pointer, "/direction");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_are_read),
        cmocka_unit_test(only_the_content_is_required),
        cmocka_unit_test(paths_stand_in_the_exchange),
        cmocka_unit_test(faults_have_status_and_pointer),
        cmocka_unit_test(a_fault_never_quotes_the_input),
        cmocka_unit_test(the_sum_of_all_channels_is_bounded),
        cmocka_unit_test(parameters_fill_a_plain_text),
        cmocka_unit_test(a_request_may_be_masked_and_an_answer_restored),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
