/* The same answers with a stream of our own below the translations, that holds as much as it is
 * told: whatever is held, the same text arrives, in events of the same shape, all of it before the
 * end. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "judge/originals.h"
#include "pipeline/load.h"
#include "pipeline/stream_inquiry.h"
#include "protocol/protocol.h"
#include "support/shipped.h"

enum { TEXTS = 64, TEXT_BYTES = 4096, OUT_BYTES = 1 << 16 };

/* --- the stream ------------------------------------------------------------------- */

struct stream_channel {
    char path[128], text[TEXT_BYTES];
    size_t len, released;
    bool has_ended;
    enum stream_ending how;
};

struct stream {
    struct stream_options options;
    struct stream_channel channels[TEXTS];
    size_t n, hold; /* bytes that each channel keeps back until its end */
    bool is_blocked;
};

static struct stream stream;

struct stream_channel *stream_channel_apart(struct stream *s, struct span path, struct error *err)
{
    struct stream_channel *c = &s->channels[s->n++];

    (void)err;
    (void)snprintf(c->path, sizeof(c->path), SPAN_FMT, SPAN_ARG(path));
    return c;
}

struct stream_channel *stream_channel(struct stream *s, struct span path, struct error *err)
{
    for (size_t i = 0; i < s->n; i++) {
        if (span_is(path, s->channels[i].path)) {
            return &s->channels[i];
        }
    }
    return stream_channel_apart(s, path, err);
}

static void release(struct stream_channel *c, size_t to, struct buf *out)
{
    struct error err;

    if (to > c->released) {
        assert_true(buf_append(out, span_of(c->text + c->released, to - c->released), &err));
        c->released = to;
    }
}

void stream_feed(struct stream *s, struct stream_channel *c, struct worker *w, struct span chunk,
                 struct buf *out)
{
    (void)w;
    assert_true(c->len + chunk.len <= TEXT_BYTES);
    memcpy(c->text + c->len, chunk.ptr, chunk.len);
    c->len += chunk.len;
    if (memmem(c->text, c->len, "STOP", 4) != NULL) {
        s->is_blocked = true;
    } else if (!s->is_blocked && c->len > s->hold) {
        release(c, c->len - s->hold, out);
    }
}

void stream_end(struct stream *s, struct stream_channel *c, struct worker *w,
                enum stream_ending how, struct buf *out)
{
    (void)w;
    assert_false(c->has_ended);
    c->has_ended = true;
    c->how = how;
    if (!s->is_blocked) {
        release(c, c->len, out);
    }
}

/* What is judged over two texts is held like them. */
struct stream *stream_new_beside(const struct stream *s, struct error *err)
{
    struct stream *beside = calloc(1, sizeof(*beside));

    (void)err;
    assert_non_null(beside);
    beside->hold = s->hold;
    return beside;
}

void stream_free(struct stream *s)
{
    free(s);
}

size_t stream_channel_held(const struct stream_channel *c)
{
    return c->len - c->released;
}

void stream_block(struct stream *s, struct span rule, const char *reason)
{
    (void)rule;
    (void)reason;
    s->is_blocked = true;
}

/* What the supervisor would be asked about is not looked at here. */
void stream_add_part(struct stream *s, const struct exchange *part)
{
    (void)s;
    (void)part;
}

bool stream_is_supervised(const struct stream *s)
{
    (void)s;
    return false;
}

bool stream_asks(const struct stream *s)
{
    (void)s;
    return false;
}

bool stream_waits(const struct stream *s)
{
    (void)s;
    return false;
}

void stream_mark(struct stream *s)
{
    (void)s;
}

/* The policies here seal nothing. */
struct originals *stream_originals(struct stream *s)
{
    static struct originals none;

    (void)s;
    return &none;
}

enum action stream_action(const struct stream *s)
{
    return s->is_blocked ? ACTION_BLOCK : ACTION_ALLOW;
}

struct span stream_notice(const struct stream *s)
{
    return s->options.policy->notice;
}

void stream_exchange(const struct stream *s, struct exchange *out)
{
    *out = (struct exchange){
        .snapshot = s->options.snapshot, .policy = s->options.policy, .action = stream_action(s)};
}

/* --- answers ------------------------------------------------------------------------ */

static const struct answer {
    const char *protocol, *path, *query, *body, *type;
    const char *before; /* what stands before a piece of the text */
    const char *end;    /* what ends the text, and may not come earlier */
    const char *upstream;
} answers[] = {
#define CHAT(delta, finish)                                                                        \
    "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{" delta                              \
    "},\"finish_reason\":" finish "}]}\n\n"
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream",
     "\"content\":\"", "\"finish_reason\":\"stop\"",
     CHAT("\"content\":\"Gr\xc3\xbc\xc3\x9f\"", "null") CHAT("\"content\":\"e \\ud83d\"", "null")
         CHAT("\"content\":\"\\ude00 an\"", "null")
             CHAT("\"content\":\" alle\"", "\"stop\"") "data: [DONE]\n\n"},
