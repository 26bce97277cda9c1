/* However a text is cut, and in whatever order exchanges come, a budget lets the same values through as for the whole text.
 *
 * FILTERD_CUTTINGS says how many cuttings are tried, FILTERD_SEED where the texts begin. */
#include "testing.h"

#include <stdio.h>

#include "pipeline/stream.h"
#include "support/judge.h"
#include "support/random.h"

enum { ROOM = 1 << 20, MIB = 1 << 20, CUTTINGS = 3000, CUTTINGS_PER_TEXT = 10, PIECES = 24 };

static const char rules[] = "rules:\n" TEST_RULE("number", "pii", "high", "0.6", "pattern: 'no-[0-9]{4,12}', boundary: none")
    TEST_RULE("mail", "pii", "high", "0.7", "pattern: '[a-z]{2,12}@[a-z]{2,8}(?:\\.[a-z]{2,8}){1,3}'")
        TEST_RULE("near", "pii", "high", "0.4",
                  "pattern: 'ref [0-9]{6}', context: {words: [vault, safe], within: 32, raise: 0.4}")
            TEST_RULE("key", "secret", "high", "0.9", "pattern: 'AKIA[A-Z2-7]{16}', boundary: none");

static const char *const policies[] = {
    "policies:\n  default:\n    rules: [local]\n"
    "    actions: [{category: secret, action: redact}]\n"
    "    budgets: [{name: people, per: user, category: pii, values: 4, window: 1h, then: redact}]\n",
    "policies:\n  default:\n    rules: [local]\n"
    "    actions: [{category: secret, action: redact, with: remove}]\n"
    "    budgets:\n"
    "      - {name: mails, per: user, rule: mail, values: 2, window: 1h, then: redact, with: {mask: {keep_last: 2}}}\n"
    "      - {name: sure, per: session, category: pii, confidence: '>=0.5', values: 5, window: 1h, then: redact}\n"
    "      - {name: seen, per: tenant, category: pii, values: 3, window: 1h, then: alert}\n",
    "policies:\n  default:\n    rules: [local]\n    actions: []\n"
    "    budgets: [{name: people, per: user, category: pii, values: 6, window: 1h, then: block}]\n",
};

static const char *const pieces[] = {
    "no-1234",  "no-12345678", "no-99887766 ", "no-4711 ", "ann@x.org ", "bob@mail.example.net", "eve@a.bc.de", "AKIAQ3EGRVZ7MXK2PLWT",
    "ref 123456 ", "ref 654321", " in the vault ", " safe", "and so on, ", ". ", "\n", " ", "Call no-55", "55", "5", "a", "no-1234", "no-55AKIAQ3EGRVZ7MXK2PLWT55 ",
};

static const uint8_t secret[BUDGET_SECRET] = "a key that only tests have";

struct world {
    struct judge judge;
    struct random random;
    struct buf text, whole, released;
};

static void append(struct buf *b, const char *text)
{
    struct error err;

    assert_true(buf_append_str(b, text, &err));
}

static void make_text(struct world *w)
{
    size_t n = 1 + random_below(&w->random, PIECES);

    buf_clear(&w->text);
    for (size_t i = 0; i < n; i++) {
        append(&w->text, pieces[random_below(&w->random, COUNT(pieces))]);
    }
}

static struct budgets *open_budgets(void)
{
    struct error err;
    struct budgets *b = budgets_new(4 * MIB, secret, &err);

    assert_non_null(b);
    return b;
}

static const struct identity who = {.tenant = {"acme", 4}, .session = {"s", 1}, .user = {"u", 1}};

static void judge_whole(struct world *w, struct span text, struct budgets *b, struct buf *out, struct spent *spent)
{
    struct judge *j = &w->judge;
    struct error err;

    j->channel = (struct channel){.text = text};
    j->x = (struct exchange){.snapshot = j->snapshot,
                             .policy = &j->snapshot->policies[0],
                             .who = who,
                             .now_ns = INT64_C(1000000000000),
                             .channels = &j->channel,
                             .n_channels = 1,
                             .budgets = b};
    (void)worker_begin(j->worker);
    pipeline_judge(j->worker, &j->x);
    buf_clear(out);
    if (j->x.action == ACTION_BLOCK) {
        append(out, "<BLOCKED>");
    } else {
        assert_true(buf_append(out, j->channel.output, &err));
    }
    assert_true(spent == NULL || j->x.spending != NULL);
    if (spent != NULL) {
        (void)spending_report(j->x.spending, 0, spent);
    }
}

static void stream_through(struct world *w, struct budgets *b, size_t most, struct spent *spent)
{
    const struct stream_options options = {.snapshot = w->judge.snapshot, .policy = &w->judge.snapshot->policies[0], .who = who,
                                           .now_ns = INT64_C(1000000000000), .text_max = ROOM, .hold_max = ROOM, .budgets = b};
    struct exchange x;
    struct error err;
    struct stream *stream = stream_new(&options, &err);
    struct stream_channel *c = stream_channel(stream, span_str("/text"), &err);

    buf_clear(&w->released);
    for (size_t at = 0; at < w->text.len;) {
        size_t n = 1 + random_below(&w->random, most);
        n = n < w->text.len - at ? n : w->text.len - at;
        stream_feed(stream, c, w->judge.worker, span_of(w->text.data + at, n), &w->released);
        at += n;
    }
    stream_end(stream, c, w->judge.worker, STREAM_COMPLETE, &w->released);
    if (stream_action(stream) == ACTION_BLOCK) {
        buf_clear(&w->released);
        append(&w->released, "<BLOCKED>");
    }
    stream_exchange(stream, &x);
    (void)spending_report(x.spending, 0, spent);
    stream_free(stream);
}

