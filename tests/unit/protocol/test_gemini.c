#include "unit/protocol/answer.h"

#include "protocol/dialect.h"

#define HEAD "{\"modelVersion\":\"gemini-2.5\",\"responseId\":\"r-1\","
#define CHUNK(index, parts, rest)                                                                  \
    HEAD "\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}" rest            \
         ",\"index\":" index "}]}"
#define PART(text)    "{\"text\":\"" text "\"}"
#define THOUGHT(text) "{\"text\":\"" text "\",\"thought\":true}"
#define CALL(value)   "{\"functionCall\":{\"name\":\"send\",\"args\":{\"k\":\"" value "\"}}}"
#define STOP          ",\"finishReason\":\"STOP\""
#define EVENT(json)   "data: " json "\n\n"
#define SPII          ",\"finishReason\":\"SPII\",\"finishMessage\":\"" NOTICE "\""

static const char *const deltas[] = {"candidates/0/content/parts/0/text", NULL};

static struct answer_request events_of(const char *upstream)
{
    return (struct answer_request){.protocol = "gemini",
                                   .path = "/v1beta/models/gemini-2.5:streamGenerateContent",
                                   .query = "key=x&alt=sse",
                                   .body = "{\"contents\":[]}",
                                   .type = "text/event-stream",
                                   .upstream = upstream,
                                   .deltas = deltas};
}

/* A finish may come with the last piece: whatever went before it, all of the text does. */
static void the_end_carries_the_rest(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART("a AKIAQWB5PD"), ""))
                                            EVENT(CHUNK("0", PART("KHX6PYGPAN."), STOP)));
    (void)state;
    for (r.cut = 0; r.cut < 5; r.cut++) {
        const char *out = translate(&r), *end = strstr(out, STOP);
        assert_string_equal(text_of_all(out, HEAD, "\"text\":\""), "a " KEY_LABEL ".");
        assert_non_null(end);
        assert_string_equal(end, STOP ",\"index\":0}]}\n\n");
        assert_int_equal(last.action, ACTION_REDACT);
    }
}

static void thoughts_are_a_channel_of_their_own(void **state)
{
    (void)state;
    assert_any_cutting(events_of(EVENT(CHUNK("0", THOUGHT("see AKIAQWB5PD"), ""))
                                     EVENT(CHUNK("0", PART("KHX6PYGPAN is a part"), ""))
                                         EVENT(CHUNK("0", PART(""), STOP))),
                       EVENT(CHUNK("0", THOUGHT("see AKIAQWB5PD"), ""))
                           EVENT(CHUNK("0", PART("KHX6PYGPAN is a part"), ""))
                               EVENT(CHUNK("0", PART(""), STOP)));
}

static void a_block_ends_with_its_reason(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART(PEM("\\n")), STOP)));
    (void)state;
    assert_any_cutting(r,
                       "data: " HEAD "\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" NOTICE
                       "\"}],\"role\":\"model\"},"
                       "\"index\":0" SPII "}]}\n\n");
    assert_true(last.is_over);
    r.ends_turn = true;
    assert_holds(translate(&r), STOP);
}

static void an_array_stays_an_array(void **state)
{
    struct answer_request r = events_of("[" CHUNK("0", PART("Hel"), "") ",\n" CHUNK(
        "0", PART("lo"), "") ",\n" CHUNK("0", PART(""), STOP) "\n]\n");
    (void)state;
    r.query = "";
    r.type = "application/json; charset=UTF-8";
    assert_any_cutting(r, "[" CHUNK("0", PART("Hello"), "") "," CHUNK("0", PART(""), STOP) "]");
    assert_string_equal(last.type, "application/json");
}

