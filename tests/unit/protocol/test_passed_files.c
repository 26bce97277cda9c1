/* Answers of passed routes that are no JSON, and routes that the operator lets pass unjudged. */
#include "unit/protocol/answer.h"

#define PNG "\x89PNG\r\n\x1a\n\x01\x02\x03"

static struct answer_request file_of(const char *upstream)
{
    return (struct answer_request){
        .protocol = "openai", .method = "GET", .path = "/v1/files/f-1/content", .type = "application/jsonl", .upstream = upstream};
}

/* The same whatever the cutting; `last` has the last. */
static void assert_answer(struct answer_request r, const char *expected)
{
    for (r.cut = 0; r.cut < 8; r.cut++) {
        assert_string_equal(translate(&r), expected);
    }
}

static void lines_of_json_are_judged_and_keep_their_form(void **state)
{
    (void)state;
    assert_answer(file_of("{\"custom_id\": \"1\", \"body\":{\"a\":\"\\u0041KIAQWB5PDKHX6PYGPAN\"}}\n\n{\"b\":\"c\"}\n"),
                  "{\"custom_id\": \"1\", \"body\":{\"a\":\"" KEY_LABEL "\"}}\n\n{\"b\":\"c\"}\n");
    assert_string_equal(last.type, "application/jsonl");
    assert_string_equal(last.finding_path, "/0/body/a");
    assert_int_equal(last.action, ACTION_REDACT);
}

static void a_type_that_could_be_a_text_does_not_come_down(void **state)
{
    struct answer_request r = file_of("a");

    (void)state;
    r.type = "text/plain; charset=utf-8; note=" KEY;
    (void)translate(&r);
    assert_string_equal(last.type, "text/plain");
    r.type = "text/" KEY;
    (void)translate(&r);
    assert_string_equal(last.type, "application/octet-stream");
}

static void a_text_is_judged_whole(void **state)
{
    struct answer_request r = file_of("1\n00:00:01,000 --> 00:00:02,000\nthe key " KEY "\n");

    (void)state;
    r.path = "/v1/audio/transcriptions";
    r.method = "POST";
    r.type = "text/plain; charset=utf-8";
    assert_answer(r, "1\n00:00:01,000 --> 00:00:02,000\nthe key " KEY_LABEL "\n");
    r.upstream = PEM("\n");
    (void)translate(&r);
    assert_true(last.is_blocked);
}

static void a_file_that_is_no_text_passes_where_files_are_and_is_unread(void **state)
{
    struct answer_request r = file_of(PNG);

    (void)state;
    r.type = "image/png";
    assert_answer(r, PNG);
    assert_string_equal(last.type, "image/png");
    assert_int_equal(last.action, ACTION_ALLOW);
    assert_holds(last.record, "\"in_bytes\":11,\"judged_bytes\":0,\"out_bytes\":11");
    r.path = "/v1/audio/transcriptions"; /* which is a text */
    r.method = "POST";
    (void)translate(&r);
    assert_true(last.is_blocked);
    assert_string_equal(last.rule, "filterd.unjudged");
}

/* It says not what it is: it may be a text in an encoding of its own. */
static void what_is_neither_is_judged_and_unread(void **state)
{
    struct answer_request r = file_of("\xff\xfe " KEY);

    (void)state;
    assert_answer(r, "\xff\xfe " KEY_LABEL);
    assert_holds(last.record, "\"channel\":1");
}

static void images_in_base64_are_unread_and_the_rest_is_judged(void **state)
{
#define IMAGE "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="
    struct answer_request r = {.protocol = "openai",
                               .path = "/v1/images/generations",
                               .body = "{\"prompt\":\"a\"}",
                               .type = "application/json",
                               .upstream = "{\"data\":[{\"b64_json\":\"" IMAGE "\",\"revised_prompt\":\"" KEY "\"}]}"};

    (void)state;
    assert_answer(r, "{\"data\":[{\"b64_json\":\"" IMAGE "\",\"revised_prompt\":\"" KEY_LABEL "\"}]}");
    char unread[64];
    (void)snprintf(unread, sizeof(unread), "\"bytes\":%zu,\"judged\":0", strlen(IMAGE));
    assert_holds(last.record, unread);
    r.upstream = "{\"data\":[{\"b64_json\":\"" KEY "\"}]}"; /* a text in its place */
    assert_answer(r, "{\"data\":[{\"b64_json\":\"" KEY_LABEL "\"}]}");
}

static void other_types_are_unknown_where_no_file_is_expected(void **state)
{
    struct answer_request r = file_of("a");

    (void)state;
    r.path = "/v1/models";
    r.type = "text/plain";
    (void)translate(&r);
    assert_int_equal(last.head, HEAD_UNKNOWN_TYPE);
}

static void an_unjudged_route_passes_as_it_is_and_says_so(void **state)
{
    struct answer_request r = file_of("<p>a</p>");

    (void)state;
    r.is_unjudged = true;
    r.type = "text/html";
    assert_answer(r, "<p>a</p>");
    assert_string_equal(last.type, "text/html");
    assert_holds(last.record, "\"in_bytes\":8,\"judged_bytes\":0,\"out_bytes\":8");
    r.is_broken = true;
    (void)translate(&r);
    assert_false(last.is_read || last.is_over);
    r.is_broken = false;
    r.status = 500; /* an error is judged like any other */
    r.upstream = "the key " KEY;
    (void)translate(&r);
    assert_holds(last.text, KEY_LABEL);
}

/* As clients join them, in a message that is fetched as in one that is streamed. */
static void texts_of_a_fetched_message_are_one_text(void **state)
{
#define PART(text) "{\"type\":\"text\",\"text\":{\"value\":\"" text "\",\"annotations\":[]}}"
    struct answer_request r = {.protocol = "openai", .method = "GET", .path = "/v1/threads/t/messages", .type = "application/json"};

    (void)state;
    r.upstream = "{\"data\":[{\"content\":[" PART("the key AKIAQWB5PD") "," PART("KHX6PYGPAN of it") "]}]}";
    assert_answer(r, "{\"data\":[{\"content\":[" PART("the key " KEY_LABEL) "," PART(KEY_LABEL " of it") "]}]}");
    r.upstream = "{\"data\":[{\"content\":[" PART("the key AKIAQWB5PD") "]},{\"content\":[" PART("KHX6PYGPAN of it") "]}]}";
    assert_answer(r, r.upstream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_of_json_are_judged_and_keep_their_form),
        cmocka_unit_test(a_type_that_could_be_a_text_does_not_come_down),
        cmocka_unit_test(a_text_is_judged_whole),
        cmocka_unit_test(a_file_that_is_no_text_passes_where_files_are_and_is_unread),
        cmocka_unit_test(what_is_neither_is_judged_and_unread),
        cmocka_unit_test(images_in_base64_are_unread_and_the_rest_is_judged),
        cmocka_unit_test(other_types_are_unknown_where_no_file_is_expected),
        cmocka_unit_test(an_unjudged_route_passes_as_it_is_and_says_so),
        cmocka_unit_test(texts_of_a_fetched_message_are_one_text),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
