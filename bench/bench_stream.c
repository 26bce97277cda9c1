/* bench_stream.c - texts that come token by token: bytes held back, time per chunk, how that grows with the number of
 * rules, memory of an idle stream, and a thousand streams at once. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bench/bench.h"
#include "bench/packs.h"
#include "pipeline/stream.h"

enum {
    MESSAGE = 4096,
    HOLD_BYTES = 4 * 1024 * 1024,
    TIME_BYTES = 1024 * 1024,
    ROUNDS = 3,
    STREAMS = 1000,
    TOKENS_PER_SECOND = 50,
    IDLE_TEXT = 2048,
    FEW_RULES = 100,
    MANY_RULES = 1500
};

static void fail(const char *what)
{
    (void)fprintf(stderr, "bench_stream: %s\n", what);
    exit(1);
}

/* --- one stream ---------------------------------------------------------------- */

/* The next token's length: 1 to 8 bytes, 4 in the mean. */
static size_t token_len(uint64_t *state)
{
    static const unsigned char lengths[] = {1, 2, 3, 3, 4, 4, 4, 4, 5, 5, 5, 8};

    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return lengths[*state % COUNT(lengths)];
}

/* A message on its way through a stream. */
struct feed {
    struct stream *stream;
    struct stream_channel *channel;
    struct span left;
    uint64_t random;
};

static void feed_open(struct feed *f, struct snapshot *snapshot, struct span text)
{
    const struct stream_options options = {.snapshot = snapshot,
                                           .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                                           .text_max = SIZE_MAX,
                                           .hold_max = STREAM_HOLD_MAX_DEFAULT};
    struct error err;

    *f = (struct feed){.left = text, .random = 88172645463325252ULL};
    f->stream = stream_new(&options, &err);
    f->channel = f->stream != NULL ? stream_channel(f->stream, span_str("/choices/0/delta/content"), &err) : NULL;
    if (f->channel == NULL) {
        fail(err.text);
    }
}

/* Feeds one token; false at the end. */
static bool feed_next(struct feed *f, struct worker *w, struct buf *out)
{
    size_t len = token_len(&f->random);

    if (f->left.len == 0 || stream_action(f->stream) == ACTION_BLOCK) {
        return false;
    }
    len = len < f->left.len ? len : f->left.len;
    buf_clear(out);
    stream_feed(f->stream, f->channel, w, span_slice(f->left, 0, len), out);
    f->left = span_slice(f->left, len, f->left.len);
    return true;
}

static void feed_close(struct feed *f, struct worker *w, struct buf *out)
{
    buf_clear(out);
    stream_end(f->stream, f->channel, w, STREAM_COMPLETE, out);
    stream_free(f->stream);
}

/* --- bytes held ---------------------------------------------------------------- */

static uint64_t held_counts[STREAM_HOLD_MAX_DEFAULT + 1];

static size_t percentile(uint64_t n, unsigned percent)
{
    uint64_t seen = 0;
    size_t held = 0;

    while (held < STREAM_HOLD_MAX_DEFAULT && (seen += held_counts[held]) * 100 < n * percent) {
        held++;
    }
    return held;
}

static void report_held(uint64_t n, double sum, size_t max)
{
    report("stream.hold.mean", "bytes", sum / (double)n, n);
    report("stream.hold.p50", "bytes", (double)percentile(n, 50), n);
    report("stream.hold.p99", "bytes", (double)percentile(n, 99), n);
    report("stream.hold.max", "bytes", (double)max, n);
}

static void measure_held(struct judge *j, const struct messages *m, struct buf *out)
{
    uint64_t n = 0;
    double sum = 0;
    size_t max = 0;

    for (size_t i = 0; i < m->n; i++) {
        struct feed f;
        feed_open(&f, j->snapshot, m->items[i]);
        while (feed_next(&f, j->worker, out)) {
            size_t held = stream_held(f.stream);
            held_counts[held]++;
            sum += (double)held;
            max = held > max ? held : max;
            n++;
        }
        feed_close(&f, j->worker, out);
    }
    report_held(n, sum, max);
}

/* --- time per chunk -------------------------------------------------------------- */

/* One stream after another; only what feeding takes. Returns microseconds per chunk. */
static double time_chunks(struct snapshot *snapshot, struct worker *w, const struct messages *m, struct buf *out,
                          uint64_t *n)
{
    double spent = 0;

    *n = 0;
    for (size_t i = 0; i < m->n; i++) {
        struct feed f;
        feed_open(&f, snapshot, m->items[i]);
        double start = seconds_spent();
        while (feed_next(&f, w, out)) {
            ++*n;
        }
        spent += seconds_spent() - start;
        feed_close(&f, w, out);
    }
    return spent * 1e6 / (double)*n;
}