#define MESSAGE(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define PIECE(text)                                                                                \
    MESSAGE("content_block_delta",                                                                 \
            ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"" text "\"}")
    {"anthropic", "/v1/messages", "", "{\"stream\":true}", "text/event-stream",
     "\"text_delta\",\"text\":\"", "\"content_block_stop\"",
     MESSAGE("message_start", ",\"message\":{}") MESSAGE(
         "content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}")
         PIECE("Gr\xc3\xbc\xc3\x9f") PIECE("e \\ud83d") PIECE("\\ude00 an") PIECE(" alle")
             MESSAGE("content_block_stop", ",\"index\":0")
                 MESSAGE("message_delta", ",\"delta\":{\"stop_reason\":\"end_turn\"}")
                     MESSAGE("message_stop", "")},
#define LINE(text) "{\"message\":{\"content\":\"" text "\"},\"done\":false}\n"
    {"ollama", "/api/chat", "", "{}", "application/x-ndjson", "\"content\":\"", "\"done\":true",
     LINE("Gr\xc3\xbc\xc3\x9f") LINE("e \\ud83d") LINE("\\ude00 an")
         LINE(" alle") "{\"message\":{\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\"}\n"},
#define CHUNK(text, rest)                                                                          \
    "data: {\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"" text "\"}]}" rest "}]}\n\n"
    {"gemini", "/v1/models/m:streamGenerateContent", "alt=sse", "{}", "text/event-stream",
     "\"text\":\"", "\"finishReason\"",
     CHUNK("Gr\xc3\xbc\xc3\x9f", "") CHUNK("e \\ud83d", "") CHUNK("\\ude00 an", "")
         CHUNK(" alle", ",\"finishReason\":\"STOP\"")},
#define CONTENT(text)                                                                              \
    MESSAGE("content-delta",                                                                       \
            ",\"index\":0,\"delta\":{\"message\":{\"content\":{\"text\":\"" text "\"}}}")
    {"cohere", "/v2/chat", "", "{\"stream\":true}", "text/event-stream", "{\"text\":\"",
     "\"content-end\"",
     MESSAGE("message-start", "") MESSAGE("content-start", ",\"index\":0")
         CONTENT("Gr\xc3\xbc\xc3\x9f") CONTENT("e \\ud83d") CONTENT("\\ude00 an") CONTENT(" alle")
             MESSAGE("content-end", ",\"index\":0")
                 MESSAGE("message-end", ",\"delta\":{\"finish_reason\":\"COMPLETE\"}")},
#define DELTA(text)                                                                                \
    MESSAGE("response.output_text.delta",                                                          \
            ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"delta\":\"" text "\"")
    {"openai", "/v1/responses", "", "{\"stream\":true}", "text/event-stream", "\"delta\":\"",
     "\"response.output_text.done\"",
     MESSAGE("response.created", ",\"response\":{\"id\":\"r\",\"output\":[]}")
         MESSAGE("response.output_item.added",
                 ",\"output_index\":0,\"item\":{\"id\":\"m\",\"type\":\"message\",\"content\":[]}")
             DELTA("Gr\xc3\xbc\xc3\x9f") DELTA("e \\ud83d") DELTA("\\ude00 an") DELTA(" alle")
                 MESSAGE("response.output_text.done",
                         ",\"item_id\":\"m\",\"output_index\":0,\"content_index\":0,\"text\":\"x\"")
                     MESSAGE("response.completed", ",\"response\":{\"id\":\"r\",\"output\":[]}")},
};

#define TEXT                                                                                       \
    "Gr\xc3\xbc\xc3\x9f"                                                                           \
    "e \xf0\x9f\x98\x80 an alle"

static struct snapshot *snapshot;
static struct worker *worker;
static char out_text[OUT_BYTES];

static void translate_ended(const struct answer *a, struct span upstream, size_t step,
                            bool is_whole)
{
    struct translation_request request = {.path = span_str(a->path),
                                          .query = span_str(a->query),
                                          .body = span_str(a->body),
                                          .stream = &stream,
                                          .event_max = OUT_BYTES};
    const struct protocol *p = protocol_find(span_str(a->protocol));
    struct error err;
    struct buf out;

    buf_init(&out, OUT_BYTES - 1);
    assert_int_equal(protocol_route(p, span_str("POST"), request.path, &request.route),
                     ROUTE_JUDGED);
    struct translation *t = translation_new(&request, &err);
    assert_non_null(t);
    assert_int_equal(translation_head(t, 200, span_str(a->type)), HEAD_OK);
    for (size_t at = 0; at < upstream.len; at += step) {
        size_t end = upstream.len - at < step ? upstream.len : at + step;
        assert_true(translation_feed(t, worker, span_slice(upstream, at, end), &out, &err));
    }
    assert_true(translation_end(t, worker, is_whole, &out, &err));
    assert_true(translation_is_over(t));
    translation_free(t);
    memcpy(out_text, out.data, out.len);
    out_text[out.len] = '\0';
    buf_deinit(&out);
}

