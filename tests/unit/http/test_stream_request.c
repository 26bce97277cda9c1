#include "testing.h"

#include "http/stream_request.h"

static struct arena arena;
static struct stream_request request;
static struct filter_fault fault;

static bool read_body(enum stream_body kind, const char *body)
{
    arena_reset(&arena);
    fault = (struct filter_fault){0};
    return stream_request_read(&arena, span_str(body), kind, &request, &fault);
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
    assert_true(read_body(STREAM_BODY_OPEN,
                          "{\"policy\":\"p\",\"tenant\":\"t\",\"app\":\"w\",\"agent\":\"a\","
                          "\"session\":\"s\",\"path\":\"/x\"}"));
    assert_true(span_is(request.policy, "p"));
    assert_true(span_is(request.who.tenant, "t"));
    assert_true(span_is(request.who.app, "w"));
    assert_true(span_is(request.who.agent, "a"));
    assert_true(span_is(request.who.session, "s"));
    assert_true(span_is(request.path, "/x"));
    assert_true(read_body(STREAM_BODY_CHUNK,
                          "{\"text\":\"a\\n\",\"channel\":\"\",\"sequence\":123456789012345}"));
    assert_true(span_is(request.text, "a\n"));
    assert_non_null(request.channel.ptr);
    assert_int_equal(request.sequence, 123456789012345);
    assert_true(read_body(STREAM_BODY_END, "{\"truncated\":true}"));
    assert_true(request.is_truncated);
}

static void only_the_text_is_required(void **state)
{
    (void)state;
    assert_true(read_body(STREAM_BODY_OPEN, ""));
    assert_int_equal(request.path.len, 0);
    assert_true(read_body(STREAM_BODY_OPEN, "{}"));
    assert_true(read_body(STREAM_BODY_END, ""));
    assert_false(request.is_truncated);
    assert_true(read_body(STREAM_BODY_CHUNK, "{\"text\":\"\"}"));
    assert_null(request.channel.ptr);
    assert_int_equal(request.sequence, 0);
    assert_false(read_body(STREAM_BODY_CHUNK, ""));
    assert_int_equal(fault.status, 400);
}

static void faults_have_a_status_and_a_place(void **state)
{
    (void)state;
    static const struct {
        enum stream_body kind;
        const char *body;
        unsigned status;
        const char *pointer;
    } cases[] = {
        {STREAM_BODY_OPEN, "[]", 422, ""},
        {STREAM_BODY_OPEN, "{\"text\":\"a\"}", 422, "/text"},
        {STREAM_BODY_OPEN, "{\"agent\":1}", 422, "/agent"},
        {STREAM_BODY_OPEN, "{\"agent\":\"a\",\"agent\":\"b\"}", 400, "/agent"},
        {STREAM_BODY_OPEN, "{\"path\":\"x\"}", 422, "/path"},
        {STREAM_BODY_OPEN, "{\"path\":\"/\\u0000\"}", 422, "/path"},
        {STREAM_BODY_OPEN, "{\"path\":\"/a\\u200bb\"}", 422, "/path"},
        {STREAM_BODY_OPEN, "{\"path\":\"/~2\"}", 422, "/path"},
        {STREAM_BODY_OPEN, "{\"path\":\"/a~\"}", 422, "/path"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"channel\":\"/\\u202ea\"}", 422, "/channel"},
        {STREAM_BODY_CHUNK, "{}", 422, "/text"},
        {STREAM_BODY_CHUNK, "{\"text\":null}", 422, "/text"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"policy\":\"p\"}", 422, "/policy"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"sequence\":0}", 422, "/sequence"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"sequence\":-1}", 422, "/sequence"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"sequence\":1e3}", 422, "/sequence"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"sequence\":\"1\"}", 422, "/sequence"},
        {STREAM_BODY_CHUNK, "{\"text\":\"a\",\"sequence\":1234567890123456}", 422, "/sequence"},
        {STREAM_BODY_END, "{\"truncated\":\"yes\"}", 422, "/truncated"},
        {STREAM_BODY_END, "{\"truncated\":true", 400, ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_false(read_body(cases[i].kind, cases[i].body));
        assert_int_equal(fault.status, cases[i].status);
        assert_string_equal(fault.pointer, cases[i].pointer);
        assert_true(fault.detail[0] != '\0');
    }
}

static void parameters_are_read_once_each(void **state)
{
    (void)state;
    unsigned seen = 0;

    request = (struct stream_request){.text = span_str("t")};
    assert_true(stream_request_set(&request, span_str("channel"), span_str("/c"), &seen, &fault));
    assert_true(stream_request_set(&request, span_str("sequence"), span_str("7"), &seen, &fault));
    assert_true(span_is(request.channel, "/c"));
    assert_int_equal(request.sequence, 7);
    assert_false(stream_request_set(&request, span_str("channel"), span_str("/c"), &seen, &fault));
    assert_int_equal(fault.status, 400);
    seen = 0;
    assert_false(stream_request_set(&request, span_str("text"), span_str("x"), &seen, &fault));
    assert_false(stream_request_set(&request, span_str("channel"), span_str("c"), &seen, &fault));
    assert_true(span_is(request.text, "t"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_members_are_read),
        cmocka_unit_test(only_the_text_is_required),
        cmocka_unit_test(faults_have_a_status_and_a_place),
        cmocka_unit_test(parameters_are_read_once_each),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
