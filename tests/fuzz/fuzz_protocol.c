/* fuzz_protocol.c - any bytes as an upstream's answer: no crash, and a planted secret never leaves.
 *
 * The first byte says which kind of answer is expected, the second its status and the pieces it
 * comes in; '$' stands for the secret wherever it is found. What leaves as a body is JSON, and an
 * answer that was read has its end. */
#include <stdlib.h>

#include "base/json.h"
#include "protocol/protocol.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OUT_MAX = 64 * 1024 * 1024, EVENT_MAX = 256 * 1024, INPUT_MAX = 64 * 1024 };

/* No text of a protocol holds it by chance. It could be an id, and base64. */
#define SECRET "qz7_Secret9Xk42"

static const char rules[] =
    "rules:\n"
    "  - {id: planted, title: t, category: secret, severity: low, confidence: 0.9,"
    " boundary: none, pattern: 'qz7_Secret[0-9]Xk[0-9]{2}', match: [a, b, c], no_match: [a, b, "
    "c]}\n"
    "  - {id: stop, title: t, category: secret, severity: critical, confidence: 0.99,"
    " boundary: none, pattern: 'full-stop-[0-9]{4}', match: [a, b, c], no_match: [a, b, c]}\n";
static const char policy[] = "policies:\n"
                             "  default:\n"
                             "    rules: [fuzz]\n"
                             "    actions:\n"
                             "      - {category: secret, confidence: '>=0.5', action: redact}\n"
                             "      - {category: secret, severity: critical, action: block}\n"
                             "    notice: withheld\n";

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

static struct stream *open_stream(void)
{
    struct error err;
    struct stream_options options = {
        .snapshot = snapshot,
        .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
        .text_max = 1024 * 1024,
        .hold_max = 256 * 1024};
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
                                          .event_max = EVENT_MAX};
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

    buf_init(upstream, (sizeof(SECRET) + 1) * INPUT_MAX);
    for (size_t i = 0; i < size; i++) {
        must(data[i] == '$' ? buf_append_str(upstream, SECRET, &err)
                            : buf_append_char(upstream, (char)data[i], &err));
    }
}

static bool feed(struct translation *t, struct span upstream, size_t step, struct buf *out)
{
    struct error err;

    for (size_t at = 0; at < upstream.len; at += step) {
        size_t end = upstream.len - at < step ? upstream.len : at + step;
        if (!translation_feed(t, worker, span_slice(upstream, at, end), out, &err)) {
            return false;
        }
        must(translation_heartbeat(t, out, &err));
    }
    return translation_end(t, worker, true, out, &err);
}

static void run(const struct kind *k, unsigned how, struct span upstream, struct buf *out)
{
    struct stream *s = open_stream();
    struct translation *t = open_translation(k, s);
    struct error err;
    enum head_use head = translation_head(t, how & 1 ? 500 : 200, span_str(k->type));

    must(head != HEAD_UNKNOWN_TYPE);
    bool is_read = feed(t, upstream, how & 2 ? 1 + (how >> 2) : upstream.len + 1, out);
    must(translation_is_over(t));
    must(is_read || translation_is_blocked(t));
    if (strcmp(translation_type(t), "application/json") == 0 && out->len > 0) {
        must(json_validate(buf_span(out), &err));
    }
    must(memmem(out->data, out->len, SECRET, sizeof(SECRET) - 1) == NULL);
    translation_free(t);
    stream_free(s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > INPUT_MAX) {
        return 0;
    }
    open_once();
    struct buf upstream, whole, pieces;
    const struct kind *k = &kinds[data[0] % COUNT(kinds)];
    plant(data + 2, size - 2, &upstream);
    buf_init(&whole, OUT_MAX);
    buf_init(&pieces, OUT_MAX);
    run(k, data[1] & ~2U, buf_span(&upstream), &whole);
    run(k, data[1] | 2U, buf_span(&upstream), &pieces);
    buf_deinit(&upstream);
    buf_deinit(&whole);
    buf_deinit(&pieces);
    return 0;
}
