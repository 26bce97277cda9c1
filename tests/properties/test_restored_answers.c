/* What a request had masked comes back in the answer as it was: in all protocols, whole and streamed, in texts and in arguments
 * of tool calls, however the answer is cut.
 *
 * FILTERD_CUTTINGS says how many cuttings of answers are tried, FILTERD_PIECES how many of texts alone, FILTERD_SEED where the
 * texts begin. */
#include "testing.h"

#include <stdio.h>

#include "base/ascii.h"
#include "base/cleanup.h"
#include "base/json.h"
#include "protocol/protocol.h"
#include "protocol/wire/tree.h"
#include "support/world.h"

enum { PROGRESS = 25000, CUTTINGS = 500, CHEAP_CUTTINGS = 100000, PER_TEXT = 4, ROOM = 1 << 20, TEXT_ROOM = 64 * 1024 };

/* --- texts ------------------------------------------------------------------------- */

static const struct {
    const char *kind;
    enum category category;
    const char *value;
} values[] = {
    {"person-name", CATEGORY_PII, "\xc5\xbdofia \"Zo\" O'Hara\\Example"},
    {"aws-access-key-id", CATEGORY_SECRET, "AKIAQWB5PDKHX6PYGPAN"},
    {"private-key", CATEGORY_SECRET, "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA7bq4pNkJ3xRzJt0mV9dQ\n-----END RSA PRIVATE KEY-----"},
    {"payment-card", CATEGORY_PII, "5105 1051 0510 5100"},
    {"email-address", CATEGORY_PII, "zofia.ohara@company-of-hers.org"},
    {"phone-international", CATEGORY_PII, "+44 7911 123456"},
    {"iban", CATEGORY_PII, "GB29 NWBK 6016 1331 9268 19"},
    {"generic-secret", CATEGORY_SECRET, "\t\"}]\n\\u005b{[\"\x7f"},
};

/* Digits end with what no card has: with the digits of a pseudonym they could be a valid number, which is a finding. */
static const char *const fillers[] = {"the answer is", "and then", "[", "]", "[1]", "[person-name-", "email-", "4111:", "+44:", "\n", "\\", "\"",
                                      "x", "[x](y)", "{", "}", "private", "[aws-access-key-id-", "see", ".", "a list of words,"};

struct texts {
    struct buf original, masked;
    struct random *random;
    struct masking *masking;
};

static void append(struct buf *b, struct span text)
{
    world_append(b, text);
}

/* Labels in any case; forms that are more than letters stay. */
static void append_pseudonym(struct texts *t, struct span p)
{
    bool may_change = random_below(t->random, 4) == 0;

    for (size_t i = 0; i < p.len; i++) {
        char c = p.ptr[i];
        bool is_changed = may_change && ascii_is_letter(c) && random_below(t->random, 2) == 0;
        append(&t->masked, span_of(is_changed ? (char[]){(char)(c ^ 0x20)} : &c, 1));
    }
}

/* Of a value that is, or is as if, of the k-th kind. */
static struct span pseudonym_of(struct texts *t, size_t k, struct span value)
{
    struct span kind = span_str(values[k].kind), pseudonym;
    struct masked_value v = {.kind = kind, .categories = 1U << values[k].category, .form = masking_form_of_rule(kind), .value = value};
    struct error err;

    if (!masking_pseudonym(t->masking, &v, NULL, 0, &pseudonym, &err)) {
        fail_msg("%s", err.text);
    }
    return pseudonym;
}

/* A value that says a pseudonym, or the end of one of which the text before it says the beginning. */
static struct span saying_value(struct texts *t, char *room)
{
    size_t k = random_below(t->random, COUNT(values));
    struct span p = pseudonym_of(t, k, span_str(values[k].value));
    size_t half = 1 + random_below(t->random, p.len - 1);

