/* fuzz_stream.c - what a stream releases is what the whole text's redaction delivers, or a beginning of it and a block.
 *
 * The first byte chooses policy and way of cutting, the second seeds the cutting; the rest is the text. */
#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "tests/support/random.h"

enum { FUZZ_TEXT_MAX = 4096, ROOM = 1 << 22, POLICIES = 4 };

static const char *const policies[POLICIES] = {
    "policies:\n  default:\n    rules: [secrets, pii, injection]\n    actions: [{confidence: '>=0.1', action: redact}]\n"
    "    notice: withheld\n",
    "policies:\n  default:\n    rules: [secrets]\n    actions: [{confidence: '>=0.5', action: redact, with: {mask: {keep_last: 4}}}]\n"
    "    notice: withheld\n",
    "policies:\n  default:\n    rules: [pii]\n    actions: [{confidence: '>=0.6', action: redact, with: remove}]\n"
    "    notice: withheld\n",
    "policies:\n  default:\n    rules: [secrets, pii, injection]\n    actions:\n"
    "      - {category: secret, confidence: '>=0.5', action: redact}\n"
    "      - {category: secret, severity: critical, confidence: '>=0.9', action: block}\n"
    "      - {category: pii, confidence: '>=0.6', action: redact}\n"
    "      - {category: injection, confidence: '>=0.8', action: block}\n"
    "    notice: withheld\n",
};

static struct snapshot *snapshots[POLICIES];
static struct worker *worker;

int LLVMFuzzerInitialize(int *n, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void open_world(void)
{
    const struct rule_set_options options = {0};
    const struct worker_limits limits = worker_limits_default();
    struct error err;
    struct snapshot *shipped = snapshot_open(NULL, NULL, &options, &err);

    worker = worker_new(&limits, NULL, &err);
    for (size_t i = 0; shipped != NULL && i < POLICIES; i++) {
        snapshots[i] = snapshot_load(shipped->rules, "policy.yaml", span_str(policies[i]), &err);
        if (snapshots[i] == NULL) {
            (void)fprintf(stderr, "%s\n", err.text);
            abort();
        }
    }
    if (worker == NULL || shipped == NULL) {
        abort();
    }
    snapshot_unref(shipped);
}

/* Before the first input: what loading takes is not its time. */
int LLVMFuzzerInitialize(int *n, char ***arguments)
{
    (void)n;
    (void)arguments;
    open_world();
    return 0;
}

static size_t chunk_length(struct random *r, unsigned way, size_t len, size_t left)
{
    static const size_t most[] = {1, 4, 16, 100};
    size_t max = most[way] > len / 64 ? most[way] : len / 64;

    return 1 + random_below(r, max < left ? max : left);
}

/* Feeds the text; the stream's verdict and what it released. */
static enum action stream_through(struct snapshot *s, struct random *r, unsigned way, struct span text, struct buf *out)
{
    const struct stream_options options = {.snapshot = s,
                                           .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct error err;
    struct stream *stream = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(stream, span_str("/text"), &err);

    for (size_t at = 0; at < text.len;) {
        size_t n = chunk_length(r, way, text.len, text.len - at);
        stream_feed(stream, c, worker, span_slice(text, at, at + n), out);
        at += n;
    }
    stream_end(stream, c, worker, STREAM_COMPLETE, out);
    enum action action = stream_action(stream);
    stream_free(stream);
    return action;
}

static void show(const char *name, struct span text)
{
    (void)fprintf(stderr, "%s (%zu): ", name, text.len);
    (void)fwrite(text.ptr, 1, text.len, stderr);
    (void)fprintf(stderr, "\n");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3 || size > FUZZ_TEXT_MAX) {
        return 0;
    }
    struct snapshot *s = snapshots[data[0] % POLICIES];
    struct random random = {.state = data[1] + 1U};
    struct span text = span_of((const char *)data + 2, size - 2);
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = s,
                         .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                         .channels = &channel,
                         .n_channels = 1};
    struct buf out, whole;
    struct error err;

    buf_init(&out, ROOM);
    buf_init(&whole, ROOM);
    (void)worker_begin(worker);
    pipeline_judge(worker, &x);
    if (!buf_append(&whole, channel.output, &err)) {
        abort();
    }
    enum action action = stream_through(s, &random, data[0] / POLICIES % 4, text, &out);
    /* What was released before the finding that blocks is a beginning that no whole text shows. */
    bool is_right = x.action == ACTION_BLOCK ? action == ACTION_BLOCK
                                             : action == x.action && span_equal(buf_span(&out), buf_span(&whole));
    if (!is_right) {
        (void)fprintf(stderr, "policy %u, way %u: whole %d, stream %d\n", data[0] % POLICIES, data[0] / POLICIES % 4, x.action, action);
        show("text", text);
        show("whole", buf_span(&whole));
        show("stream", buf_span(&out));
        abort();
    }
    buf_deinit(&out);
    buf_deinit(&whole);
    return 0;
}
