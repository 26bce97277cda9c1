/* Strings, numbers and objects of a stream that stand at one place in several events: clients put them into one array. */
#include "unit/protocol/answer.h"

#define DATA(json)        "data: " json "\n\n"
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define CHUNK(choice) DATA("{\"id\":\"c\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0," choice "}]}")
#define SAYS(delta)   CHUNK("\"delta\":{" delta "},\"finish_reason\":null")
#define STOP          CHUNK("\"delta\":{},\"finish_reason\":\"stop\"")
#define DONE          DATA("[DONE]")
#define BEGIN        EVENT("message_start", "\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"content\":[]}")
#define BLOCK(block) EVENT("content_block_start", "\"index\":0,\"content_block\":{" block "}")
#define BLOCK_STOP   EVENT("content_block_stop", "\"index\":0")
#define END          EVENT("message_delta", "\"delta\":{\"stop_reason\":\"end_turn\"}") EVENT("message_stop", "\"x\":1")
#define CANDIDATE(parts, rest) DATA("{\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[" parts "]}" rest "}]}")
#define CHAT       .protocol = "openai", .path = "/v1/chat/completions", .body = "{\"stream\":true}", .type = "text/event-stream"
#define ANTHROPIC  .protocol = "anthropic", .path = "/v1/messages", .body = "{\"stream\":true}", .type = "text/event-stream"
#define GEMINI     .protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}", .type = "text/event-stream"
#define NEW_MEMBER(text)  SAYS("\"plan\":\"" text "\"")

static struct answer_request chat_of(const char *upstream)
{
    return (struct answer_request){CHAT, .upstream = upstream};
}

/* The elements of an array whose pieces come in several messages, as clients put them into one. */
static void arrays_of_several_messages_are_judged_as_one(void **state)
{
#define LIST(rest) SAYS("\"list\":[" rest "]")
#define NEW_LIST(rest) EVENT("new", "\"in\":{\"list\":[" rest "]}")
    static const struct answer_request lists[] = {
        {CHAT, .upstream = LIST("\"A\",\"K\",\"I\",\"A\",\"Q\",\"W\",\"B\"") LIST("\"5\",\"P\",\"D\",\"K\",\"H\",\"X\",\"6\"")
                               LIST("\"P\",\"Y\",\"G\",\"P\",\"A\",\"N\"") STOP DONE},
        {CHAT, .upstream = LIST("\"65\",\"75\",\"73\",\"65\",\"81\",\"87\",\"66\"") LIST("\"53\",\"80\",\"68\",\"75\",\"72\",\"88\",\"54\"")
                               LIST("\"80\",\"89\",\"71\",\"80\",\"65\",\"78\"") STOP DONE},
        {CHAT, .upstream = LIST("[\"AKIAQWB5\"]") LIST("[\"PDKHX6\",\"PYGPAN\"]")},
        {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") NEW_LIST("\"AKIAQWB5\",\"PDKHX6\"") NEW_LIST("\"PYGPAN\"") BLOCK_STOP END},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const char *out = translate(&lists[i]);
        assert_holds(out, KEY_LABEL);
        assert_lacks(out, "AKIAQWB5");
        assert_lacks(out, "\"N\"");
        assert_lacks(out, "\"78\"");
        assert_int_equal(last.action, ACTION_REDACT);
    }
}

static void values_that_are_codes_are_judged_as_one(void **state)
{
    struct answer_request r = chat_of(NEW_MEMBER("65") NEW_MEMBER("75") NEW_MEMBER("73") NEW_MEMBER("65") NEW_MEMBER("81") NEW_MEMBER("87")
        NEW_MEMBER("66") NEW_MEMBER("53") NEW_MEMBER("80") NEW_MEMBER("68") NEW_MEMBER("75") NEW_MEMBER("72") NEW_MEMBER("88") NEW_MEMBER("54")
        NEW_MEMBER("80") NEW_MEMBER("89") NEW_MEMBER("71") NEW_MEMBER("80") NEW_MEMBER("65") NEW_MEMBER("78") STOP DONE);

    (void)state;
    const char *out = translate(&r);
    assert_holds(out, KEY_LABEL);
    assert_lacks(out, "\"78\"");
}