/* Of two answers of the same parts: whether the connection's end must be waited for. */
static void an_array_ends_when_it_is_closed(void **state)
{
    struct answer_request r = events_of("[" CHUNK("0", PART("so"), "") "," CHUNK("0", PART(""), STOP) "]");
    (void)state;
    r.query = "";
    r.type = "application/json";
    for (r.cut = 0; r.cut < 4; r.cut++) {
        (void)translate(&r);
        assert_true(last.was_over);
        assert_int_equal(last.text[strlen(last.text) - 1], ']');
    }
    r.upstream = "[" CHUNK("0", PART("so"), "") "]";
    assert_holds(translate(&r), "\"finishReason\":\"MAX_TOKENS\"");
    assert_true(last.was_over);
    r.upstream = "[" CHUNK("0", PART("so"), STOP);
    (void)translate(&r);
    assert_false(last.was_over);
    r.upstream = "[" CHUNK("0", PART(PEM("\\n")), STOP) "]";
    assert_holds(translate(&r), "\"finishReason\":\"SPII\"");
    assert_true(last.is_blocked && last.was_over);
}

static void events_whose_candidates_have_all_ended_need_no_more(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART("so"), "")));
    (void)state;
    (void)translate(&r);
    assert_false(last.needed_no_more);
    r.upstream = EVENT(CHUNK("0", PART("so"), STOP));
    (void)translate(&r);
    assert_true(last.needed_no_more);
    assert_false(last.was_over); /* its usage may follow */
    r.body = "{\"contents\":[],\"generationConfig\":{\"candidateCount\":2}}";
    (void)translate(&r);
    assert_false(last.needed_no_more);
    r.upstream = EVENT(CHUNK("1", PART("so"), STOP)) EVENT(CHUNK("0", PART("so"), STOP));
    (void)translate(&r);
    assert_true(last.needed_no_more);
}

static size_t count_of(const char *text, const char *part)
{
    size_t n = 0;

    for (const char *at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) {
        n++;
    }
    return n;
}

/* Some upstreams give it so. Only the last one ends the candidate, and a key over two chunks is one text. */
static void a_reason_with_every_chunk(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART("a AKIAQWB5PD"), STOP)) EVENT(CHUNK("0", PART("KHX6PYGPAN."), STOP))
                                            EVENT(CHUNK("0", PART(" so"), STOP)) EVENT("{\"usageMetadata\":{\"totalTokenCount\":9}}"));
    (void)state;
    for (r.cut = 0; r.cut < 5; r.cut++) {
        const char *out = translate(&r);
        assert_string_equal(text_of_all(out, HEAD, "\"text\":\""), "a " KEY_LABEL ". so");
        assert_int_equal(count_of(out, STOP), 1);
        assert_string_equal(strstr(out, STOP), STOP ",\"index\":0}]}\n\ndata: {\"usageMetadata\":{\"totalTokenCount\":9}}\n\n");
        assert_true(last.needed_no_more && last.action == ACTION_REDACT);
    }
}

static void what_comes_behind_a_reason_is_said(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART("so"), STOP)) EVENT(CHUNK("0", PART(" on"), "")));
    (void)state;
    assert_string_equal(text_of_all(translate(&r), HEAD, "\"text\":\""), "so on");
    assert_lacks(last.text, STOP);
    assert_holds(last.text, "MAX_TOKENS");
    r.upstream = EVENT(CHUNK("0", PART("so"), STOP)) EVENT(CHUNK("0", PART(PEM("\\n")), STOP));
    assert_holds(translate(&r), SPII);
    assert_lacks(last.text, STOP);
    r.upstream = EVENT(CHUNK("0", PART("so"), STOP)) EVENT(CHUNK("0", CALL(KEY), STOP));
    assert_holds(translate(&r), CALL(KEY_LABEL));
    assert_int_equal(count_of(last.text, STOP), 1);
}

static void a_candidate_that_ended_stays_so(void **state)
{
    struct answer_request r = events_of(EVENT(CHUNK("0", PART("so"), STOP)) EVENT(CHUNK("1", PART("an"), "")) EVENT(CHUNK("1", PART("d"), STOP)));
    (void)state;
    r.body = "{\"contents\":[],\"generationConfig\":{\"candidateCount\":2}}";
    for (r.cut = 0; r.cut < 5; r.cut++) {
        assert_int_equal(count_of(translate(&r), STOP), 2);
        assert_lacks(last.text, "MAX_TOKENS");
        assert_true(last.needed_no_more);
    }
}

static void arguments_are_redacted_in_place(void **state)
{
    (void)state;
    assert_any_cutting(events_of(EVENT(CHUNK("0", CALL(KEY), STOP))),
                       EVENT(CHUNK("0", CALL(KEY_LABEL), STOP)));
}

