/* A secret as an array of its characters' codes, or of its characters, in an upstream's JSON. */
#include "unit/protocol/answer.h"

#define DATA(json) "data: " json "\n\n"
#define CODES      "[65,75,73,65,81,87,66,53,80,68,75,72,88,54,80,89,71,80,65,78]"
#define LETTERS    "[\"A\",\"K\",\"I\",\"A\",\"Q\",\"W\",\"B\",\"5\",\"P\",\"D\",\"K\",\"H\",\"X\",\"6\",\"P\",\"Y\",\"G\",\"P\",\"A\",\"N\"]"
#define SAYS(delta) DATA("{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":null}]}")

static struct answer_request chat(const char *upstream)
{
    return (struct answer_request){.protocol = "openai", .path = "/v1/chat/completions", .body = "{}", .type = "application/json", .upstream = upstream};
}

static void assert_redacted(struct answer_request r)
{
    const char *text = translate(&r);

    assert_true(last.is_read && !last.is_blocked);
    assert_int_equal(last.action, ACTION_REDACT);
    assert_holds(text, KEY_LABEL);
    assert_lacks(text, "65,75");
    assert_lacks(text, "65, 75");
    assert_lacks(text, "\"A\"");
    assert_string_equal(last.rule, "aws-access-key-id");
}

static void an_array_of_codes_is_judged_as_one_text(void **state)
{
    (void)state;
    assert_redacted(chat("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"bytes\":" CODES "}}]}"));
    assert_redacted(chat("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"},\"x\":{\"y\":[" CODES "]}}]}"));
    assert_redacted(chat("{\"choices\":[{\"index\":0,\"message\":{\"content\":[{\"type\":\"bytes\",\"bytes\":" CODES "}]}}]}"));
}

/* Where only words and numbers of the protocol are. */
static void an_array_among_counts_is_judged_too(void **state)
{
    (void)state;
    assert_redacted(chat("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\"}}],\"usage\":{\"prompt_tokens\":1,\"x\":" CODES "}}"));
}

static void an_array_of_letters_is_judged_as_one_text(void **state)
{
    (void)state;
    assert_redacted(chat("{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"letters\":" LETTERS "}}]}"));
}

/* Codes in other forms, in arrays of an array, and parts of several characters. */
static void other_forms_are_judged_as_one_text(void **state)
{
    static const char *const members[] = {
        "[\"65\",\"75\",\"73\",\"65\",\"81\",\"87\",\"66\",\"53\",\"80\",\"68\",\"75\",\"72\",\"88\",\"54\",\"80\",\"89\",\"71\",\"80\",\"65\",\"78\"]",
        "[\"0x41\",\"0x4B\",\"0x49\",\"0x41\",\"0x51\",\"0x57\",\"0x42\",\"0x35\",\"0x50\",\"0x44\",\"0x4B\",\"0x48\",\"0x58\",\"0x36\",\"0x50\",\"0x59\",\"0x47\",\"0x50\",\"0x41\",\"0x4E\"]",
        "[65.0,75.0,73.0,65.0,81.0,87.0,66.0,53.0,80.0,68.0,75.0,72.0,88.0,54.0,80.0,89.0,71.0,80.0,65.0,78.0]",
        "[[65,75,73,65,81],[87,66,53,80,68],[75,72,88,54,80],[89,71,80,65,78]]",
        "[[\"A\",\"K\",\"I\",\"A\",\"Q\",\"W\"],[\"B\",\"5\",\"P\",\"D\",\"K\",\"H\"],[\"X\",\"6\",\"P\",\"Y\",\"G\",\"P\",\"A\",\"N\"]]",
        "[\"AKIAQ\",\"WB5PD\",\"KHX6P\",\"YGPAN\"]",
        "[\"ls\"," CODES "]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) {
        char upstream[2048];
        (void)snprintf(upstream, sizeof(upstream), "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"x\":%s}}]}", members[i]);
        assert_redacted(chat(upstream));
        (void)snprintf(upstream, sizeof(upstream), "{\"object\":\"thread.message\",\"x\":%s}", members[i]);
        struct answer_request passed = chat(upstream);
        passed.path = "/v1/threads/t/messages/m";
        passed.method = "GET";
        assert_redacted(passed);
    }
}

static void an_array_in_an_event_is_judged_as_one_text(void **state)
{
    static const char *const members[] = {"\"bytes\":" CODES, "\"letters\":" LETTERS};

    (void)state;
    for (size_t i = 0; i < COUNT(members); i++) {
        char upstream[2048];
        (void)snprintf(upstream, sizeof(upstream), "data: {\"choices\":[{\"index\":0,\"delta\":{%s},\"finish_reason\":null}]}\n\n%s%s", members[i],
                       SAYS("\"content\":\"a\""), DATA("{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}") DATA("[DONE]"));
        struct answer_request r = chat(upstream);
        r.body = "{\"stream\":true}";
        r.type = "text/event-stream";
        assert_redacted(r);
    }
}

