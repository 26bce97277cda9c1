/* fuzz_protocol.c - any bytes as an upstream's answer: no crash, and a planted secret never leaves.
 *
 * The first byte says which kind of answer is expected, and whether a supervisor is asked about it, the second its
 * status and the pieces it comes in; '$' stands for the secret wherever it is found, '%' for a word that is there once.
 * What leaves as a body is JSON, and an answer that was read has its end. A supervised one that is fine says what it says
 * without a supervisor, and of one that is not nothing leaves that had not left when that was known. */
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "pipeline/stream_inquiry.h"
#include "policy/supervisor.h"
#include "protocol/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_MAX = 64 * 1024 * 1024, EVENT_MAX = 256 * 1024, INPUT_MAX = 64 * 1024 };

/* No text of a protocol holds it by chance. It could be an id, and base64. */
#define SECRET "qz7_Secret9Xk42"
#define WORD   "wd"

static const char rules[] =
    "rules:\n"
    "  - {id: planted, title: t, category: secret, severity: low, confidence: 0.9,"
    " boundary: none, pattern: 'qz7_Secret[0-9]Xk[0-9]{2}', match: [a, b, c], no_match: [a, b, "
    "c]}\n"
    "  - {id: stop, title: t, category: secret, severity: critical, confidence: 0.99,"
    " boundary: none, pattern: 'full-stop-[0-9]{4}', match: [a, b, c], no_match: [a, b, c]}\n";
#define POLICY(name, supervisor)                                                                                       \
    "  " name ":\n"                                                                                                     \
    "    rules: [fuzz]\n"                                                                                              \
    "    actions:\n"                                                                                                   \
    "      - {category: secret, confidence: '>=0.5', action: redact}\n"                                                \
    "      - {category: secret, severity: critical, action: block}\n" supervisor                                       \
    "    notice: withheld\n"
#define SUPERVISED(hold) "    supervisor: {when: {category: secret}, hold: " hold "}\n"
static const char policy[] = "policies:\n" POLICY("default", "") POLICY("all", SUPERVISED("all"))
    POLICY("units", SUPERVISED("sentence"));

static const struct kind {
    const char *protocol, *path, *query, *body, *type;
} kinds[] = {
    {"openai", "/v1/chat/completions", "", "{\"stream\":true}", "text/event-stream"},
    {"openai", "/v1/chat/completions", "", "{}", "application/json"},
    {"openai", "/v1/completions", "", "{\"stream\":true}", "text/event-stream"},
    {"openai", "/v1/responses", "", "{\"stream\":true}", "text/event-stream"},
    {"openai", "/v1/responses", "", "{}", "application/json"},
    {"anthropic", "/v1/messages", "", "{\"stream\":true}", "text/event-stream"},
    {"anthropic", "/v1/messages", "", "{}", "application/json"},
    {"ollama", "/api/chat", "", "{}", "application/x-ndjson"},
    {"ollama", "/api/generate", "", "{\"stream\":false}", "application/json"},
    {"gemini", "/v1beta/models/m:streamGenerateContent", "alt=sse", "{}", "text/event-stream"},
    {"gemini", "/v1beta/models/m:streamGenerateContent", "", "{}", "application/json"},
    {"gemini", "/v1beta/models/m:generateContent", "", "{}", "application/json"},
    {"cohere", "/v2/chat", "", "{\"stream\":true}", "text/event-stream"},
    {"cohere", "/v2/chat", "", "{}", "application/json"},
};

static struct snapshot *snapshot;
static struct worker *worker;

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void open_once(void)
{
    const struct rule_file file = {.path = "rules/fuzz/f.yaml", .content = span_str(rules)};
    const struct rule_set_options options = {0};
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    if (worker != NULL) {
        return;
    }
    struct rule_set *set = rule_set_load(&file, 1, &options, &err);
    must(set != NULL);
    snapshot = snapshot_load(set, "policy.yaml", span_str(policy), &err);
    rule_set_unref(set);
    worker = snapshot == NULL ? NULL : worker_new(&limits, NULL, &err);
    must(worker != NULL);
}

static struct stream *open_stream(const char *name)
{
    struct error err;
    struct stream_options options = {
        .snapshot = snapshot,
        .policy = snapshot_policy(snapshot, span_str(name), (struct span){0}),
        .text_max = 1024 * 1024,
        .hold_max = 256 * 1024,
        .can_wait = true};
    struct stream *s = stream_new(&options, &err);

    must(s != NULL);
    return s;
}

static struct translation *open_translation(const struct kind *k, struct stream *s)
{
    struct translation_request request = {.path = span_str(k->path),
                                          .query = span_str(k->query),
                                          .body = span_str(k->body),
                                          .stream = s,
                                          .event_max = EVENT_MAX,
                                          .waiting_max = OUT_MAX};
    const struct protocol *p = protocol_find(span_str(k->protocol));
    struct error err;

    must(p != NULL &&
         protocol_route(p, span_str("POST"), request.path, &request.route) == ROUTE_JUDGED);
    struct translation *t = translation_new(&request, &err);
    must(t != NULL);
    return t;
}

static void plant(const uint8_t *data, size_t size, struct buf *upstream)
{
    struct error err;
    unsigned words = 0;

    buf_init(upstream, (sizeof(SECRET) + 1) * INPUT_MAX);
    for (size_t i = 0; i < size; i++) {
        must(data[i] == '$'   ? buf_append_str(upstream, SECRET, &err)
             : data[i] == '%' ? buf_appendf(upstream, &err, WORD "%05u", words++)
                              : buf_append_char(upstream, (char)data[i], &err));
    }
}