    if (random_below(t->random, 2) == 0) {
        return span_of(room, (size_t)snprintf(room, 2 * MASKING_PSEUDONYM_MAX, "mail:" SPAN_FMT "/x", SPAN_ARG(p)));
    }
    append(&t->original, span_slice(p, 0, half));
    append(&t->masked, span_slice(p, 0, half));
    return span_slice(p, half, p.len);
}

static void add_value(struct texts *t)
{
    char room[2 * MASKING_PSEUDONYM_MAX];
    size_t k = random_below(t->random, COUNT(values));
    struct span value = random_below(t->random, 4) == 0 ? saying_value(t, room) : span_str(values[k].value);

    append(&t->original, value);
    append_pseudonym(t, pseudonym_of(t, k, value));
}

static void make_texts(struct texts *t)
{
    size_t n = 1 + random_below(t->random, 8);

    buf_clear(&t->original);
    buf_clear(&t->masked);
    append(&t->original, span_str("so "));
    append(&t->masked, span_str("so "));
    for (size_t i = 0; i < n; i++) {
        struct span filler = span_str(fillers[random_below(t->random, COUNT(fillers))]);
        bool is_value = random_below(t->random, 2) == 0;
        if (is_value) {
            add_value(t);
        }
        append(&t->original, is_value ? span_str(" ") : filler);
        append(&t->masked, is_value ? span_str(" ") : filler);
        append(&t->original, span_str(" "));
        append(&t->masked, span_str(" "));
    }
}

/* The inside of a string of JSON, in which any character may be an escape. */
static void append_escaped(struct buf *out, struct span text, struct random *r)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        char escape[8];
        bool needs = c < 0x20 || c == '"' || c == '\\';
        if (needs || (c < 0x80 && random_below(r, 16) == 0)) {
            (void)snprintf(escape, sizeof(escape), random_below(r, 2) == 0 ? "\\u%04x" : "\\u%04X", c);
            append(out, span_str(escape));
        } else {
            append(out, span_of(text.ptr + i, 1));
        }
    }
}

/* --- protocols --------------------------------------------------------------------- */

/* How an upstream writes an answer: '@' is where a piece goes. */
struct shape {
    const char *protocol, *path, *query, *body, *type;
    const char *head, *text, *between, *call, *tail; /* text and call: one event for each piece */
    bool is_in_one;                                  /* there is one piece of each */
    bool is_object;                                  /* arguments are no string */
    const char *texts, *arguments;                   /* where the client finds them in a message; of is_object the note itself */
};

#define SSE(json)         "data: " json "\n\n"
#define NAMED(type, rest) "event: " type "\ndata: {\"type\":\"" type "\"" rest "}\n\n"
#define CHAT(delta, finish)                                                                                                \
    SSE("{\"id\":\"c-1\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{" delta \
        "},\"finish_reason\":" finish "}]}")
#define GEMINI(parts, rest) "{\"candidates\":[{\"content\":{\"parts\":[" parts "],\"role\":\"model\"}" rest ",\"index\":0}]}"
#define OLLAMA(message, rest)                                                                                              \
    "{\"model\":\"m\",\"created_at\":\"2026-01-02T03:04:05.678Z\",\"message\":{\"role\":\"assistant\"," message "}," rest "}\n"
#define DONE "\"done\":true,\"done_reason\":\"stop\""
#define COHERE(rest) ",\"delta\":{\"message\":{" rest "}}"
#define SEND "\"type\":\"function\",\"function\":{\"name\":\"send\",\"arguments\":"

