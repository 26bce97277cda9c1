/* test_kept.c - answers about parts of which a supervisor is asked: what waits, and how an answer ends that is blocked there. */
#include "testing.h"

#include <string.h>

#include "pipeline/stream_inquiry.h"
#include "policy/supervisor.h"
#include "protocol/protocol.h"
#include "support/judge.h"

enum { ROOM = 1 << 16, MESSAGES_MAX = 20 };

static const char rules[] = "rules:\n" TEST_RULE("hint", "content", "low", "0.5", "pattern: hint")
    TEST_RULE("bomb", "injection", "high", "0.9", "pattern: BOMB");

#define POLICY(name, questions)                                                                                        \
    "  " name ":\n    rules: [local]\n    actions: [{category: injection, action: block}]\n"                             \
    "    supervisor: {when: {category: content}, hold: sentence" questions "}\n    notice: withheld\n"
static const char policy[] = "policies:\n" POLICY("default", "") POLICY("one", ", questions: 1");

/* Six pieces of one text; the units that hold a hint end in the first, the fourth and with the text. */
#define PIECES(piece)                                                                                                  \
    piece("A hint. "), piece("Fine. "), piece("Then a "), piece("hint here. "), piece("More, fine. "), piece("A last hint")
#define TEXT "A hint. Fine. Then a hint here. More, fine. A last hint"

static const struct answer {
    const char *protocol, *path, *query, *body, *type;
    const char *before; /* what stands before a piece of the text */
    const char *messages[MESSAGES_MAX];
} answers[] = {
#define CHAT(delta, finish)                                                                                            \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{" delta "},\"finish_reason\":" finish "}]}\n\n"
#define CHAT_PIECE(text) CHAT("\"content\":\"" text "\"", "null")
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream", "\"content\":\"",
     {CHAT("\"role\":\"assistant\"", "null"), PIECES(CHAT_PIECE), CHAT("", "\"stop\""), "data: [DONE]\n\n"}},
    /* The end comes with the text. */
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream", "\"content\":\"",
     {PIECES(CHAT_PIECE), CHAT("\"content\":\" of all\"", "\"stop\"")}},
