/* Streams of transcriptions, images and assistants, and of routes that nobody knows. */
#include "unit/protocol/answer.h"

#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define DELTA(text)       EVENT("transcript.text.delta", ",\"delta\":\"" text "\"")
#define DONE(text)        EVENT("transcript.text.done", ",\"text\":\"" text "\"")
#define ERROR             "\"type\":\"invalid_request_error\",\"param\":null,\"code\":\"content_filter\""
#define END               "data: [DONE]\n\n"

static const char *const deltas[] = {"delta", NULL};

static struct answer_request transcript_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/audio/transcriptions",
                                   .body = "--b\r\nContent-Disposition: form-data; name=\"stream\"\r\n\r\ntrue\r\n--b--",
                                   .body_type = "multipart/form-data; boundary=b",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

static void a_key_cut_over_pieces_of_a_transcript_is_redacted(void **state)
{
    (void)state;
    assert_any_cutting(transcript_of(DELTA("a AKIAQWB5PD") DELTA("KHX6PYGPAN.") DONE("a " KEY ".") END),
                       DELTA("a " KEY_LABEL ".") DONE("a " KEY_LABEL ".") END);
    assert_true(last.is_over && last.action == ACTION_REDACT);
    assert_string_equal(last.finding_path, "/text");
}

static void a_whole_transcript_without_pieces_is_judged(void **state)
{
    (void)state;
    assert_any_cutting(transcript_of(DONE("a " KEY)), DONE("a " KEY_LABEL));
    assert_any_cutting(transcript_of(EVENT("transcript.text.segment", ",\"id\":\"s1\",\"text\":\"a AKIAQWB5PD\"")
                                         EVENT("transcript.text.segment", ",\"id\":\"s2\",\"text\":\"KHX6PYGPAN\"") END),
                       EVENT("transcript.text.segment", ",\"id\":\"s1\",\"text\":\"a " KEY_LABEL "\"")
                           EVENT("transcript.text.segment", ",\"id\":\"s2\",\"text\":\"\"") END);
}

static void a_block_ends_with_an_error(void **state)
{
    (void)state;
    (void)translate(&(struct answer_request){.protocol = "openai",
                                             .path = "/v1/audio/transcriptions",
                                             .body = "{\"stream\":true}",
                                             .type = "text/event-stream",
                                             .upstream = DELTA("a ") DELTA(PEM("\\n")) END});
    assert_holds(last.text, "data: {\"error\":{\"message\":\"" NOTICE "\"," ERROR);
    assert_lacks(last.text, "[DONE]");
    assert_true(last.is_blocked && last.is_over);
}

static void a_stream_that_breaks_off_says_so(void **state)
{
    struct answer_request r = transcript_of(DELTA("a"));

    (void)state;
    r.is_broken = true;
    (void)translate(&r);
    assert_holds(last.text, "\"the upstream broke off its answer\"");
    r.upstream = DELTA("a") DONE("a");
    (void)translate(&r);
    assert_lacks(last.text, "error");
}

#define IMAGE "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNk+A8AAQUBAScY42YAAAAASUVORK5CYII="

static void images_flow_and_are_unread(void **state)
{
    struct answer_request r = transcript_of(EVENT("image_generation.partial_image", ",\"b64_json\":\"" IMAGE "\",\"partial_image_index\":0")
                                                EVENT("image_generation.completed", ",\"b64_json\":\"" IMAGE "\""));

    (void)state;
    r.path = "/v1/images/generations";
    assert_any_cutting(r, r.upstream);
    char unread[64];
    (void)snprintf(unread, sizeof(unread), "\"in_bytes\":%zu,\"judged_bytes\":0", 2 * strlen(IMAGE));
    assert_holds(last.record, unread);
    r.upstream = EVENT("image_generation.partial_image", ",\"b64_json\":\"AKIAQWB5PD\"")
        EVENT("image_generation.partial_image", ",\"b64_json\":\"KHX6PYGPAN\"");
    (void)translate(&r);
    assert_lacks(last.text, "AKIAQWB5PD");
}

/* --- the Assistants API: only a line of its own names an event ---------------------------------- */

#define NAMED(name, data) "event: " name "\ndata: {" data "}\n\n"
#define SAYS(id, text)                                                                             \
    NAMED("thread.message.delta", "\"id\":\"" id "\",\"object\":\"thread.message.delta\",\"delta\":{\"content\":[{\"index\":0,"    \
                                  "\"type\":\"text\",\"text\":{\"value\":\"" text "\"}}]}")
#define SAID(id, text)                                                                             \
    NAMED("thread.message.completed", "\"id\":\"" id "\",\"object\":\"thread.message\",\"status\":\"completed\",\"content\":[{"  \
                                      "\"type\":\"text\",\"text\":{\"value\":\"" text "\",\"annotations\":[]}}]")
#define RUN(name) NAMED("thread.run." name, "\"id\":\"run_1\",\"object\":\"thread.run\",\"created_at\":1795852800,\"status\":\"" name "\"")
#define OVER "event: done\ndata: [DONE]\n\n"