static void translate(const struct answer *a, struct span upstream, size_t step)
{
    translate_ended(a, upstream, step, true);
}

/* The text that arrives before the event that ends it. */
static void join(const struct answer *a, char *joined)
{
    const char *end = strstr(out_text, a->end);

    assert_non_null(end);
    end += strcspn(end, "\n");
    *joined = '\0';
    for (const char *at = strstr(out_text, a->before); at != NULL && at < end;
         at = strstr(at, a->before)) {
        at += strlen(a->before);
        size_t n = strcspn(at, "\"");
        size_t len = strlen(joined);
        memcpy(joined + len, at, n);
        joined[len + n] = '\0';
    }
}

static void open_stream(size_t hold)
{
    memset(&stream, 0, sizeof(stream));
    stream.hold = hold;
    stream.options.snapshot = snapshot;
    stream.options.policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0});
}

static void the_same_text_arrives_whatever_is_held(void **state)
{
    char joined[OUT_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        for (size_t hold = 0; hold <= sizeof(TEXT); hold++) {
            open_stream(hold);
            translate(&answers[i], span_str(answers[i].upstream), 1 + hold % 3);
            join(&answers[i], joined);
            assert_string_equal(joined, TEXT);
        }
    }
}

static void an_answer_that_breaks_off_arrives_as_far_as_it_came(void **state)
{
    char joined[OUT_BYTES];
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        const char *last_piece = strstr(answers[i].upstream, "\\ude00 an");
        size_t len = (size_t)(last_piece - answers[i].upstream) + strcspn(last_piece, "\n") + 1;
        for (size_t hold = 0; hold <= sizeof(TEXT); hold += 3) {
            struct answer a = answers[i];
            open_stream(hold);
            translate(&a, span_of(a.upstream, len), 1000);
            a.end = "";
            *joined = '\0';
            for (const char *at = strstr(out_text, a.before); at != NULL;
                 at = strstr(at, a.before)) {
                at += strlen(a.before);
                (void)snprintf(joined + strlen(joined), 64, "%.*s", (int)strcspn(at, "\""), at);
            }
            assert_true(strncmp(joined,
                                "Gr\xc3\xbc\xc3\x9f"
                                "e \xf0\x9f\x98\x80 an",
                                13) == 0);
        }
    }
}

/* A part of a secret at the end of a text is redacted only where the stream is told so. */
static void texts_of_a_broken_answer_end_as_cut_off(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        const char *last_piece = strstr(answers[i].upstream, "\\ude00 an");
        size_t len = (size_t)(last_piece - answers[i].upstream) + strcspn(last_piece, "\n") + 1;
        for (int is_whole = 0; is_whole <= 1; is_whole++) {
            open_stream(0);
            translate_ended(&answers[i], span_of(answers[i].upstream, len), 1000, is_whole);
            assert_int_equal(stream.n, 1);
            assert_true(stream.channels[0].has_ended);
            assert_int_equal(stream.channels[0].how, STREAM_TRUNCATED);
        }
        open_stream(0);
        translate(&answers[i], span_str(answers[i].upstream), 1000);
        assert_int_equal(stream.channels[0].how, STREAM_COMPLETE);
    }
}

static void a_block_keeps_what_was_released_and_ends(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(answers); i++) {
        char upstream[4096];
        (void)snprintf(upstream, sizeof(upstream), "%s", answers[i].upstream);
        char *piece = strstr(upstream, " alle");
        memcpy(piece, " STOP", 5);
        open_stream(0);
        translate(&answers[i], span_str(upstream), 1000);
        assert_null(strstr(out_text, "STOP\""));
        assert_non_null(strstr(out_text, "Gr\xc3\xbc\xc3\x9f"));
        assert_non_null(strstr(out_text, "This answer was withheld by policy."));
    }
}

static int open_all(void **state)
{
    const struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    (void)state;
    snapshot = snapshot_open(NULL, NULL, &options, &err);
    worker = worker_new(&limits, NULL, &err);
    return snapshot == NULL || worker == NULL;
}

static int close_all(void **state)
{
    (void)state;
    worker_free(worker);
    snapshot_unref(snapshot);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_text_arrives_whatever_is_held),
        cmocka_unit_test(an_answer_that_breaks_off_arrives_as_far_as_it_came),
        cmocka_unit_test(texts_of_a_broken_answer_end_as_cut_off),
        cmocka_unit_test(a_block_keeps_what_was_released_and_ends),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