static const struct shape shapes[] = {
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream",
     CHAT("\"role\":\"assistant\",\"content\":\"\"", "null"), CHAT("\"content\":\"@\"", "null"),
     CHAT("\"tool_calls\":[{\"index\":0,\"id\":\"call_1\"," SEND "\"\"}}]", "null"),
     CHAT("\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"@\"}}]", "null"),
     CHAT("", "\"tool_calls\"") "data: [DONE]\n\n", false, false, "choices/0/delta/content",
     "choices/0/delta/tool_calls/0/function/arguments"},
    {"openai", "/v1/chat/completions", "", "{}", "application/json",
     "{\"id\":\"c-1\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"", "@",
     "\",\"tool_calls\":[{\"id\":\"call_1\"," SEND "\"", "@", "\"}}]},\"finish_reason\":\"tool_calls\"}]}", true, false,
     "choices/0/message/content", "choices/0/message/tool_calls/0/function/arguments"},
    {"anthropic", "/v1/messages", "", "{\"stream\":true}", "text/event-stream",
     NAMED("message_start", ",\"message\":{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[],"
                            "\"stop_reason\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}")
         NAMED("content_block_start", ",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}"),
     NAMED("content_block_delta", ",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"@\"}"),
     NAMED("content_block_stop", ",\"index\":0")
         NAMED("content_block_start", ",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"tu_1\",\"name\":\"send\",\"input\":{}}"),
     NAMED("content_block_delta", ",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"@\"}"),
     NAMED("content_block_stop", ",\"index\":1")
         NAMED("message_delta", ",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":9}")
             NAMED("message_stop", ""), false, false, "delta/text", "delta/partial_json"},
    {"anthropic", "/v1/messages", "", "{}", "application/json",
     "{\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\",\"content\":[{\"type\":\"text\",\"text\":\"", "@",
     "\"},{\"type\":\"tool_use\",\"id\":\"tu_1\",\"name\":\"send\",\"input\":", "@",
     "}],\"stop_reason\":\"tool_use\",\"stop_sequence\":null,\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}", true, true,
     "content/0/text", "content/1/input/note"},
    {"gemini", "/v1beta/models/m:streamGenerateContent", "alt=sse", "{\"contents\":[]}", "text/event-stream", "",
     SSE(GEMINI("{\"text\":\"@\"}", "")), "", SSE(GEMINI("{\"functionCall\":{\"name\":\"send\",\"args\":@}}", "")),
     SSE(GEMINI("{\"text\":\"\"}", ",\"finishReason\":\"STOP\"")), false, true, "candidates/0/content/parts/0/text",
     "candidates/0/content/parts/0/functionCall/args/note"},
    {"gemini", "/v1beta/models/m:generateContent", "", "{\"contents\":[]}", "application/json",
     "{\"candidates\":[{\"content\":{\"parts\":[{\"text\":\"", "@", "\"},{\"functionCall\":{\"name\":\"send\",\"args\":", "@",
     "}}],\"role\":\"model\"},\"finishReason\":\"STOP\",\"index\":0}]}", true, true, "candidates/0/content/parts/0/text",
     "candidates/0/content/parts/1/functionCall/args/note"},
    {"ollama", "/api/chat", "", "{\"model\":\"m\"}", "application/x-ndjson", "", OLLAMA("\"content\":\"@\"", "\"done\":false"), "",
     OLLAMA("\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"send\",\"arguments\":@}}]", "\"done\":false"),
     OLLAMA("\"content\":\"\"", DONE), false, true, "message/content", "message/tool_calls/0/function/arguments/note"},
    {"ollama", "/api/chat", "", "{\"model\":\"m\",\"stream\":false}", "application/json",
     "{\"model\":\"m\",\"created_at\":\"2026-01-02T03:04:05.678Z\",\"message\":{\"role\":\"assistant\",\"content\":\"", "@",
     "\",\"tool_calls\":[{\"function\":{\"name\":\"send\",\"arguments\":", "@", "}}]}," DONE "}", true, true, "message/content",
     "message/tool_calls/0/function/arguments/note"},
    {"cohere", "/v2/chat", "", "{\"stream\":true}", "text/event-stream",
     NAMED("message-start", ",\"id\":\"c-1\"" COHERE("\"role\":\"assistant\",\"content\":[]"))
         NAMED("content-start", ",\"index\":0" COHERE("\"content\":{\"type\":\"text\",\"text\":\"\"}")),
     NAMED("content-delta", ",\"index\":0" COHERE("\"content\":{\"text\":\"@\"}")),
     NAMED("content-end", ",\"index\":0")
         NAMED("tool-call-start", ",\"index\":0" COHERE("\"tool_calls\":{\"id\":\"t-1\"," SEND "\"\"}}")),
     NAMED("tool-call-delta", ",\"index\":0" COHERE("\"tool_calls\":{\"function\":{\"arguments\":\"@\"}}")),
     NAMED("tool-call-end", ",\"index\":0")
         NAMED("message-end", ",\"delta\":{\"finish_reason\":\"TOOL_CALL\",\"usage\":{\"tokens\":{\"output_tokens\":9}}}"), false, false,
     "delta/message/content/text", "delta/message/tool_calls/function/arguments"},
    {"cohere", "/v2/chat", "", "{}", "application/json",
     "{\"id\":\"c-1\",\"finish_reason\":\"TOOL_CALL\",\"message\":{\"role\":\"assistant\",\"content\":[{\"type\":\"text\",\"text\":\"", "@",
     "\"}],\"tool_calls\":[{\"id\":\"t-1\"," SEND "\"", "@", "\"}}]}}", true, false, "message/content/0/text",
     "message/tool_calls/0/function/arguments"},
};