static struct answer_request run_of(const char *upstream)
{
    return (struct answer_request){.protocol = "openai",
                                   .path = "/v1/threads/t_1/runs",
                                   .body = "{\"stream\":true}",
                                   .type = "text/event-stream",
                                   .upstream = upstream};
}

/* All pieces of the message's text, and whatever the cutting the same bytes. */
static const char *assert_cuttings(struct answer_request r)
{
    static char whole[ANSWER_MAX];

    (void)snprintf(whole, sizeof(whole), "%s", translate(&r));
    for (r.cut = 1; r.cut < 8; r.cut++) {
        assert_string_equal(translate(&r), whole);
    }
    return whole;
}

static void an_assistants_message_flows_and_its_copy_follows(void **state)
{
    (void)state;
    const char *all = assert_cuttings(run_of(RUN("created") SAYS("msg_1", "a AKIAQWB5PD") SAYS("msg_1", "KHX6PYGPAN, b")
                                                 SAID("msg_1", "a " KEY ", b") RUN("completed") OVER));
    assert_string_equal(text_of_all(all, "thread.message.delta\"", "\"value\":\""), "a " KEY_LABEL ", b");
    assert_holds(all, SAID("msg_1", "a " KEY_LABEL ", b") RUN("completed") OVER);
    assert_int_equal(strncmp(all, RUN("created"), strlen(RUN("created"))), 0);
    assert_true(last.is_over && last.action == ACTION_REDACT);
}

static void messages_are_apart(void **state)
{
    (void)state;
    const char *all = assert_cuttings(run_of(SAYS("msg_1", "a") SAID("msg_1", "a") SAYS("msg_2", "b") SAID("msg_2", "b") OVER));
    assert_holds(all, SAID("msg_1", "a"));
    assert_holds(all, SAID("msg_2", "b") OVER);
}

#define STEP(text)                                                                                 \
    NAMED("thread.run.step.delta", "\"id\":\"step_1\",\"object\":\"thread.run.step.delta\",\"delta\":{\"step_details\":{\"type\":"    \
                                   "\"tool_calls\",\"tool_calls\":[{\"index\":0,\"type\":\"function\",\"function\":{\"arguments\":\"" text   \
                                   "\"}}]}}")
#define STEPPED(text)                                                                              \
    NAMED("thread.run.step.completed", "\"id\":\"step_1\",\"object\":\"thread.run.step\",\"step_details\":{\"type\":\"tool_calls\","  \
                                       "\"tool_calls\":[{\"id\":\"call_1\",\"type\":\"function\",\"function\":{\"arguments\":\"" text "\"}}]}")

static void arguments_in_pieces_wait_for_the_end_of_their_step(void **state)
{
    (void)state;
    const char *all = assert_cuttings(run_of(STEP("{\\\"k\\\":\\\"AKIAQWB5PD") STEP("KHX6PYGPAN\\\"}")
                                                 STEPPED("{\\\"k\\\":\\\"" KEY "\\\"}") RUN("completed") OVER));
    assert_lacks(all, "KHX6PYGPAN");
    assert_holds(all, STEPPED("{\\\"k\\\":\\\"" KEY_LABEL "\\\"}") RUN("completed") OVER);
}

static void a_block_of_a_run_is_an_error_that_is_named(void **state)
{
    (void)state;
    const char *all = assert_cuttings(run_of(RUN("created") SAYS("msg_1", PEM("\\n")) OVER));
    assert_holds(all, "event: error\ndata: {\"error\":{\"message\":\"" NOTICE "\"," ERROR);
    assert_lacks(all, "[DONE]");
}

static void an_error_of_the_upstream_passes_judged(void **state)
{
    (void)state;
    const char *all = assert_cuttings(run_of(NAMED("error", "\"error\":{\"message\":\"no " KEY "\"}")));
    assert_holds(all, "\"message\":\"no " KEY_LABEL "\"");
}

/* An event without a name, or with one that nobody knows, is judged and waits. */
static void unknown_events_are_judged(void **state)
{
    struct answer_request r = run_of("data: {\"a\":\"AKIAQWB5PD\"}\n\ndata: {\"a\":\"KHX6PYGPAN\"}\n\n" OVER);

    (void)state;
    assert_lacks(assert_cuttings(r), "AKIAQWB5PD");
    r.upstream = NAMED("thread.new", "\"a\":\"AKIAQWB5PD\"") NAMED("thread.new", "\"a\":\"KHX6PYGPAN\"");
    assert_lacks(assert_cuttings(r), "AKIAQWB5PD");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_cut_over_pieces_of_a_transcript_is_redacted),
        cmocka_unit_test(a_whole_transcript_without_pieces_is_judged),
        cmocka_unit_test(a_block_ends_with_an_error),
        cmocka_unit_test(a_stream_that_breaks_off_says_so),
        cmocka_unit_test(images_flow_and_are_unread),
        cmocka_unit_test(an_assistants_message_flows_and_its_copy_follows),
        cmocka_unit_test(messages_are_apart),
        cmocka_unit_test(arguments_in_pieces_wait_for_the_end_of_their_step),
        cmocka_unit_test(a_block_of_a_run_is_an_error_that_is_named),
        cmocka_unit_test(an_error_of_the_upstream_passes_judged),
        cmocka_unit_test(unknown_events_are_judged),
    };

    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
