/* Strings that come at one place of a stream one after another are judged as one text: pieces of a token in ids, in members of several
 * items, in lists whose elements clients join. */
#include "unit/protocol/answer.h"

#define ONE   "AKIAQWB5PD"
#define HALF  "KHX6PYGPAN"
#define A     "AKIAQW"
#define B     "B5PDKHX"
#define C     "6PYGPAN"

#define DATA(json) "data: " json "\n\n"
#define EVENT(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"," rest "}\n\n"
#define CHAT(id, rest) DATA("{\"id\":\"" id "\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0," rest "}]}")
#define TEXT(id) CHAT(id, "\"delta\":{\"role\":\"assistant\"},\"finish_reason\":null")
#define WITH(members) DATA("{\"id\":\"chatcmpl-1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so \"," members "},\"finish_reason\":null}]}")
#define STOPS CHAT("chatcmpl-1", "\"delta\":{},\"finish_reason\":\"stop\"") DATA("[DONE]")
#define ITEM(index, members)                                                                                           \
    DATA("{\"type\":\"response.output_item.added\",\"output_index\":" index ",\"item\":{\"type\":\"message\",\"content\":[]," members "}}")     \
        DATA("{\"type\":\"response.output_item.done\",\"output_index\":" index ",\"item\":{\"type\":\"message\",\"content\":[]," members "}}")
#define CREATED DATA("{\"type\":\"response.created\",\"response\":{\"id\":\"resp_1\",\"output\":[]}}")
#define ENDS(type) DATA("{\"type\":\"" type "\",\"response\":{\"id\":\"resp_1\",\"status\":\"completed\",\"output\":[]}}")
#define PART(index, text)                                                                                              \
    DATA("{\"type\":\"response.output_text.delta\",\"item_id\":\"i" index "\",\"output_index\":" index ",\"content_index\":0,\"delta\":\"" text "\"}")       \
        DATA("{\"type\":\"response.output_text.done\",\"item_id\":\"i" index "\",\"output_index\":" index ",\"content_index\":0,\"text\":\"" text "\"}")
#define LONG "it was said at some length, and again, that all of this is the name of nothing but "

#define OPENAI(at) .protocol = "openai", .path = at, .body = "{\"stream\":true}", .type = "text/event-stream"
#define REALTIME .protocol = "openai", .method = "", .path = "/realtime/response", .type = "text/event-stream"

/* In each answer the last piece of a key must not leave. */
static const struct joined_case {
    const char *what;
    struct answer_request request;
    const char *last;
} cases[] = {
    {"ids of two events", {OPENAI("/v1/chat/completions"), .upstream = TEXT(ONE) TEXT(HALF) STOPS}, HALF},
    {"ids of three events, behind another", {OPENAI("/v1/chat/completions"), .upstream = TEXT("chatcmpl-1") TEXT(A) TEXT(B) TEXT(C) STOPS}, C},
    {"ids, each said several times",
     {OPENAI("/v1/chat/completions"), .upstream = TEXT("chatcmpl-1") TEXT(ONE) TEXT(ONE) TEXT(HALF) TEXT(HALF) STOPS}, HALF},
    {"objects in a container of counts",
     {OPENAI("/v1/chat/completions"), .upstream = DATA("{\"id\":\"c\",\"choices\":[],\"usage\":{\"by\":[{\"c\":\"" A "\"},{\"c\":\"" B "\"},{\"c\":\"" C "\"}]}}") STOPS},
     B},
    {"a list in which texts are long", {OPENAI("/v1/chat/completions"), .upstream = WITH("\"new\":[\"" LONG ONE "\",\"" HALF " " LONG "\"]") STOPS}, HALF},
    {"a list of letters and of codes",
     {OPENAI("/v1/chat/completions"),
      .upstream = WITH("\"new\":[\"A\",75,\"I\",65,\"QWB5PD\",75,72,\"X6PYGPAN\"]") STOPS},
     "X6PYGPAN"},
    {"two items", {OPENAI("/v1/responses"), .upstream = CREATED ITEM("0", "\"new\":\"" ONE "\"") ITEM("1", "\"new\":\"" HALF "\"") ENDS("response.completed")}, HALF},
    {"codes of two items",
     {OPENAI("/v1/responses"),
      .upstream = CREATED ITEM("0", "\"new\":[65,75,73,65,81,87,66,53,80,68]") ITEM("1", "\"new\":[75,72,88,54,80,89,71,80,65,78]") ENDS("response.completed")},
     "75,72,88,54,80,89,71,80,65,78"},
    {"ids of two items", {OPENAI("/v1/responses"), .upstream = CREATED ITEM("0", "\"id\":\"" ONE "\"") ITEM("1", "\"id\":\"" HALF "\"") ENDS("response.completed")}, HALF},
    {"two items of Realtime", {REALTIME, .upstream = CREATED ITEM("0", "\"new\":\"" ONE "\"") ITEM("1", "\"new\":\"" HALF "\"") ENDS("response.done")}, HALF},
    {"texts of two items of Realtime",
     {REALTIME, .upstream = CREATED ITEM("0", "\"id\":\"i0\"") PART("0", ONE) ITEM("1", "\"id\":\"i1\"") PART("1", HALF) ENDS("response.done")}, HALF},
    {"a text that the start of content has",
     {.protocol = "cohere", .path = "/v2/chat", .body = "{\"stream\":true}", .type = "text/event-stream",
      .upstream = EVENT("message-start", "\"id\":\"c-1\",\"delta\":{\"message\":{\"role\":\"assistant\",\"content\":[]}}")
          EVENT("content-start", "\"index\":0,\"delta\":{\"message\":{\"content\":{\"type\":\"text\",\"text\":\"" ONE "\"}}}")
              EVENT("content-delta", "\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"" HALF "\"}}}") EVENT("content-end", "\"index\":0")
                  EVENT("message-end", "\"delta\":{\"finish_reason\":\"COMPLETE\"}")}, HALF},
    {"ids of lines", {.protocol = "ollama", .path = "/api/chat", .body = "{}", .type = "application/x-ndjson",
     .upstream = "{\"model\":\"" ONE "\",\"message\":{\"role\":\"assistant\"},\"done\":false}\n"
                 "{\"model\":\"" HALF "\",\"message\":{\"role\":\"assistant\"},\"done\":false}\n"
                 "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"}, HALF},
};

