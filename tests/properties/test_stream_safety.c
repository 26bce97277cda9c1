/* What a stream has released after any beginning of a text is right for whatever the text goes on with.
 *
 * FILTERD_TEXTS says how many texts are tried, FILTERD_CONTINUATIONS how many continuations of each beginning,
 * FILTERD_SEED where the texts begin. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>

#include "pipeline/load.h"
#include "pipeline/pipeline.h"
#include "pipeline/stream.h"
#include "support/texts.h"

enum { TEXTS = 100, CONTINUATIONS = 8, TEXTS_PER_POLICY = 5, ROOM = 1 << 20, BEGINNING_MAX = 160, PARTS_MAX = 3 };

struct world {
    struct snapshot *shipped, *snapshot; /* `snapshot` has the policy at hand */
    struct worker *worker;
    struct random random;
    struct buf policy, text, other, whole, released;
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

    *w = (struct world){.random = {.state = number_from("FILTERD_SEED", 20261121)}};
    w->shipped = snapshot_open(NULL, NULL, &options, &err);
    w->worker = worker_new(&limits, NULL, &err);
    assert_non_null(w->shipped);
    assert_non_null(w->worker);
    buf_init(&w->policy, ROOM);
    buf_init(&w->text, ROOM);
    buf_init(&w->other, ROOM);
    buf_init(&w->whole, ROOM);
    buf_init(&w->released, ROOM);
}

static void world_close(struct world *w)
{
    struct buf *const all[] = {&w->policy, &w->text, &w->other, &w->whole, &w->released};

    for (size_t i = 0; i < COUNT(all); i++) {
        buf_deinit(all[i]);
    }
    worker_free(w->worker);
    snapshot_unref(w->snapshot);
    snapshot_unref(w->shipped);
}

static void next_policy(struct world *w)
{
    struct error err;

    snapshot_unref(w->snapshot);
    make_policy(&w->random, w->shipped->rules, &w->policy);
    w->snapshot = snapshot_load(w->shipped->rules, "policy.yaml", buf_span(&w->policy), &err);
    assert_non_null(w->snapshot);
}

static const struct policy *policy_of(const struct world *w)
{
    return snapshot_policy(w->snapshot, (struct span){0}, (struct span){0});
}

static void append(struct buf *b, struct span text)
{
    struct error err;

    assert_true(buf_append(b, text, &err));
}

/* The end of a rule's example, of an escape, some letters or digits, or what the text itself goes on with. */
static void append_part(struct world *w, size_t end)
{
    static const char *const others[] = {" ",  "\n",   "a",    "Z9",     "0123456789", "&#45;", "%2d", "\\u002d", "=2D", "\"", "\" + \"",
                                         ", ", "\n> ", "K q ", "0x67, ", "\xe2\x80\x8b", "你",   "é",   "\xff",    "==",  "]",  "-----"};
    struct random *r = &w->random;
    struct span part;

    switch (random_below(r, 4)) {
    case 0:
        part = span_str(others[random_below(r, COUNT(others))]);
        part = span_slice(part, random_below(r, part.len), part.len);
        break;
    case 1:
        part = span_slice(buf_span(&w->text), end, w->text.len);
        part = span_slice(part, 0, random_below(r, part.len + 1));
        break;
    default: {
        const struct rule *rule = &w->shipped->rules->rules[random_below(r, w->shipped->rules->n_rules)];
        part = rule->match.items[random_below(r, rule->match.n)];
        part = span_slice(part, random_below(r, part.len + 1), part.len);
        break;
    }
    }
    append(&w->other, part);
}

/* False when it could not be judged: redaction that does not settle. */
static bool find_whole(struct world *w, struct span text)
{
    struct channel channel = {.text = text};
    struct exchange x = {.snapshot = w->snapshot, .policy = policy_of(w), .channels = &channel, .n_channels = 1};

    (void)worker_begin(w->worker);
    pipeline_judge(w->worker, &x);
    buf_clear(&w->whole);
    append(&w->whole, channel.output);
    return x.action != ACTION_BLOCK;
}

static void show(const char *name, struct span text)
{
    (void)printf("%s (%zu): ", name, text.len);
    (void)fwrite(text.ptr, 1, text.len, stdout);
    (void)printf("\n");
}

static bool is_safe(struct world *w, size_t end, size_t continuations)
{
    for (size_t i = 0; i < continuations; i++) {
        buf_clear(&w->other);
        append(&w->other, span_slice(buf_span(&w->text), 0, end));
        for (size_t n = random_below(&w->random, PARTS_MAX + 1); n > 0; n--) {
            append_part(w, end);
        }
        if (find_whole(w, buf_span(&w->other)) && !span_starts_with(buf_span(&w->whole), buf_span(&w->released))) {
            (void)printf("--- released behind %zu bytes\n", end);
            show("policy", buf_span(&w->policy));
            show("text", buf_span(&w->other));
            show("whole", buf_span(&w->whole));
            show("released", buf_span(&w->released));
            return false;
        }
    }
    return true;
}

static bool one_text(struct world *w, size_t continuations)
{
    const struct stream_options options = {
        .snapshot = w->snapshot, .policy = policy_of(w), .text_max = ROOM, .hold_max = ROOM};
    struct error err;
    bool is_right = true;

    make_dressed_text(&w->random, w->shipped->rules, &w->text);
    w->text.len = w->text.len < BEGINNING_MAX ? w->text.len : BEGINNING_MAX;
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str("/text"), &err);
    assert_non_null(c);
    buf_clear(&w->released);
    for (size_t at = 0; at < w->text.len && is_right; at++) {
        stream_feed(s, c, w->worker, span_of(w->text.data + at, 1), &w->released);
        is_right = stream_action(s) != ACTION_BLOCK && is_safe(w, at + 1, continuations);
    }
    stream_free(s);
    return is_right;
}

static void what_is_released_fits_every_continuation(void **state)
{
    size_t texts = number_from("FILTERD_TEXTS", TEXTS), failures = 0;
    size_t continuations = number_from("FILTERD_CONTINUATIONS", CONTINUATIONS);
    struct world w;

    (void)state;
    world_open(&w);
    for (size_t i = 0; i < texts && failures < 5; i++) {
        if (i % TEXTS_PER_POLICY == 0) {
            next_policy(&w);
        }
        failures += !one_text(&w, continuations);
    }
    assert_int_equal(failures, 0);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_released_fits_every_continuation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