#define MESSAGE(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define CLAUDE_PIECE(text)                                                                                             \
    MESSAGE("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}")
    {"anthropic", "/v1/messages", "", "{\"stream\":true}", "text/event-stream", "\"text_delta\",\"text\":\"",
     {MESSAGE("message_start", ",\"message\":{}"),
      MESSAGE("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
      PIECES(CLAUDE_PIECE), MESSAGE("content_block_stop", ",\"index\":0"),
      MESSAGE("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}"), MESSAGE("message_stop", "")}},
#define OLLAMA_PIECE(text) "{\"message\":{\"content\":\"" text "\"},\"done\":false}\n"
    {"ollama", "/api/chat", "", "{}", "application/x-ndjson", "\"content\":\"",
     {PIECES(OLLAMA_PIECE), "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"}},
#define GEMINI(text, rest) "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" text "\"}]}" rest "}]}\n\n"
#define GEMINI_PIECE(text) GEMINI(text, "")
    {"gemini", "/v1/models/m:streamGenerateContent", "alt=sse", "{}", "text/event-stream", "\"text\":\"",
     {PIECES(GEMINI_PIECE), GEMINI("", ",\"finishReason\":\"STOP\"")}},
#define COHERE_PIECE(text)                                                                                             \
    MESSAGE("content-delta", ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")
    {"cohere", "/v2/chat", "", "{\"stream\":true}", "text/event-stream", "{\"text\":\"",
     {MESSAGE("message-start", ""), MESSAGE("content-start", ",\"index\":0"), PIECES(COHERE_PIECE),
      MESSAGE("content-end", ",\"index\":0"), MESSAGE("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}")}},
#define RESPONSES_PIECE(text)                                                                                          \
    MESSAGE("response.output_text.delta",                                                                              \
            ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
    {"openai", "/v1/responses", "", "{\"stream\":true}", "text/event-stream", "\"delta\":\"",
     {MESSAGE("response.created", ",\"response\":{\"id\":\"r\",\"output\":[]}"),
      MESSAGE("response.output_item.added", ",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[]}"),
      PIECES(RESPONSES_PIECE),
      MESSAGE("response.output_text.done", ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"text\":\"x\""),
      MESSAGE("response.completed", ",\"response\":{\"id\":\"r\",\"output\":[]}")}},
};

/* One answer on its way; the question of number `evil` gets a violation as its answer. */
struct way {
    struct stream *stream;
    struct translation *translation;
    struct buf out;
    unsigned asked, evil;
    size_t at, blocked_at; /* messages taken; when it was blocked */
};

static struct judge judge;

static void open_bounded(struct way *w, const struct answer *a, unsigned evil, const char *name, size_t waiting_max)
{
    const struct stream_options options = {
        .snapshot = judge.snapshot,
        .policy = snapshot_policy(judge.snapshot, span_str(name), (struct span){0}),
        .text_max = ROOM,
        .hold_max = ROOM,
        .can_wait = true,
    };
    struct translation_request request = {.path = span_str(a->path),
                                          .query = span_str(a->query),
                                          .body = span_str(a->body),
                                          .event_max = ROOM,
                                          .waiting_max = waiting_max};
    struct error err;

    *w = (struct way){.evil = evil};
    buf_init(&w->out, ROOM);
    request.stream = w->stream = stream_new(&options, &err);
    assert_non_null(w->stream);
    assert_int_equal(protocol_route(protocol_find(span_str(a->protocol)), span_str("POST"), request.path, &request.route),
                     ROUTE_JUDGED);
    w->translation = translation_new(&request, &err);
    assert_non_null(w->translation);
    assert_int_equal(translation_head(w->translation, 200, span_str(a->type)), HEAD_OK);
}

static void open_way(struct way *w, const struct answer *a, unsigned evil)
{
    open_bounded(w, a, evil, "default", ROOM);
}

static void close_way(struct way *w)
{
    translation_free(w->translation);
    stream_free(w->stream);
    buf_deinit(&w->out);
}

static void answer_questions(struct way *w)
{
    struct error err;
    struct exchange x;

    while (stream_asks(w->stream)) {
        struct supervision s = {.outcome = SUPERVISION_ANSWERED, .confidence = 0.9, .category = SUPERVISOR_HARM};
        size_t before = w->out.len;
        assert_true(stream_ask(w->stream, &x));
        s.is_violation = ++w->asked == w->evil;
        stream_take_answer(w->stream, judge.worker, &s);
        w->blocked_at = s.is_violation ? w->at : w->blocked_at;
        assert_int_equal(w->out.len, before);
        assert_true(translation_resume(w->translation, judge.worker, &w->out, &err));
    }
}

static void take(struct way *w, const struct answer *a, size_t n)
{
    struct error err;

    for (; w->at < n && a->messages[w->at] != NULL && !translation_is_over(w->translation); w->at++) {
        assert_true(translation_feed(w->translation, judge.worker, span_str(a->messages[w->at]), &w->out, &err));
        answer_questions(w);
    }
}

static void end(struct way *w)
{
    struct error err;

    assert_true(translation_end(w->translation, judge.worker, true, &w->out, &err));
    answer_questions(w);
    assert_true(translation_is_over(w->translation));
}

static void append_text(const struct way *w, const char *before, struct buf *text)
{
    struct span rest = buf_span(&w->out);
    struct error err;
    const char *at;

    while ((at = memmem(rest.ptr, rest.len, before, strlen(before))) != NULL) {
        rest = span_slice(rest, (size_t)(at - rest.ptr) + strlen(before), rest.len);
        const char *last = memchr(rest.ptr, '"', rest.len);
        assert_non_null(last);
        assert_true(buf_append(text, span_slice(rest, 0, (size_t)(last - rest.ptr)), &err));
    }
}

static void what_is_asked_about_and_fine_arrives(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct way w;
        struct buf text;
        buf_init(&text, ROOM);
        open_way(&w, &answers[i], 0);
        take(&w, &answers[i], MESSAGES_MAX);
        end(&w);
        append_text(&w, answers[i].before, &text);
        assert_int_equal(w.asked, 3);
        assert_true(span_starts_with(buf_span(&text), span_str(TEXT)));
        assert_int_equal(stream_action(w.stream), ACTION_ALLOW);
        assert_int_equal(translation_waiting(w.translation), 0);
        buf_deinit(&text);
        close_way(&w);
    }
}

/* Byte for byte as if it had been blocked from outside before the message that is asked about came. */
static void a_blocked_one_is_closed_from_where_it_stood(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        for (unsigned evil = 1; evil <= 3; evil++) {
            struct way w, before;
            open_way(&w, &answers[i], evil);
            take(&w, &answers[i], MESSAGES_MAX);
            end(&w);
            assert_int_equal(stream_action(w.stream), ACTION_BLOCK);
            open_way(&before, &answers[i], 0);
            take(&before, &answers[i], w.blocked_at);
            stream_block(before.stream, span_str("test"), NULL);
            end(&before);
            /* Of the first message it may still tell the id. */
            if (w.blocked_at > 0 && !span_equal(buf_span(&w.out), buf_span(&before.out))) {
                fail_msg("%s, question %u: " SPAN_FMT "\n--- expected: " SPAN_FMT, answers[i].path, evil,
                         SPAN_ARG(buf_span(&w.out)), SPAN_ARG(buf_span(&before.out)));
            }
            assert_non_null(memmem(w.out.data, w.out.len, "withheld", 8));
            assert_int_equal(stream_released(w.stream), stream_released(before.stream));
            close_way(&w);
            close_way(&before);
        }
    }
}