static void pieces_at_one_place_are_judged_as_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct answer_request r = cases[i].request;
        for (r.cut = 0; r.cut < 4; r.cut++) {
            const char *out = translate(&r);
            if (strstr(out, cases[i].last) != NULL) {
                fail_msg("%s: %s", cases[i].what, out);
            }
            if (last.action != ACTION_REDACT || !last.is_read || !last.is_over) {
                fail_msg("%s: %s", cases[i].what, out);
            }
        }
    }
}

/* What blocks is redacted in the end of the answer, which repeats its items. */
static void the_end_of_a_blocked_answer_has_no_token(void **state)
{
#define GITHUB_ONE  "ghp_8HlrwYMfvea9lkx"
#define GITHUB_HALF "wkkMxzwwM5hpA6e336DbE"
    struct answer_request r = {OPENAI("/v1/responses"),
                               .upstream = CREATED ITEM("0", "\"id\":[{\"c\":\"" GITHUB_ONE "\"},{\"c\":\"" GITHUB_HALF "\"}]") ENDS("response.completed")};
    (void)state;
    assert_lacks(translate(&r), GITHUB_HALF);
    assert_true(last.is_blocked);
}

/* Ids of one kind, times, addresses and texts with blanks around the joint are others, and no more of the one before. */
static void what_only_follows_passes(void **state)
{
#define SAYS(id, time, url, title)                                                                                     \
    DATA("{\"id\":\"" id "\",\"time\":\"" time "\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"so \"},\"finish_reason\":null}]}")             \
        DATA("{\"id\":\"" id "\",\"choices\":[{\"index\":0,\"delta\":{\"annotations\":[{\"url\":\"" url "\",\"title\":\"" title "\"}]}}]}")
    struct answer_request r = {
        OPENAI("/v1/chat/completions"),
        .upstream = SAYS("chatcmpl-9MqzT4wVn2bKx7RjLdPfYc0HsAuEo", "2026-11-30T15:08:59Z", "https://a.example/AKIA", "about " ONE)
            SAYS("chatcmpl-57ee05cde00942c7bebff20686734721", "2026-11-30T15:09:00Z", "https://a.example/QWB5PDKHX6PYGPAN", " " HALF)
                STOPS};
    (void)state;
    const char *out = translate(&r);
    assert_int_equal(last.action, ACTION_ALLOW);
    assert_int_equal(last.n_findings, 0);
    assert_holds(out, "https://a.example/QWB5PDKHX6PYGPAN");
    assert_holds(out, "2026-11-30T15:09:00Z");
    assert_holds(out, "\" " HALF "\"");
}

/* What two items of Realtime say in a new member is two values. */
static void values_of_two_items_stay(void **state)
{
    struct answer_request r = {REALTIME, .upstream = CREATED ITEM("0", "\"new\":\"one\"") ITEM("1", "\"new\":\"two\"") ENDS("response.done")};
    (void)state;
    assert_holds(translate(&r), "\"new\":\"two\"");
    assert_int_equal(last.action, ACTION_ALLOW);
}

/* More places than are remembered, and more pieces of one. */
static void what_is_remembered_is_bounded(void **state)
{
    static char upstream[1 << 18];
    size_t n = 0;

    (void)state;
    for (int i = 0; i < 400; i++) {
        n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "data: {\"id\":\"%dx%d\",\"new%d\":\"v%d\",\"choices\":[]}\n\n", i, i, i, i);
    }
    (void)snprintf(upstream + n, sizeof(upstream) - n, STOPS);
    struct answer_request r = {OPENAI("/v1/chat/completions"), .upstream = upstream};
    const char *out = translate(&r);
    assert_int_equal(last.action, ACTION_ALLOW);
    assert_holds(out, "\"new399\":\"v399\"");
    assert_true(last.is_read && last.is_over);
}

/* The halves of a token behind so many other strings of an array of objects, however many are read at a time. */
static void a_token_is_found_behind_many_strings(void **state)
{
    static char upstream[1 << 16];
    struct answer_request r = {OPENAI("/v1/chat/completions"), .upstream = upstream};

    (void)state;
    for (int before = 0; before < 140; before++) {
        size_t n = (size_t)snprintf(upstream, sizeof(upstream), "data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"by\":[");
        for (int i = 0; i < before; i++) {
            n += (size_t)snprintf(upstream + n, sizeof(upstream) - n, "{\"c\":\"v %d \"},", i);
        }
        (void)snprintf(upstream + n, sizeof(upstream) - n, "{\"c\":\"" ONE "\"},{\"c\":\"" HALF "\"}]}}\n\n" STOPS);
        assert_lacks(translate(&r), HALF);
        assert_int_equal(last.action, ACTION_REDACT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_at_one_place_are_judged_as_one),
        cmocka_unit_test(the_end_of_a_blocked_answer_has_no_token),
        cmocka_unit_test(what_only_follows_passes),
        cmocka_unit_test(values_of_two_items_stay),
        cmocka_unit_test(what_is_remembered_is_bounded),
        cmocka_unit_test(a_token_is_found_behind_many_strings),
    };
    return cmocka_run_group_tests(tests, open_setting, close_setting);
}