/* One answer on its way to the client. */
struct run {
    const struct kind *kind;
    const char *policy;
    unsigned how, evil; /* evil: the question that is answered with a violation, from 1 */
    unsigned asked;
    bool has_beats;  /* which come at other places when a supervisor is asked */
    size_t known_at; /* bytes out when that was known; SIZE_MAX: never */
    struct stream *stream;
    struct translation *translation;
    struct buf *out;
};

static void take_answer(struct run *r)
{
    struct supervision answer = {.outcome = SUPERVISION_ANSWERED, .category = SUPERVISOR_HARM, .confidence = 0.9};
    struct error err;

    answer.is_violation = ++r->asked == r->evil;
    stream_take_answer(r->stream, worker, &answer);
    if (answer.is_violation) {
        must(stream_action(r->stream) == ACTION_BLOCK);
        r->known_at = r->out->len;
    }
    must(translation_resume(r->translation, worker, r->out, &err) || translation_is_blocked(r->translation));
}

/* is_end: also about what waited to the end. */
static void answer_questions(struct run *r, bool is_end)
{
    struct exchange x;

    while (is_end ? stream_waits(r->stream) : stream_asks(r->stream)) {
        if (stream_ask(r->stream, &x)) {
            must(memmem(x.question.ptr, x.question.len, SECRET, sizeof(SECRET) - 1) == NULL);
            take_answer(r);
        } else {
            struct error err;
            must(translation_resume(r->translation, worker, r->out, &err) || translation_is_blocked(r->translation));
        }
    }
}

static bool feed(struct run *r, struct span upstream, size_t step)
{
    struct error err;

    for (size_t at = 0; at < upstream.len; at += step) {
        size_t end = upstream.len - at < step ? upstream.len : at + step;
        if (!translation_feed(r->translation, worker, span_slice(upstream, at, end), r->out, &err)) {
            return false;
        }
        answer_questions(r, false);
        must(!r->has_beats || translation_heartbeat(r->translation, r->out, &err));
    }
    bool is_ended = translation_end(r->translation, worker, true, r->out, &err);
    answer_questions(r, true);
    return is_ended;
}

/* What stands behind `at` and is a word that does not stand before it. */
static void must_say_nothing_new(struct span out, size_t at)
{
    struct span before = span_slice(out, 0, at), rest = span_slice(out, at, out.len);
    const char *word;

    while (before.len > 0 && (word = memmem(rest.ptr, rest.len, WORD, sizeof(WORD) - 1)) != NULL) {
        size_t len = sizeof(WORD) - 1 + 5;
        rest = span_slice(rest, (size_t)(word - rest.ptr), rest.len);
        must(rest.len < len || memmem(before.ptr, before.len, word, len) != NULL);
        rest = span_slice(rest, 1, rest.len);
    }
}

/* Whether it was blocked. */
static bool run(struct run *r, struct span upstream)
{
    struct stream *s = r->stream = open_stream(r->policy);
    struct translation *t = r->translation = open_translation(r->kind, s);
    struct error err;

    if (r->kind->type[0] == 'a' && r->policy[0] != 'd') {
        stream_wait_whole(s);
    }
    r->known_at = SIZE_MAX;
    must(translation_head(t, r->how & 1 ? 500 : 200, span_str(r->kind->type)) != HEAD_UNKNOWN_TYPE);
    bool is_read = feed(r, upstream, r->how & 2 ? 1 + (r->how >> 2) : upstream.len + 1);
    bool is_blocked = translation_is_blocked(t);
    must(translation_is_over(t) && (is_read || is_blocked));
    if (strcmp(translation_type(t), "application/json") == 0 && r->out->len > 0) {
        must(json_validate(buf_span(r->out), &err));
    }
    must(memmem(r->out->data, r->out->len, SECRET, sizeof(SECRET) - 1) == NULL);
    if (r->known_at != SIZE_MAX) {
        must_say_nothing_new(buf_span(r->out), r->known_at);
    }
    translation_free(t);
    stream_free(s);
    return is_blocked;
}

/* The same answer with and without a supervisor. */
static void run_supervised(struct run r, unsigned way, struct span upstream, bool is_blocked, struct span expected)
{
    struct buf out;

    buf_init(&out, OUT_MAX);
    r.policy = way % 2 == 1 ? "all" : "units";
    r.evil = (way - 1) / 2;
    r.out = &out;
    bool is_blocked_now = run(&r, upstream);
    if (r.known_at == SIZE_MAX) {
        must(is_blocked == is_blocked_now);
        must(way % 2 == 0 || is_blocked || span_equal(buf_span(&out), expected));
    }
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX) {
        return 0;
    }
    open_once();
    struct buf upstream, whole, pieces;
    unsigned way = data[0] / COUNT(kinds);
    struct run r = {.kind = &kinds[data[0] % COUNT(kinds)], .policy = "default", .how = data[1] & ~2U, .has_beats = way == 0, .out = &whole};
    plant(data + 2, size - 2, &upstream);
    buf_init(&whole, OUT_MAX);
    buf_init(&pieces, OUT_MAX);
    bool is_blocked = run(&r, buf_span(&upstream));
    if (way > 0) {
        run_supervised(r, way, buf_span(&upstream), is_blocked, buf_span(&whole));
    }
    r.how |= 2;
    r.out = &pieces;
    is_blocked = run(&r, buf_span(&upstream));
    if (way > 0) {
        run_supervised(r, way, buf_span(&upstream), is_blocked, buf_span(&pieces));
    }
    buf_deinit(&upstream);
    buf_deinit(&whole);
    buf_deinit(&pieces);
    return 0;
}