/* In pieces of the message that blocks by a rule there may be what was not asked about yet. */
static void a_rule_that_blocks_drops_what_waits(void **state)
{
    static const struct answer answer = {
        "openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream", "\"content\":\"",
        {CHAT_PIECE("Fine. "), CHAT_PIECE("A hint. A BOMB. "), "data: [DONE]\n\n"}};
    struct way w;

    (void)state;
    open_way(&w, &answer, 0);
    take(&w, &answer, MESSAGES_MAX);
    end(&w);
    assert_int_equal(w.asked, 0);
    assert_int_equal(stream_action(w.stream), ACTION_BLOCK);
    assert_null(memmem(w.out.data, w.out.len, "hint", 4));
    assert_non_null(memmem(w.out.data, w.out.len, "Fine. ", 6));
    close_way(&w);
}

static void all_that_comes_behind_waits_too(void **state)
{
    const struct answer *a = &answers[0];
    struct error err;
    struct way w;

    (void)state;
    open_way(&w, a, 0);
    for (size_t i = 0; a->messages[i] != NULL; i++) {
        assert_true(translation_feed(w.translation, judge.worker, span_str(a->messages[i]), &w.out, &err));
    }
    assert_true(stream_asks(w.stream));
    assert_null(memmem(w.out.data, w.out.len, "hint", 4));
    assert_true(translation_waiting(w.translation) > 0);
    answer_questions(&w);
    assert_true(translation_is_over(w.translation));
    assert_int_equal(w.asked, 3);
    assert_non_null(memmem(w.out.data, w.out.len, "[DONE]", 6));
    close_way(&w);
}

/* Of what comes behind a question, which is kept as it came, and of what was written for the last one. */
static void what_waits_is_bounded(void **state)
{
    static const char *const names[] = {"default", "one"};

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        const struct answer *a = &answers[0];
        enum { MOST = 256, MORE = 100 };
        struct error err;
        struct way w;
        bool is_read = true;
        open_bounded(&w, a, 0, names[i], MOST);
        take(&w, a, 1);
        for (size_t n = 0; n < MORE && is_read; n++) {
            is_read = translation_feed(w.translation, judge.worker, span_str(a->messages[1 + n % 6]), &w.out, &err);
            assert_in_range(translation_waiting(w.translation), 0, 2 * MOST);
        }
        assert_false(is_read);
        assert_int_equal(err.kind, ERROR_LIMIT);
        assert_int_equal(stream_action(w.stream), ACTION_BLOCK);
        assert_true(translation_is_over(w.translation));
        assert_null(memmem(w.out.data, w.out.len, "hint", 4));
        close_way(&w);
    }
}

/* Whatever blocks from outside, and whenever: what the client has been sent stays released, and nothing else is. */
static void a_block_from_outside_changes_nothing_that_has_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        for (size_t n = 1; answers[i].messages[n] != NULL; n++) {
            struct way w;
            struct buf text;
            buf_init(&text, ROOM);
            open_way(&w, &answers[i], 0);
            take(&w, &answers[i], n);
            append_text(&w, answers[i].before, &text);
            stream_block(w.stream, span_str("test"), NULL);
            assert_int_equal(stream_released(w.stream), text.len);
            buf_deinit(&text);
            close_way(&w);
        }
    }
}

/* Also where the answer was over but for what is asked about. */
static void a_block_from_outside_drops_what_waits(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        struct way w;
        struct error err;
        open_way(&w, &answers[i], 0);
        for (size_t at = 0; answers[i].messages[at] != NULL; at++) {
            assert_true(translation_feed(w.translation, judge.worker, span_str(answers[i].messages[at]), &w.out, &err));
            if (w.asked < 2) {
                answer_questions(&w);
            }
        }
        bool is_asked = stream_asks(w.stream);
        stream_block(w.stream, span_str("test"), NULL);
        assert_true(translation_end(w.translation, judge.worker, true, &w.out, &err));
        assert_true(translation_is_over(w.translation));
        assert_true(!is_asked || memmem(w.out.data, w.out.len, "A last", 6) == NULL);
        assert_int_equal(memmem(w.out.data, w.out.len, "withheld", 8) != NULL, true);
        close_way(&w);
    }
}

static int set_up(void **state)
{
    (void)state;
    return judge_init(&judge, rules, policy, false) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&judge);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_asked_about_and_fine_arrives),
        cmocka_unit_test(a_blocked_one_is_closed_from_where_it_stood),
        cmocka_unit_test(a_rule_that_blocks_drops_what_waits),
        cmocka_unit_test(all_that_comes_behind_waits_too),
        cmocka_unit_test(what_waits_is_bounded),
        cmocka_unit_test(a_block_from_outside_changes_nothing_that_has_left),
        cmocka_unit_test(a_block_from_outside_drops_what_waits),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
