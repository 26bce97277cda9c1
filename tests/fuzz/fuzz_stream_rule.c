/* fuzz_stream_rule.c - whatever a rule's pattern says, a stream releases what the whole text's redaction delivers.
 *
 * The first byte chooses the boundary, the length of the pieces and whether the rule bounds its matches, the first line behind it is the pattern of the only
 * rule, and the rest is the text. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"

enum { PATTERN_MAX = 96, FUZZ_TEXT_MAX = 512, RULE_MAX = 4096, ROOM = 1 << 20, PIECES = 4 };

static const char policy[] = "policies:\n  default:\n    rules: [fuzz]\n    actions: [{confidence: '>=0.1', action: redact}]\n"
                             "    notice: withheld\n";

static struct worker *worker;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* False for a pattern that YAML would read as another one. */
static bool write_rule(struct span pattern, enum boundary boundary, bool is_bounded, struct buf *out)
{
    struct error err;

    must(buf_appendf(out, &err,
                     "rules:\n  - {id: r, title: t, category: secret, severity: low, confidence: 0.9, boundary: %s, "
                     "%smatch: [a, b, c], no_match: [a, b, c], pattern: '",
                     boundary_name(boundary), is_bounded ? "max_length: 64, " : ""));
    for (size_t i = 0; i < pattern.len; i++) {
        if (!isprint((unsigned char)pattern.ptr[i])) {
            return false;
        }
        must(buf_append_str(out, pattern.ptr[i] == '\'' ? "''" : "", &err) && buf_append_char(out, pattern.ptr[i], &err));
    }
    must(buf_append_str(out, "'}\n", &err));
    return true;
}

/* NULL for a pattern that a rule may not have. */
static struct snapshot *load(struct span pattern, enum boundary boundary, bool is_bounded)
{
    const struct rule_set_options options = {0};
    struct snapshot *snapshot = NULL;
    struct rule_set *set = NULL;
    struct buf rule;
    struct error err;

    buf_init(&rule, RULE_MAX);
    if (write_rule(pattern, boundary, is_bounded, &rule)) {
        const struct rule_file file = {.path = "rules/fuzz/f.yaml", .content = buf_span(&rule)};
        set = rule_set_load(&file, 1, &options, &err);
    }
    if (set != NULL) {
        snapshot = snapshot_load(set, "policy.yaml", span_str(policy), &err);
        must(snapshot != NULL);
    }
    rule_set_unref(set);
    buf_deinit(&rule);
    return snapshot;
}

static enum action judge_whole(struct snapshot *s, struct span text, struct buf *out)
{
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = s,
                         .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                         .channels = &channel,
                         .n_channels = 1};
    struct error err;

    (void)worker_begin(worker);
    pipeline_judge(worker, &x);
    must(buf_append(out, channel.output, &err));
    return x.action;
}

static enum action judge_stream(struct snapshot *s, struct span text, size_t piece, struct buf *out)
{
    const struct stream_options options = {.snapshot = s,
                                           .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                                           .text_max = ROOM,
                                           .hold_max = ROOM};
    struct error err;
    struct stream *stream = stream_new(&options, &err);
    must(stream != NULL);
    struct stream_channel *c = stream_channel(stream, span_str("/text"), &err);
    must(c != NULL);

    for (size_t at = 0; at < text.len; at += piece) {
        stream_feed(stream, c, worker, span_slice(text, at, text.len - at < piece ? text.len : at + piece), out);
    }
    stream_end(stream, c, worker, STREAM_COMPLETE, out);
    enum action action = stream_action(stream);
    stream_free(stream);
    return action;
}

static void show(const char *name, struct span text)
{
    (void)fprintf(stderr, "%s (%zu): " SPAN_FMT "\n", name, text.len, SPAN_ARG(text));
}

static void compare(struct snapshot *s, struct span pattern, struct span text, size_t piece)
{
    struct buf whole, out;

    buf_init(&whole, ROOM);
    buf_init(&out, ROOM);
    enum action expected = judge_whole(s, text, &whole), action = judge_stream(s, text, piece, &out);
    if (action != expected || !span_equal(buf_span(&whole), buf_span(&out))) {
        (void)fprintf(stderr, "whole %d, stream %d\n", expected, action);
        show("pattern", pattern);
        show("text", text);
        show("whole", buf_span(&whole));
        show("stream", buf_span(&out));
        abort();
    }
    buf_deinit(&whole);
    buf_deinit(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const size_t pieces[PIECES] = {1, 2, 5, 16};
    const uint8_t *end = size < 2 ? NULL : memchr(data + 1, '\n', size - 1);
    size_t len = end == NULL ? 0 : (size_t)(end - data) - 1;

    if (len == 0 || len > PATTERN_MAX || size - len > FUZZ_TEXT_MAX) {
        return 0;
    }
    if (worker == NULL) {
        const struct worker_limits limits = worker_limits_default();
        struct error err;
        worker = worker_new(&limits, NULL, &err);
        must(worker != NULL);
    }
    struct span pattern = span_of((const char *)data + 1, len);
    struct snapshot *s = load(pattern, data[0] % BOUNDARY_COUNT, data[0] < 128);
    if (s != NULL) {
        compare(s, pattern, span_of((const char *)end + 1, size - len - 2), pieces[data[0] / BOUNDARY_COUNT % PIECES]);
    }
    snapshot_unref(s);
    return 0;
}
