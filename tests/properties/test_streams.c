/* However a text is cut, what the stream releases is what the whole text's redaction delivers.
 *
 * FILTERD_CUTTINGS says how many cuttings are tried, FILTERD_SEED where the texts begin. */
#include "testing.h"

#include <stdio.h>

#include "pipeline/stream.h"
#include "support/texts.h"
#include "support/world.h"

enum { PROGRESS = 25000, CUTTINGS_PER_TEXT = 8, TEXTS_PER_POLICY = 20, CUTTINGS = 6000, STEPS_MAX = 50 };

/* A long text comes in fewer pieces than one per byte: every step looks at the end of the text alone. */
static size_t chunk_length(struct random *r, unsigned way, size_t len, size_t left)
{
    static const size_t most[] = {1, 4, 8, 33, 200, SIZE_MAX};
    size_t max = most[way % COUNT(most)], least = 2 * len / STEPS_MAX;

    max = max > least ? max : least;
    max = max < left ? max : left;
    return 1 + random_below(r, max);
}

static void stream_through(struct world *w, unsigned way)
{
    const struct stream_options options = {.snapshot = w->snapshot,
                                           .policy = world_policy(w),
                                           .text_max = WORLD_ROOM,
                                           .hold_max = WORLD_ROOM,
                                           .is_taken_whole = way == CUTTINGS_PER_TEXT - 1};
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
        world_append(&w->released, span_str("<BLOCKED: "));
        world_append(&w->released, span_str(x.unjudged_reason != NULL ? x.unjudged_reason : "by a rule"));
    }
    stream_free(stream);
}

static size_t first_difference(struct span a, struct span b)
{
    size_t at = 0;

    while (at < a.len && at < b.len && a.ptr[at] == b.ptr[at]) {
        at++;
    }
    return at;
}

static bool one_text(struct world *w, size_t *cuttings)
{
    make_obfuscated_text(&w->random, w->shipped->rules, &w->text);
    if (!world_judge(w, buf_span(&w->text))) {
        return true;
    }
    for (unsigned way = 0; way < CUTTINGS_PER_TEXT; way++) {
        struct span whole = buf_span(&w->whole);
        stream_through(w, way);
        *cuttings += 1;
        if (!span_equal(whole, buf_span(&w->released))) {
            (void)printf("--- cutting %zu, way %u: first difference at %zu of the output\n", *cuttings, way,
                         first_difference(whole, buf_span(&w->released)));
            world_show(w, buf_span(&w->text));
            return false;
        }
    }
    return true;
}

static void every_cutting_releases_what_the_whole_text_does(void **state)
{
    struct world w;
    size_t wanted = number_from("FILTERD_CUTTINGS", CUTTINGS), cuttings = 0, failures = 0, shown = 0;

    (void)state;
    world_open(&w);
    while (cuttings < wanted && failures < 5) {
        world_next_policy(&w);
        for (int i = 0; i < TEXTS_PER_POLICY && failures < 5; i++) {
            failures += !one_text(&w, &cuttings);
        }
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