/* Redacted, it is a string, in which the letters have no place any more. */
static void an_array_in_the_place_of_a_text(void **state)
{
    static const char *const rows[][3] = {
        {"ollama", "/api/chat", "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"thinking\":" LETTERS "},\"done\":false}\n"
                                "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"a\"},\"done\":true,\"done_reason\":\"stop\"}\n"},
        {"openai", "/v1/chat/completions", SAYS("\"content\":" LETTERS) SAYS("\"content\":\"a\"") DATA("[DONE]")},
        {"gemini", "/v1beta/models/m:streamGenerateContent", DATA("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":" LETTERS "}]},\"index\":0}]}")
                                                             DATA("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"index\":0,\"finishReason\":\"STOP\"}]}")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct answer_request r = {.protocol = rows[i][0], .path = rows[i][1], .body = "{\"stream\":true}", .query = "alt=sse", .upstream = rows[i][2],
                                   .type = i == 0 ? "application/x-ndjson" : "text/event-stream"};
        assert_redacted(r);
    }
}

#define CANDIDATE(rest) DATA("{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"a\"}]},\"index\":0" rest "}]}")

/* A reason that more text takes back is removed after it was judged. */
static void an_array_in_the_place_of_a_reason(void **state)
{
    struct answer_request r = {.protocol = "gemini",
                               .path = "/v1beta/models/m:streamGenerateContent",
                               .query = "alt=sse",
                               .body = "{}",
                               .type = "text/event-stream",
                               .upstream = CANDIDATE(",\"finishReason\":" CODES) CANDIDATE("") CANDIDATE(",\"finishReason\":\"STOP\"")};

    (void)state;
    const char *text = translate(&r);
    assert_true(last.is_read);
    assert_int_equal(last.action, ACTION_REDACT);
    assert_lacks(text, "65,75");
    assert_lacks(text, "65, 75");
}

static void an_array_of_a_passed_answer_is_judged_as_one_text(void **state)
{
    struct answer_request r = chat("{\"object\":\"thread.message\",\"content\":[{\"type\":\"bytes\",\"bytes\":" CODES "}]}");

    (void)state;
    r.path = "/v1/threads/t/messages/m";
    r.method = "GET";
    assert_redacted(r);
}

/* Numbers and words that say nothing, and vectors of small numbers. */
static void other_arrays_stay_as_they_are(void **state)
{
    static const char *const arrays[] = {
        "[1,2,3,4,5,6,7,8,9,10]", "[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\",\"g\",\"h\"]", "[65,75,73]", "[72,101,108,108,111,32,119,111,114,108,100]",
        "[\"10\",\"20\",\"30\",\"40\",\"50\",\"60\",\"70\",\"80\",\"90\"]", "[[1,2,3],[4,5,6],[7,8,9]]", "[12.0,15.0,18.0,33.0,41.0,52.0,60.0,71.0]",
        "[\"first_name\",\"last_name\",\"e_mail\"]", "[[\"name\",\"city\"],[\"Ada\",\"London\"],[\"Grace\",\"New York\"]]",
        "[0,255,12,200,65,75,73,65,81,87]", "[-1,-2,-3,-4,-5,-6,-7,-8]", "[0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8]",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(arrays); i++) {
        char upstream[512], expected[256];
        (void)snprintf(upstream, sizeof(upstream), "{\"choices\":[{\"index\":0,\"message\":{\"content\":\"a\",\"x\":%s}}]}", arrays[i]);
        (void)snprintf(expected, sizeof(expected), "\"x\":%s", arrays[i]);
        struct answer_request r = chat(upstream);
        assert_holds(translate(&r), expected);
        assert_int_equal(last.action, ACTION_ALLOW);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_array_of_codes_is_judged_as_one_text),
        cmocka_unit_test(an_array_among_counts_is_judged_too),
        cmocka_unit_test(an_array_of_letters_is_judged_as_one_text),
        cmocka_unit_test(other_forms_are_judged_as_one_text),
        cmocka_unit_test(an_array_in_an_event_is_judged_as_one_text),
        cmocka_unit_test(an_array_in_the_place_of_a_text),
        cmocka_unit_test(an_array_in_the_place_of_a_reason),
        cmocka_unit_test(an_array_of_a_passed_answer_is_judged_as_one_text),
        cmocka_unit_test(other_arrays_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