/* --- a number of rules ------------------------------------------------------------ */

static void by_rules(struct judge *j, const struct messages *m, struct buf *out)
{
    struct snapshot *few = packs_load(FEW_RULES, 0);
    struct snapshot *many = packs_load(0, MANY_RULES - j->snapshot->rules->n_rules);
    double few_us = 1e9, many_us = 1e9, all_us = 1e9;
    uint64_t n = 0;

    if (few->rules->n_rules != FEW_RULES || many->rules->n_rules != MANY_RULES) {
        fail("another number of rules than the figures are named after");
    }
    for (int round = 0; round <= ROUNDS; round++) { /* best of them: other work of the machine only ever adds */
        double few_now = time_chunks(few, j->worker, m, out, &n);
        double all_now = time_chunks(j->snapshot, j->worker, m, out, &n);
        double many_now = time_chunks(many, j->worker, m, out, &n);
        few_us = few_now < few_us ? few_now : few_us;
        all_us = all_now < all_us ? all_now : all_us;
        many_us = many_now < many_us ? many_now : many_us;
    }
    report("stream.chunk", "us", all_us, n);
    report("stream.rules.100", "us", few_us, n);
    report("stream.rules.1500", "us", many_us, n);
    report("stream.rules.1500_to_100", "ratio", many_us / few_us, n);
    snapshot_unref(few);
    snapshot_unref(many);
}

/* --- many streams ------------------------------------------------------------------ */

static size_t bytes_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* What a stream keeps when all that it was given is released. */
static void measure_idle(struct judge *j, const struct messages *m, struct buf *out)
{
    struct feed *feeds = calloc(STREAMS, sizeof(*feeds));
    size_t held = 0;

    if (feeds == NULL) {
        fail("no memory");
    }
    size_t before = bytes_in_use();
    for (size_t i = 0; i < STREAMS; i++) {
        feed_open(&feeds[i], j->snapshot, span_slice(m->items[i % m->n], 0, IDLE_TEXT));
        while (feed_next(&feeds[i], j->worker, out)) {
        }
        stream_feed(feeds[i].stream, feeds[i].channel, j->worker, span_str(".\n\n"), out);
        held += stream_held(feeds[i].stream);
    }
    report("stream.idle.memory", "bytes", (double)(bytes_in_use() - before) / STREAMS, STREAMS);
    report("stream.idle.held", "bytes", (double)held / STREAMS, STREAMS);
    for (size_t i = 0; i < STREAMS; i++) {
        feed_close(&feeds[i], j->worker, out);
    }
    free(feeds);
}

/* A token for each in turn, so that what one stream needs is out of the caches when its turn comes again. */
static double time_in_turn(struct judge *j, const struct messages *m, struct buf *out, uint64_t *n)
{
    struct feed *feeds = calloc(STREAMS, sizeof(*feeds));
    uint64_t before = 0;

    if (feeds == NULL) {
        fail("no memory");
    }
    for (size_t i = 0; i < STREAMS; i++) {
        feed_open(&feeds[i], j->snapshot, m->items[i % m->n]);
        feeds[i].random += i; /* no two are at the same place */
    }
    double start = seconds_spent();
    *n = 0;
    do {
        before = *n;
        for (size_t i = 0; i < STREAMS; i++) {
            *n += feed_next(&feeds[i], j->worker, out);
        }
    } while (*n > before);
    double spent = seconds_spent() - start;
    for (size_t i = 0; i < STREAMS; i++) {
        feed_close(&feeds[i], j->worker, out);
    }
    free(feeds);
    return spent * 1e6 / (double)*n;
}

static void in_turn(struct judge *j, const struct messages *m, struct buf *out)
{
    double best = 1e9;
    uint64_t n = 0;

    for (int round = 0; round < ROUNDS; round++) {
        double us = time_in_turn(j, m, out, &n);
        best = us < best ? us : best;
    }
    report("stream.in_turn.chunk", "us", best, n);
    report("stream.in_turn.core_share", "cores", best * STREAMS * TOKENS_PER_SECOND / 1e6, n);
}

int main(void)
{
    struct judge j;
    struct messages all, few;
    struct buf out;

    buf_init(&out, SIZE_MAX / 2);
    if (!judge_open(&j, false) || !messages_load(MESSAGE, HOLD_BYTES, &all) ||
        !messages_load(MESSAGE, TIME_BYTES, &few)) {
        return 1;
    }
    measure_held(&j, &all, &out);
    by_rules(&j, &few, &out);
    measure_idle(&j, &all, &out);
    in_turn(&j, &all, &out);
    buf_deinit(&out);
    messages_free(&all);
    messages_free(&few);
    judge_close(&j);
    return 0;
}