static void a_withheld_call_is_left_out(void **state)
{
    (void)state;
    const char *notice =
        "data: " HEAD "\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" NOTICE
        "\"}],\"role\":\"model\"},\"index\":0}]}\n\n";
    assert_holds(translate(&(struct answer_request){
                     .protocol = "gemini",
                     .path = "/v1beta/models/m:streamGenerateContent",
                     .query = "alt=sse",
                     .body = "{}",
                     .upstream = EVENT(CHUNK("0", CALL(PEM("\\n")) "," CALL("ok"), STOP))}),
                 notice);
    assert_holds(last.text, EVENT(CHUNK("0", CALL("ok"), STOP)));
    assert_int_equal(last.action, ACTION_BLOCK);
    assert_holds(
        translate(&(struct answer_request){.protocol = "gemini",
                                           .path = "/v1beta/models/m:streamGenerateContent",
                                           .query = "alt=sse",
                                           .body = "{}",
                                           .upstream = EVENT(CHUNK("0", CALL(PEM("\\n")), STOP))}),
        notice);
    assert_holds(last.text, "\"finishReason\":\"SPII\"");
    assert_lacks(last.text, "MIIE");
}

/* All parts of a kind are one text: a key may be cut over them. */
static void parts_of_one_body_are_one_text(void **state)
{
    struct answer_request r = events_of(CHUNK(
        "0", "{\"text\":\"first, \"},{\"text\":\"AKIAQWB5PD\"},{\"text\":\"KHX6PYGPAN.\"}", STOP));
    (void)state;
    r.path = "/v1beta/models/m:generateContent";
    r.type = "application/json";
    const char *text = text_of_all(translate(&r), "", "\"text\":\"");
    assert_string_equal(text, "first, " KEY_LABEL ".");
}

static void a_cut_answer_is_closed(void **state)
{
    (void)state;
    assert_holds(
        translate(&(struct answer_request){.protocol = "gemini",
                                           .path = "/v1beta/models/m:streamGenerateContent",
                                           .query = "alt=sse",
                                           .body = "{}",
                                           .upstream = EVENT(CHUNK("0", PART("so"), ""))}),
        "\"text\":\"so\"");
    assert_holds(last.text, "\"finishReason\":\"MAX_TOKENS\"");
}

static void errors_and_unknown_members_are_judged(void **state)
{
    (void)state;
    assert_any_cutting(events_of(EVENT("{\"candidates\":[],\"note\":\"" KEY "\"}")
                                     EVENT("{\"error\":{\"code\":500,\"message\":\"" KEY "\"}}")),
                       EVENT("{\"candidates\":[]}") EVENT("{\"candidates\":[],\"note\":\"" KEY_LABEL "\"}")
                           EVENT("{\"error\":{\"code\":500,\"message\":\"" KEY_LABEL "\"}}"));
}

static void a_body_is_rewritten_in_place(void **state)
{
    struct answer_request r =
        events_of(CHUNK("0", THOUGHT(KEY) "," PART("a " KEY) "," CALL(KEY), STOP));
    (void)state;
    r.path = "/v1beta/models/gemini-2.5:generateContent";
    r.type = "application/json";
    assert_any_cutting(
        r, CHUNK("0", THOUGHT(KEY_LABEL) "," PART("a " KEY_LABEL) "," CALL(KEY_LABEL), STOP));
    r.upstream = CHUNK("0", PART(PEM("\\n")), STOP);
    assert_lacks(translate(&r), "MIIE");
    assert_holds(last.text, "\"finishReason\":\"SPII\"");
}

#define LONG          "and so the story goes on and on, as nobody has told it yet. "
#define COST(members) ",\"usageMetadata\":{" members "}"
#define COUNTS                                                                                     \
    "\"promptTokenCount\":9,\"candidatesTokenCount\":12,\"thoughtsTokenCount\":3,\"totalTokenCount\":24"

/* A chunk that also says what the answer cost so far. */
#define COSTING(parts, rest, members)                                                              \
    HEAD "\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}" rest            \
         ",\"index\":0}]" COST(members) "}"

