/* However a text is cut, what the stream releases is what the whole text's redaction delivers.
 *
 * FILTERD_CUTTINGS says how many cuttings are tried, FILTERD_SEED where the texts begin. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/texts.h"

enum { PROGRESS = 25000, CUTTINGS_PER_TEXT = 8, CUTTINGS = 20000, TEXT_MAX = 1 << 20, STEPS_MAX = 100 };

struct world {
    struct snapshot *snapshot;
    struct worker *worker;
    struct random random;
    struct buf text, policy, released;
};

static uint64_t number_from(const char *name, uint64_t otherwise)
{
    const char *text = getenv(name);

    return text != NULL ? strtoull(text, NULL, 10) : otherwise;
}

static void world_open(struct world *w)
{
    const struct rule_set_options options = {0};
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    *w = (struct world){.random = {.state = number_from("FILTERD_SEED", 0x9e3779b97f4a7c15)}};
    w->snapshot = snapshot_open(NULL, NULL, &options, &err);
    w->worker = worker_new(&limits, NULL, &err);
    assert_non_null(w->snapshot);
    assert_non_null(w->worker);
    buf_init(&w->text, TEXT_MAX);
    buf_init(&w->policy, TEXT_MAX);
    buf_init(&w->released, 2 * TEXT_MAX);
}

static void world_close(struct world *w)
{
    buf_deinit(&w->text);
    buf_deinit(&w->policy);
    buf_deinit(&w->released);
    worker_free(w->worker);
    snapshot_unref(w->snapshot);
}

static void append(struct buf *b, const char *text)
{
    struct error err;

    assert_true(buf_append_str(b, text, &err));
}

static struct snapshot *random_policy(struct world *w)
{
    struct error err;

    make_policy(&w->random, w->snapshot->rules, &w->policy);
    struct snapshot *s = snapshot_load(w->snapshot->rules, "policy.yaml", buf_span(&w->policy), &err);
    if (s == NULL) {
        fail_msg("%s", err.text);
    }
    return s;
}

/* A long text comes in fewer pieces than one per byte: every step looks at the end of the text alone. */
static size_t chunk_length(struct random *r, unsigned way, size_t len, size_t left)
{
    static const size_t most[] = {1, 4, 8, 33, 200, SIZE_MAX};
    size_t max = most[way % COUNT(most)], least = 2 * len / STEPS_MAX;

    max = max > least ? max : least;
    max = max < left ? max : left;
    return 1 + random_below(r, max);
}

static void stream_through(struct world *w, struct snapshot *s, unsigned way)
{
    const struct stream_options options = {.snapshot = s,
                                           .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                                           .text_max = TEXT_MAX,
                                           .hold_max = TEXT_MAX};
    struct error err;
    struct stream *stream = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(stream, span_str("/text"), &err);

    assert_non_null(c);
    buf_clear(&w->released);
    for (size_t at = 0; at < w->text.len;) {
        size_t n = chunk_length(&w->random, way, w->text.len, w->text.len - at);
        stream_feed(stream, c, w->worker, span_of(w->text.data + at, n), &w->released);
        at += n;
    }
    stream_end(stream, c, w->worker, STREAM_COMPLETE, &w->released);
    if (stream_action(stream) == ACTION_BLOCK) {
        struct exchange x;
        stream_exchange(stream, &x);
        append(&w->released, "<BLOCKED: ");
        append(&w->released, x.unjudged_reason != NULL ? x.unjudged_reason : "by a rule");
    }
    stream_free(stream);
}

static void show(const char *name, struct span text)
{
    (void)printf("%s (%zu): ", name, text.len);
    (void)fwrite(text.ptr, 1, text.len, stdout);
    (void)printf("\n");
}

static bool one_text(struct world *w, struct snapshot *s, size_t *cuttings)
{
    struct channel channel;
    struct exchange x;
    struct span text;
    char *copy;

    make_dressed_text(&w->random, w->snapshot->rules, &w->text);
    if (w->text.len == 0) {
        return true;
    }
    (void)worker_begin(w->worker);
    channel = (struct channel){.text = buf_span(&w->text)};
    x = (struct exchange){.snapshot = s,
                          .policy = snapshot_policy(s, (struct span){0}, (struct span){0}),
                          .channels = &channel,
                          .n_channels = 1};
    pipeline_judge(w->worker, &x);
    if (x.action == ACTION_BLOCK) {
        return true;
    }
    copy = malloc(channel.output.len + 1);
    assert_non_null(copy);
    memcpy(copy, channel.output.ptr, channel.output.len);
    text = span_of(copy, channel.output.len);
    bool is_equal = true;
    for (unsigned way = 0; way < CUTTINGS_PER_TEXT && is_equal; way++) {
        stream_through(w, s, way);
        *cuttings += 1;
        is_equal = span_equal(text, buf_span(&w->released));
        if (!is_equal) {
            size_t at = 0;
            while (at < text.len && at < w->released.len && text.ptr[at] == w->released.data[at]) {
                at++;
            }
            (void)printf("--- cutting %zu, way %u: first difference at %zu of the output\n", *cuttings, way, at);
            show("policy", buf_span(&w->policy));
            show("text", buf_span(&w->text));
            show("whole", text);
            show("stream", buf_span(&w->released));
        }
    }
    free(copy);
    return is_equal;
}

static void every_cutting_releases_what_the_whole_text_does(void **state)
{
    struct world w;
    size_t wanted = number_from("FILTERD_CUTTINGS", CUTTINGS), cuttings = 0, failures = 0, shown = 0;

    (void)state;
    world_open(&w);
    while (cuttings < wanted && failures < 5) {
        struct snapshot *s = random_policy(&w);
        for (int i = 0; i < 20 && failures < 5; i++) {
            failures += !one_text(&w, s, &cuttings);
        }
        snapshot_unref(s);
        if (cuttings / PROGRESS != shown) {
            shown = cuttings / PROGRESS;
            (void)printf("# %zu cuttings\n", cuttings);
            (void)fflush(stdout);
        }
    }
    assert_int_equal(failures, 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cutting_releases_what_the_whole_text_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