static void assert_same(struct world *w, const struct spent *whole, const struct spent *streamed)
{
    bool is_blocked = span_is(buf_span(&w->whole), "<BLOCKED>");

    if (!span_equal(buf_span(&w->whole), buf_span(&w->released))) {
        fail_msg("text   \"" SPAN_FMT "\"\nwhole  \"" SPAN_FMT "\"\nstream \"" SPAN_FMT "\"", SPAN_ARG(buf_span(&w->text)),
                 SPAN_ARG(buf_span(&w->whole)), SPAN_ARG(buf_span(&w->released)));
    }
    if (!is_blocked) { /* of a stream that is blocked a part was released */
        assert_int_equal(whole->values, streamed->values);
        assert_int_equal(whole->disclosed, streamed->disclosed);
        assert_int_equal(whole->over, streamed->over);
    }
}

/* Some values are in the account already. */
static void fill(struct world *w, struct budgets *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        judge_whole(w, span_str(pieces[2 + i]), b, &w->released, NULL);
    }
}

static void one_text(struct world *w)
{
    static const size_t most[] = {1, 2, 5, 20, 500};
    struct spent whole = {0}, streamed;
    size_t n = random_below(&w->random, 4);

    make_text(w);
    struct budgets *b = open_budgets();
    fill(w, b, n);
    judge_whole(w, buf_span(&w->text), b, &w->whole, &whole);
    budgets_free(b);
    for (size_t i = 0; i < CUTTINGS_PER_TEXT; i++) {
        b = open_budgets();
        fill(w, b, n);
        streamed = (struct spent){0};
        stream_through(w, b, most[i % COUNT(most)], &streamed);
        budgets_free(b);
        assert_same(w, &whole, &streamed);
    }
}

static size_t number_of(const char *name, size_t otherwise)
{
    const char *text = getenv(name);

    return text == NULL ? otherwise : strtoul(text, NULL, 10);
}

static void world_begin(struct world *w, const char *policy)
{
    *w = (struct world){.random = {number_of("FILTERD_SEED", 1) + 88172645463325252ULL}};
    if (!judge_init(&w->judge, rules, policy, false)) {
        fail_msg("%s", w->judge.err.text);
    }
    buf_init(&w->text, ROOM);
    buf_init(&w->whole, ROOM);
    buf_init(&w->released, ROOM);
}

static void world_end(struct world *w)
{
    buf_deinit(&w->text);
    buf_deinit(&w->whole);
    buf_deinit(&w->released);
    judge_deinit(&w->judge);
}

static void every_cutting_discloses_what_the_whole_text_does(void **state)
{
    size_t wanted = number_of("FILTERD_CUTTINGS", CUTTINGS) / COUNT(policies) / CUTTINGS_PER_TEXT;

    (void)state;
    print_message("# FILTERD_SEED=%zu\n", number_of("FILTERD_SEED", 1));
    for (size_t p = 0; p < COUNT(policies); p++) {
        struct world w;
        world_begin(&w, policies[p]);
        for (size_t i = 0; i < wanted; i++) {
            one_text(&w);
        }
        world_end(&w);
        print_message("policy %zu: %zu cuttings, 0 differences\n", p + 1, wanted * CUTTINGS_PER_TEXT);
    }
}

/* The values that are disclosed differ with the order, their number does not. */
static void in_every_order_of_exchanges_the_budget_is_used_up_and_no_more(void **state)
{
    struct world w;

    (void)state;
    world_begin(&w, policies[0]);
    for (unsigned round = 0; round < 200; round++) {
        struct budgets *b = open_budgets();
        struct spent spent = {0};
        size_t first = random_below(&w.random, 8);
        for (size_t i = 0; i < 8; i++) { /* seven different values, one after the other from any on */
            judge_whole(&w, span_str(pieces[(first + i * 3) % 8]), b, &w.whole, NULL);
        }
        judge_whole(&w, span_str("no-4711 "), b, &w.whole, &spent);
        assert_int_equal(spent.values, 4);
        budgets_free(b);
    }
    world_end(&w);
}

/* What was delivered may be judged again for the same user: nothing more is redacted. */
static void judging_what_was_delivered_changes_nothing(void **state)
{
    struct world w;
    struct error err;

    (void)state;
    world_begin(&w, policies[0]);
    for (unsigned round = 0; round < 300; round++) {
        struct budgets *b = open_budgets();
        make_text(&w);
        judge_whole(&w, buf_span(&w.text), b, &w.whole, NULL);
        buf_clear(&w.released);
        assert_true(buf_append(&w.released, buf_span(&w.whole), &err));
        judge_whole(&w, buf_span(&w.released), b, &w.whole, NULL);
        assert_true(span_equal(buf_span(&w.whole), buf_span(&w.released)));
        budgets_free(b);
    }
    world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cutting_discloses_what_the_whole_text_does),
        cmocka_unit_test(in_every_order_of_exchanges_the_budget_is_used_up_and_no_more),
        cmocka_unit_test(judging_what_was_delivered_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