static void append_event(struct buf *out, const char *event, struct span piece, bool is_raw, struct random *r)
{
    const char *at = strchr(event, '@');

    append(out, span_of(event, (size_t)(at - event)));
    if (is_raw) {
        append(out, piece);
    } else {
        append_escaped(out, piece, r);
    }
    append(out, span_str(at + 1));
}

static void append_pieces(struct buf *out, const char *event, struct span text, bool is_in_one, struct random *r)
{
    while (text.len > 0) {
        size_t max = random_below(r, 3) == 0 ? text.len : 1 + random_below(r, 12);
        size_t n = is_in_one ? text.len : 1 + random_below(r, max < text.len ? max : text.len);
        append_event(out, event, span_slice(text, 0, n), false, r);
        text = span_slice(text, n, text.len);
    }
}

/* --- the client's side ------------------------------------------------------------- */

struct case_of {
    struct world world;
    struct texts text, note;
    struct buf arguments, upstream, client, got_text, got_arguments;
    struct masking *masking;
    struct restore_counts counts;
};

static void take_string(const struct node *root, const char *path, struct buf *out)
{
    const struct node *n = node_at(root, path);

    if (node_is_string(n)) {
        append(out, n->text);
    }
}

static void read_message(const struct shape *s, struct span message, struct case_of *c)
{
    struct arena memory CLEANUP(arena_deinit);
    struct error err;

    arena_init(&memory, 0, 4 * ROOM);
    const struct node *root = tree_read(&memory, message, &err);
    if (root != NULL) {
        take_string(root, s->texts, &c->got_text);
        take_string(root, s->arguments, &c->got_arguments);
    }
}

/* Events, lines, or the whole body. */
static void read_client(const struct shape *s, struct case_of *c)
{
    struct span rest = buf_span(&c->client);

    while (rest.len > 0) {
        const char *end = memchr(rest.ptr, '\n', rest.len);
        size_t n = end == NULL ? rest.len : (size_t)(end - rest.ptr);
        struct span line = span_slice(rest, 0, n);
        size_t from = span_starts_with(line, span_str("data: ")) ? 6 : 0;
        read_message(s, span_slice(line, from, line.len), c);
        rest = span_slice(rest, n < rest.len ? n + 1 : n, rest.len);
    }
}

/* Of arguments that are a string the client reads the note. */
static void read_note(const struct shape *s, struct case_of *c)
{
    if (s->is_object) {
        return;
    }
    struct arena memory CLEANUP(arena_deinit);
    struct error err;
    arena_init(&memory, 0, 4 * ROOM);
    struct span json;
    assert_true(arena_copy(&memory, buf_span(&c->got_arguments), &json, &err));
    const struct node *root = tree_read(&memory, json, &err);
    buf_clear(&c->got_arguments);
    take_string(root, "note", &c->got_arguments);
}