/* Numbers that are codes, in arrays and by themselves; arrays of objects, too. */
static void numbers_of_several_messages_are_judged_as_one(void **state)
{
#define NUMBER(n) SAYS("\"step\":" #n)
#define OF_OBJECTS(rest) SAYS("\"list\":[" rest "]")
    static const struct answer_request lists[] = {
        {CHAT, .upstream = LIST("65,75,73,65,81,87,66,53,80,68,75,72") LIST("88,54,80,89,71,80,65,78") STOP DONE},
        {CHAT, .upstream = LIST("[65,75,73,65,81,87,66],[53,80,68,75,72]") LIST("[88,54,80,89.0,71,80,65,78]")},
        {CHAT, .upstream = NUMBER(65) NUMBER(75) NUMBER(73) NUMBER(65) NUMBER(81) NUMBER(87) NUMBER(66) NUMBER(53) NUMBER(80) NUMBER(68) NUMBER(75)
                               NUMBER(72) NUMBER(88) NUMBER(54) NUMBER(80) NUMBER(89) NUMBER(71) NUMBER(80) NUMBER(65) NUMBER(78) STOP DONE},
        {CHAT, .upstream = OF_OBJECTS("{\"c\":\"AKIAQWB5\"},{\"c\":\"PDKHX6\"}") OF_OBJECTS("{\"c\":\"PYGPAN\"}") STOP DONE},
        {CHAT, .upstream = OF_OBJECTS("{\"c\":\"AKIAQWB5\"},{\"c\":\"PDKHX6\"},{\"c\":\"PYGPAN\"}") STOP DONE},
        {ANTHROPIC, .upstream = BEGIN BLOCK("\"type\":\"text\",\"text\":\"\"") NEW_LIST("65,75,73,65,81,87,66,53,80,68,75,72")
                                    NEW_LIST("88,54,80,89,71,80,65,78") BLOCK_STOP END},
        {GEMINI, .upstream = CANDIDATE("{\"text\":\"a\",\"n\":[65,75,73,65,81,87,66,53,80,68,75,72]}", "")
                                 CANDIDATE("{\"text\":\"b\",\"n\":[88,54,80,89,71,80,65,78]}", ",\"finishReason\":\"STOP\"")},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(lists); i++) {
        const char *out = translate(&lists[i]);
        assert_holds(out, KEY_LABEL);
        assert_lacks(out, "78");
        assert_lacks(out, "PYGPAN");
        assert_int_equal(last.action, ACTION_REDACT);
    }
}

/* What cannot be a character leaves at once; a number behind one that waits keeps its order; counts and indices of the tables flow. */
static void numbers_that_are_no_codes_stay_as_they_are(void **state)
{
#define USAGE(n) DATA("{\"id\":\"c\",\"choices\":[],\"usage\":{\"total_tokens\":" #n "},\"timings\":{\"predicted_n\":" #n "}}")
    const char *flowing = SAYS("\"box\":[120,300,7]") USAGE(65) LIST("0.25,1e3") USAGE(66) SAYS("\"content\":\"so\"") STOP DONE;

    (void)state;
    assert_any_cutting(chat_of(flowing), flowing);
    assert_any_cutting(chat_of(NUMBER(125) SAYS("\"content\":\"so\"") NUMBER(126) NUMBER(127) STOP DONE),
                       SAYS("\"content\":\"so\"") NUMBER(125) NUMBER(126) NUMBER(127) STOP DONE);
    assert_int_equal(last.action, ACTION_ALLOW);
}

static void lists_of_several_messages_stay_as_they_are(void **state)
{
    const char *upstream = LIST("\"apples\",\"12\"") LIST("\"pears\",\"14\"") STOP DONE;

    (void)state;
    assert_any_cutting(chat_of(upstream), upstream);
    assert_int_equal(last.action, ACTION_ALLOW);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_several_messages_are_judged_as_one),
        cmocka_unit_test(values_that_are_codes_are_judged_as_one),
        cmocka_unit_test(numbers_of_several_messages_are_judged_as_one),
        cmocka_unit_test(numbers_that_are_no_codes_stay_as_they_are),
        cmocka_unit_test(lists_of_several_messages_stay_as_they_are),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
