/* bench_stream.c - texts that come token by token: bytes held back, time per chunk, how that grows with the number of
 * rules, memory of an idle stream, and a thousand streams at once. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "bench/bench.h"
#include "classifiers/shipped.h"
#include "bench/first_rules.h"
#include "pipeline/stream.h"
#include "policy/embedded.h"

enum {
    MESSAGE = 4096,
    HOLD_BYTES = 4 * 1024 * 1024,
    TIME_BYTES = 1024 * 1024,
    ROUNDS = 3,
    STREAMS = 1000,
    TOKENS_PER_SECOND = 50,
    IDLE_TEXT = 2048,
    FEW_RULES = 100,
    MANY_RULES = 1000,
    RULES_TEXT_MAX = 16 * 1024 * 1024
};

_Static_assert(COUNT(first_rules) >= FEW_RULES, "the figure is named stream.rules.100");

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

/* Whether the rule is among the first n; with n = 0 every rule is. */
static bool is_first_rule(struct span id, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_is(id, first_rules[i])) {
            return true;
        }
    }
    return n == 0;
}

static bool take_line(struct span *text, struct span *line)
{
    const char *end = text->len > 0 ? memchr(text->ptr, '\n', text->len) : NULL;
    size_t len = end != NULL ? (size_t)(end - text->ptr) + 1 : text->len;

    *line = span_slice(*text, 0, len);
    *text = span_slice(*text, len, text->len);
    return len > 0;
}

/* The rules of a shipped file that are wanted, as text. */
static bool append_chosen(struct buf *out, struct span file, size_t n_first, struct error *err)
{
    static const char start[] = "  - id: ";
    const size_t start_len = sizeof(start) - 1;
    struct span line;
    bool is_wanted = true; /* what stands before the first rule is */

    while (take_line(&file, &line)) {
        if (line.len > start_len && memcmp(line.ptr, start, start_len) == 0) {
            is_wanted = is_first_rule(span_slice(line, start_len, line.len - 1), n_first);
        }
        if (is_wanted && !buf_append(out, line, err)) {
            return false;
        }
    }
    return true;
}

/* The shipped policy; the first rules are of two packs alone. */
static bool append_policy(struct buf *out, struct span file, size_t n_first, struct error *err)
{
    static const char packs[] = "    rules: ";
    struct span line;

    while (take_line(&file, &line)) {
        bool is_packs = line.len > sizeof(packs) && memcmp(line.ptr, packs, sizeof(packs) - 1) == 0;
        line = is_packs && n_first > 0 ? span_str("    rules: [secrets, pii]\n") : line;
        if (!buf_append(out, line, err)) {
            return false;
        }
    }
    return true;
}

/* Tokens of the usual shape. */
static bool append_made_up(struct buf *out, unsigned n, struct error *err)
{
    if (!buf_append_str(out, "rules:\n", err)) {
        return false;
    }
    for (unsigned i = 0; i < n; i++) {
        char prefix[8], body[64];
        unsigned len = 24 + i % 40;
        (void)snprintf(prefix, sizeof(prefix), "%c%c%c%c_", 'a' + (int)(i % 26), 'a' + (int)(i / 26 % 26),
                       'k' + (int)(i / 676 % 10), 'a' + (int)(i * 7 % 26));
        memset(body, 'A', len);
        body[len] = '\0';
        if (!buf_appendf(out, err,
                         "  - id: made-up-%u\n    title: Made-up token\n    category: secret\n    severity: high\n"
                         "    pattern: '%s[A-Za-z0-9]{%u}'\n    confidence: 0.9\n"
                         "    match: ['%s%s', 'a %s%s', 'b %s%s']\n    no_match: ['%s', 'a %s', 'b %s']\n",
                         i, prefix, len, prefix, body, prefix, body, prefix, body, prefix, prefix, prefix)) {
            return false;
        }
    }
    return true;
}

/* Rule files in the making. */
struct rule_texts {
    struct rule_file files[64];
    struct buf texts[64];
    size_t n;
    struct buf policy;
};

/* An empty text for the next file. */
static struct buf *next_text(struct rule_texts *t)
{
    if (t->n == COUNT(t->files)) {
        fail("more rule files than expected");
    }
    buf_deinit(&t->texts[t->n]);
    buf_init(&t->texts[t->n], RULES_TEXT_MAX);
    return &t->texts[t->n];
}

static bool add_shipped(struct rule_texts *t, const struct embedded_file *file, size_t n_first, struct error *err)
{
    const struct span content = span_of(file->content, file->len);

    if (strcmp(file->path, "rules/policy.yaml") == 0) {
        return append_policy(&t->policy, content, n_first, err);
    }
    struct buf *text = next_text(t);
    if (!append_chosen(text, content, n_first, err)) {
        return false;
    }
    if (memmem(text->data, text->len, "\n  - id: ", 9) != NULL) {
        t->files[t->n++] = (struct rule_file){.path = file->path, .content = buf_span(text)};
    }
    return true;
}

static bool add_made_up(struct rule_texts *t, unsigned n, struct error *err)
{
    struct buf *text = next_text(t);

    if (n > 0 && append_made_up(text, n, err)) {
        t->files[t->n++] = (struct rule_file){.path = "rules/secrets/made-up.yaml", .content = buf_span(text)};
        return true;
    }
    return n == 0;
}

static struct snapshot *load(const struct rule_texts *t, struct error *err)
{
    struct error ignored;
    const struct rule_set_options options = {.classifiers = classifiers_shipped(&ignored)};
    struct rule_set *rules = rule_set_load(t->files, t->n, &options, err);
    struct snapshot *snapshot =
        rules != NULL ? snapshot_load(rules, "rules/policy.yaml", buf_span(&t->policy), err) : NULL;

    rule_set_unref(rules);
    return snapshot;
}

/* The first rules of bench/first_rules.h, all shipped ones when n_first is 0; and some that no one ships. */
static struct snapshot *snapshot_with(size_t n_first, unsigned n_made_up)
{
    struct rule_texts texts = {0};
    struct error err;
    bool is_ok = true;

    buf_init(&texts.policy, RULES_TEXT_MAX);
    for (unsigned i = 0; i < embedded_file_count && is_ok; i++) {
        is_ok = add_shipped(&texts, &embedded_files[i], n_first, &err);
    }
    struct snapshot *snapshot = is_ok && add_made_up(&texts, n_made_up, &err) ? load(&texts, &err) : NULL;
    if (snapshot == NULL) {
        fail(err.text);
    }
    for (size_t i = 0; i < COUNT(texts.texts); i++) {
        buf_deinit(&texts.texts[i]);
    }
    buf_deinit(&texts.policy);
    return snapshot;
}

static void by_rules(struct judge *j, const struct messages *m, struct buf *out)
{
    struct snapshot *few = snapshot_with(FEW_RULES, 0);
    struct snapshot *many = snapshot_with(0, MANY_RULES - j->snapshot->rules->n_rules);
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
    report("stream.rules.1000", "us", many_us, n);
    report("stream.rules.1000_to_100", "ratio", many_us / few_us, n);
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
