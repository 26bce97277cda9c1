/* bench_requests.c - what a request of a long conversation costs: each has the whole history, and one message that is new. */
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/json.h"
#include "bench/bench.h"
#include "mask/masking.h"
#include "prompt/prompt_judge.h"

enum { MESSAGE = 2048, TEXTS = 1024 * 1024, TURNS = 50, NEW = 64, ROUNDS = 5, BODY_MAX = 1 << 20 };

struct conversation {
    struct judge judge;
    struct messages texts; /* those without findings first: others are judged each time */
    struct masking *masking;
    struct buf body, out;
};

static void keep_clean(struct conversation *c)
{
    size_t n = 0;

    for (size_t i = 0; i < c->texts.n; i++) {
        (void)judge_run(&c->judge, c->texts.items[i]);
        if (c->judge.x.n_findings == 0) {
            c->texts.items[n++] = c->texts.items[i];
        }
    }
    c->texts.n = n;
    if (n < 2 * TURNS + NEW) {
        (void)fprintf(stderr, "bench_requests: only %zu texts without findings\n", n);
        exit(2);
    }
}

/* `turns` of user and assistant, and the new message. */
static void write_body(struct conversation *c, size_t turns, size_t new)
{
    struct error err;

    buf_clear(&c->body);
    must(buf_append_str(&c->body, "{\"model\":\"m\",\"messages\":[", &err), &err);
    for (size_t i = 0; i < 2 * turns; i++) {
        must(buf_appendf(&c->body, &err, "{\"role\":\"%s\",\"content\":", i % 2 == 0 ? "user" : "assistant") &&
                 json_append_string(&c->body, c->texts.items[NEW + i], &err) && buf_append_str(&c->body, "},", &err),
             &err);
    }
    must(buf_append_str(&c->body, "{\"role\":\"user\",\"content\":", &err) &&
             json_append_string(&c->body, c->texts.items[new], &err) && buf_append_str(&c->body, "}]}", &err),
         &err);
}

static double judge_one(struct conversation *c, struct history *history)
{
    const struct prompt_input q = {.route = "openai-chat", .body = buf_span(&c->body), .history = history};
    struct exchange x = {.snapshot = c->judge.snapshot,
                         .policy = snapshot_policy(c->judge.snapshot, (struct span){0}, (struct span){0}),
                         .masking = c->masking};
    struct prompt_outcome outcome;
    double start = seconds_spent();

    prompt_judge(c->judge.worker, &q, &x, &c->out, &outcome);
    double spent = seconds_spent() - start;
    if (x.action == ACTION_BLOCK) {
        (void)fprintf(stderr, "bench_requests: blocked: %s\n", x.unjudged_reason == NULL ? "by a rule" : x.unjudged_reason);
        exit(2);
    }
    return spent;
}

/* Microseconds of one request; the best of several rounds, as the machine's other work only ever adds. */
static double measure(struct conversation *c, size_t turns, size_t *bytes)
{
    double best = 1e9;
    struct error err;

    for (int round = 0; round < ROUNDS; round++) {
        struct history *history = history_new(HISTORY_ENTRIES_DEFAULT, &err);
        double spent = 0;
        must(history != NULL, &err);
        write_body(c, turns, 0);
        (void)judge_one(c, history);
        for (size_t i = 1; i < NEW; i++) {
            write_body(c, turns, i);
            spent += judge_one(c, history);
        }
        best = spent < best ? spent : best;
        history_free(history);
    }
    *bytes = c->body.len;
    return best * 1e6 / (NEW - 1);
}

int main(void)
{
    struct conversation c = {0};
    struct error err;
    size_t first_bytes, last_bytes;

    if (sodium_init() < 0 || !judge_open(&c.judge, false) || !messages_load(MESSAGE, TEXTS, &c.texts)) {
        return 1;
    }
    keep_clean(&c);
    c.masking = masking_new(NULL, &masking_limits_default, &err);
    must(c.masking != NULL, &err);
    buf_init(&c.body, BODY_MAX);
    buf_init(&c.out, BODY_MAX);
    double first = measure(&c, 2, &first_bytes), last = measure(&c, TURNS, &last_bytes);
    report("request.turn_2", "us", first, NEW - 1);
    report("request.turn_50", "us", last, NEW - 1);
    report("request.history", "us/KiB", (last - first) * 1024 / (double)(last_bytes - first_bytes), NEW - 1);
    buf_deinit(&c.out);
    buf_deinit(&c.body);
    masking_unref(c.masking);
    messages_free(&c.texts);
    judge_close(&c.judge);
    return 0;
}
