/* What a stream has released after any beginning of a text is right for whatever the text goes on with.
 *
 * FILTERD_TEXTS says how many texts are tried, FILTERD_CONTINUATIONS how many continuations of each beginning,
 * FILTERD_SEED where the texts begin. */
#include "testing.h"

#include <stdio.h>

#include "base/cleanup.h"
#include "pipeline/stream.h"
#include "support/texts.h"
#include "support/world.h"

enum { TEXTS = 40, CONTINUATIONS = 8, TEXTS_PER_POLICY = 5, BEGINNING_MAX = 160, PARTS_MAX = 3 };

/* The end of a rule's example, of an escape, some letters or digits, or what the text itself goes on with. */
static void append_part(struct world *w, size_t end, struct buf *out)
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
    world_append(out, part);
}

static bool is_safe(struct world *w, size_t end, size_t continuations, struct buf *other)
{
    for (size_t i = 0; i < continuations; i++) {
        buf_clear(other);
        world_append(other, span_slice(buf_span(&w->text), 0, end));
        for (size_t n = random_below(&w->random, PARTS_MAX + 1); n > 0; n--) {
            append_part(w, end, other);
        }
        if (world_judge(w, buf_span(other)) && !span_starts_with(buf_span(&w->whole), buf_span(&w->released))) {
            (void)printf("--- released behind %zu bytes\n", end);
            world_show(w, buf_span(other));
            return false;
        }
    }
    return true;
}

static bool one_text(struct world *w, size_t continuations)
{
    const struct stream_options options = {
        .snapshot = w->snapshot, .policy = world_policy(w), .text_max = WORLD_ROOM, .hold_max = WORLD_ROOM};
    struct buf other CLEANUP(buf_deinit);
    struct error err;
    bool is_right = true;

    buf_init(&other, WORLD_ROOM);
    make_obfuscated_text(&w->random, w->shipped->rules, &w->text);
    w->text.len = w->text.len < BEGINNING_MAX ? w->text.len : BEGINNING_MAX;
    struct stream *s = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(s, span_str("/text"), &err);
    assert_non_null(c);
    buf_clear(&w->released);
    for (size_t at = 0; at < w->text.len && is_right; at++) {
        stream_feed(s, c, w->worker, span_of(w->text.data + at, 1), &w->released);
        is_right = stream_action(s) != ACTION_BLOCK && is_safe(w, at + 1, continuations, &other);
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
            world_next_policy(&w);
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