static void a_blocked_body_still_tells_what_it_cost(void **state)
{
    struct answer_request r = events_of(COSTING(
        PART(PEM("\\n")), STOP,
        "\"note\":\"said\",\"words\":4,\"promptTokensDetails\":[{\"modality\":\"TEXT\",\"tokenCount\":9}],"
        "\"cachedContentTokenCount\":\"said\",\"toolUsePromptTokenCount\":12345678," COUNTS));
    (void)state;
    r.path = "/v1beta/models/gemini-2.5:generateContent";
    r.type = "application/json";
    assert_holds(translate(&r), NOTICE);
    assert_holds(last.text, "\"usageMetadata\":{" COUNTS "}");
    r.upstream = COSTING(PART(PEM("\\n")), STOP, "\"note\":\"said\"");
    assert_lacks(translate(&r), "usageMetadata");
}

/* Each chunk counts all that came before it: the last that was read says what it cost. */
static void a_block_in_a_stream_tells_what_it_cost_so_far(void **state)
{
    struct answer_request r = events_of(EVENT(COSTING(PART("a. " LONG), "", "\"totalTokenCount\":10")) EVENT(
        COSTING(PART(" " PEM("\\n") LONG LONG LONG LONG), "", "\"note\":\"said\"," COUNTS)) EVENT(COSTING(PART("b"), STOP, "\"totalTokenCount\":30")));
    (void)state;
    for (r.cut = 0; r.cut < 5; r.cut++) {
        assert_holds(translate(&r), "\"totalTokenCount\":10");
        assert_holds(last.text, COST(COUNTS) ",\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"\\n\\n" NOTICE "\"}],"
                                             "\"role\":\"model\"},\"index\":0" SPII "}]}");
        assert_lacks(last.text, "said");
        assert_lacks(last.text, "\"totalTokenCount\":30");
    }
}

/* Google's Python client takes a comment between two events for JSON, and fails. */
static void between_events_there_is_white_space_alone(void **state)
{
    (void)state;
    assert_int_equal(strspn(protocol_gemini.heartbeat, "\r\n"), strlen(protocol_gemini.heartbeat));
}

/* A string where a part is expected is kept, as any other that no table knows: it was taken out in silence, in the last chunk. */
static void a_text_in_place_of_a_part_stays(void **state)
{
    struct answer_request r = {.protocol = "gemini", .path = "/v1beta/models/m:streamGenerateContent", .query = "alt=sse", .body = "{}",
                               .type = "text/event-stream",
                               .upstream = "data: {\"candidates\":[{\"index\":0,\"content\":{\"role\":\"model\",\"parts\":[{\"text\":\"\"},\"so be it\"]},\"finishReason\":\"STOP\"}]}\n\n"};

    (void)state;
    assert_holds(translate(&r), "\"so be it\"");
    assert_true(last.is_read && !last.is_blocked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_end_carries_the_rest),
        cmocka_unit_test(thoughts_are_a_channel_of_their_own),
        cmocka_unit_test(a_block_ends_with_its_reason),
        cmocka_unit_test(an_array_stays_an_array),
        cmocka_unit_test(an_array_ends_when_it_is_closed),
        cmocka_unit_test(events_whose_candidates_have_all_ended_need_no_more),
        cmocka_unit_test(a_reason_with_every_chunk),
        cmocka_unit_test(what_comes_behind_a_reason_is_said),
        cmocka_unit_test(a_candidate_that_ended_stays_so),
        cmocka_unit_test(arguments_are_redacted_in_place),
        cmocka_unit_test(a_withheld_call_is_left_out),
        cmocka_unit_test(parts_of_one_body_are_one_text),
        cmocka_unit_test(a_text_in_place_of_a_part_stays),
        cmocka_unit_test(a_cut_answer_is_closed),
        cmocka_unit_test(errors_and_unknown_members_are_judged),
        cmocka_unit_test(a_body_is_rewritten_in_place),
        cmocka_unit_test(a_blocked_body_still_tells_what_it_cost),
        cmocka_unit_test(a_block_in_a_stream_tells_what_it_cost_so_far),
        cmocka_unit_test(between_events_there_is_white_space_alone),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