static void write_upstream(const struct shape *s, struct case_of *c)
{
    struct random *r = &c->world.random;

    buf_clear(&c->arguments);
    append(&c->arguments, span_str("{\"note\":\""));
    append_escaped(&c->arguments, buf_span(&c->note.masked), r);
    append(&c->arguments, span_str("\"}"));
    buf_clear(&c->upstream);
    append(&c->upstream, span_str(s->head));
    append_pieces(&c->upstream, s->text, buf_span(&c->text.masked), s->is_in_one, r);
    append(&c->upstream, span_str(s->between));
    if (s->is_object) {
        append_event(&c->upstream, s->call, buf_span(&c->arguments), true, r);
    } else {
        append_pieces(&c->upstream, s->call, buf_span(&c->arguments), s->is_in_one, r);
    }
    append(&c->upstream, span_str(s->tail));
}

static void translate(const struct shape *s, struct case_of *c)
{
    const struct stream_options options = {.snapshot = c->world.shipped,
                                           .policy = snapshot_policy(c->world.shipped, (struct span){0}, (struct span){0}),
                                           .masking = c->masking,
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct translation_request request = {
        .path = span_str(s->path), .query = span_str(s->query), .body = span_str(s->body), .event_max = ROOM};
    const struct protocol *p = protocol_find(span_str(s->protocol));
    struct random *r = &c->world.random;
    struct exchange x;
    struct error err;

    assert_int_equal(protocol_route(p, span_str("POST"), request.path, &request.route), ROUTE_JUDGED);
    request.stream = stream_new(&options, &err);
    struct translation *t = translation_new(&request, &err);
    assert_non_null(t);
    (void)translation_head(t, 200, span_str(s->type));
    buf_clear(&c->client);
    bool is_fine = true;
    size_t most = random_below(r, 2) == 0 ? 40 : c->upstream.len;
    for (size_t at = 0; at < c->upstream.len && is_fine;) {
        size_t n = 1 + random_below(r, most), left = c->upstream.len - at;
        n = n < left ? n : left;
        is_fine = translation_feed(t, c->world.worker, span_of(c->upstream.data + at, n), &c->client, &err);
        at += n;
    }
    is_fine = is_fine && translation_end(t, c->world.worker, true, &c->client, &err);
    translation_exchange(t, &x);
    c->counts = x.restored;
    if (!is_fine || x.n_findings > 0) {
        fail_msg("%s: %s, %zu findings (%.*s) in\n%.*s", s->path, is_fine ? "fine" : err.text, x.n_findings,
                 x.n_findings > 0 ? (int)x.findings[0].rule->id.len : 0, x.n_findings > 0 ? x.findings[0].rule->id.ptr : "",
                 (int)c->upstream.len, c->upstream.data);
    }
    translation_free(t);
    stream_free(request.stream);
}

static void compare(const struct shape *s, const struct case_of *c, const char *what, const struct buf *got, const struct buf *expected)
{
    if (!span_equal(buf_span(got), buf_span(expected))) {
        fail_msg("%s %s: %s\nexpected: %.*s\ngot:      %.*s\nupstream: %.*s\nclient:   %.*s", s->protocol, s->type, what,
                 (int)expected->len, expected->data, (int)got->len, got->data, (int)c->upstream.len, c->upstream.data,
                 (int)c->client.len, c->client.data);
    }
}

static void try_shape(const struct shape *s, struct case_of *c)
{
    write_upstream(s, c);
    translate(s, c);
    buf_clear(&c->got_text);
    buf_clear(&c->got_arguments);
    read_client(s, c);
    read_note(s, c);
    compare(s, c, "text", &c->got_text, &c->text.original);
    compare(s, c, "arguments", &c->got_arguments, &c->note.original);
}

static struct case_of *open_case(bool has_world)
{
    struct case_of *c = calloc(1, sizeof(*c));
    struct buf *const bufs[] = {&c->text.original, &c->text.masked, &c->note.original, &c->note.masked, &c->arguments,
                                &c->upstream,      &c->client,      &c->got_text,      &c->got_arguments};
    uint8_t key[MASKING_KEY];
    struct error err;

    assert_non_null(c);
    if (has_world) {
        world_open(&c->world);
    } else {
        c->world.random.state = number_from("FILTERD_SEED", 1);
    }
    /* First, so that a run that fails or is ended has said it, too. */
    print_message("# FILTERD_SEED=%llu\n", (unsigned long long)c->world.random.state);
    for (size_t i = 0; i < COUNT(bufs); i++) {
        buf_init(bufs[i], ROOM);
    }
    for (size_t i = 0; i < MASKING_KEY; i++) { /* so that FILTERD_SEED says what the pseudonyms are, too */
        key[i] = (uint8_t)random_below(&c->world.random, 256);
    }
    c->masking = masking_new(key, &masking_limits_default, &err);
    assert_non_null(c->masking);
    c->text.random = c->note.random = &c->world.random;
    c->text.masking = c->note.masking = c->masking;
    return c;
}

static void close_case(struct case_of *c)
{
    struct buf *const bufs[] = {&c->text.original, &c->text.masked, &c->note.original, &c->note.masked, &c->arguments,
                                &c->upstream,      &c->client,      &c->got_text,      &c->got_arguments};

    for (size_t i = 0; i < COUNT(bufs); i++) {
        buf_deinit(bufs[i]);
    }
    masking_unref(c->masking);
    if (c->world.worker != NULL) {
        world_close(&c->world);
    }
    free(c);
}

static void answers_come_back_as_the_request_was_written(void **state)
{
    struct case_of *c = open_case(true);
    uint64_t tried = 0, n = number_from("FILTERD_CUTTINGS", CUTTINGS), restored = 0;
    (void)state;

    while (tried < n) {
        make_texts(&c->text);
        make_texts(&c->note);
        for (size_t i = 0; i < PER_TEXT * COUNT(shapes) && tried < n; i++, tried++) {
            try_shape(&shapes[i % COUNT(shapes)], c);
            restored += c->counts.restored;
            if (tried % PROGRESS == PROGRESS - 1) {
                print_message("# %llu of %llu cuttings\n", (unsigned long long)tried + 1, (unsigned long long)n);
            }
        }
    }
    print_message("%llu cuttings, %llu values restored, 0 differences\n", (unsigned long long)tried, (unsigned long long)restored);
    close_case(c);
}

/* The restorer alone, whole and in pieces. */
static void pieces_are_restored_as_the_whole(void **state)
{
    struct case_of *c = open_case(false);
    struct restore_counts counts = {0};
    struct random *r = &c->world.random;
    uint64_t n = number_from("FILTERD_PIECES", CHEAP_CUTTINGS);
    struct error err;
    (void)state;

    for (uint64_t tried = 0; tried < n; tried++) {
        struct restorer restorer;
        if (tried % 64 == 0) {
            make_texts(&c->text);
        }
        struct span text = buf_span(&c->text.masked);
        buf_clear(&c->client);
        restorer_init(&restorer, c->masking, RESTORE_GUESS, 0);
        for (size_t most = 1 + random_below(r, 30); text.len > 0;) {
            size_t k = 1 + random_below(r, most < text.len ? most : text.len);
            assert_true(restorer_feed(&restorer, span_slice(text, 0, k), k == text.len, &c->client, &err));
            text = span_slice(text, k, text.len);
        }
        if (!span_equal(buf_span(&c->client), buf_span(&c->text.original))) {
            fail_msg("expected: %.*s\ngot: %.*s", (int)c->text.original.len, c->text.original.data, (int)c->client.len, c->client.data);
        }
        counts.restored += restorer.counts.restored;
        restorer_deinit(&restorer);
    }
    assert_true(counts.restored > n);
    print_message("%llu cuttings, %llu values restored, 0 differences\n", (unsigned long long)n, (unsigned long long)counts.restored);
    close_case(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_restored_as_the_whole),
        cmocka_unit_test(answers_come_back_as_the_request_was_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
