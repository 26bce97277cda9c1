/* test_joined_streams.c - strings that a program joins, in a stream: what is released is what the whole text's redaction has there. */
#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/shipped.h"

enum { CHUNK_MAX = 24, TEXT_MAX = 4096 };

static const char *const texts[] = {
    "k = \"ghp_OiJ99HUSmQTBgX0y\".concat(\"ED8IL44659kFAg22XYgF\");",
    "s += \"SG.IXdxK\";\ns += \"ON5fK50E\";\ns += \"RcfTkSgD\";\ns += \"L.H5MWkJ\";\ns += \"nooSIjEBHUrfpB7jR57BoWSyP908GyIdR\"",
    "key = ['ghp_OiJ99HUSmQTBgX0y', 'ED8IL44659kFAg22XYgF'].join('')",
};

static struct snapshot *snapshot;
static struct worker *worker;

/* All are redacted: a block would hide where a stream is. */
static int open_all(void **state)
{
    static const char policy[] = "policies:\n  default: {rules: [secrets], actions: [{confidence: '>=0.5', action: redact}]}\n";
    const struct rule_set_options options = shipped_options();
    const struct worker_limits limits = worker_limits_default();
    char path[] = "/tmp/filterd-joined-XXXXXX";
    struct error err;
    int fd = mkstemp(path);

    (void)state;
    if (fd < 0 || write(fd, policy, sizeof(policy) - 1) != (ssize_t)sizeof(policy) - 1) {
        return -1;
    }
    snapshot = snapshot_open(NULL, path, &options, &err);
    worker = worker_new(&limits, NULL, &err);
    (void)close(fd);
    (void)unlink(path);
    return snapshot == NULL || worker == NULL;
}

static int close_all(void **state)
{
    (void)state;
    worker_free(worker);
    snapshot_unref(snapshot);
    return 0;
}

static void assert_like_whole(const char *text, size_t chunk, struct span whole)
{
    struct stream_options options = {.snapshot = snapshot,
                                     .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                     .text_max = TEXT_MAX,
                                     .hold_max = TEXT_MAX};
    struct error err;
    struct buf out;

    buf_init(&out, TEXT_MAX);
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str("/text"), &err);
    for (size_t at = 0, len = strlen(text); at < len; at += chunk) {
        stream_feed(s, c, worker, span_of(text + at, len - at < chunk ? len - at : chunk), &out);
    }
    stream_end(s, c, worker, STREAM_COMPLETE, &out);
    assert_int_equal(stream_action(s), ACTION_REDACT);
    if (!span_equal(buf_span(&out), whole)) {
        fail_msg("by %zu bytes \"" SPAN_FMT "\", as a whole \"" SPAN_FMT "\"", chunk, SPAN_ARG(buf_span(&out)), SPAN_ARG(whole));
    }
    stream_free(s);
    buf_deinit(&out);
}

static void joined_strings_are_held_until_they_are_known(void **state)
{
    char whole[TEXT_MAX];

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct channel channel = {.text = span_str(texts[i])};
        struct exchange x = {.snapshot = snapshot,
                             .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                             .channels = &channel,
                             .n_channels = 1};
        (void)worker_begin(worker);
        pipeline_judge(worker, &x);
        assert_int_equal(x.action, ACTION_REDACT);
        memcpy(whole, channel.output.ptr, channel.output.len);
        for (size_t chunk = 1; chunk <= CHUNK_MAX; chunk++) {
            assert_like_whole(texts[i], chunk, span_of(whole, channel.output.len));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joined_strings_are_held_until_they_are_known),
    };

    return cmocka_run_group_tests(tests, open_all, close_all);
}
