/* bench_supervisor.c - how good a supervisor is: asks a real endpoint about labelled texts.
 *
 * usage: bench_supervisor SUPERVISORS.yaml TEXTS.jsonl [IN_PRICE OUT_PRICE]
 *
 * TEXTS has one object a line: {"text": "…", "label": "harm"}; the label is a category of the policy's
 * key `supervisor`, or "none". The file of supervisors is filterd's own (filterd-supervisors(5)), so
 * what is measured is what filterd would ask, with retries, hedging and cache as it says. Prices are per
 * million tokens. Prints one JSON line per figure; exit code 1 when a line of TEXTS cannot be read. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "supervisor-llm/supervisor.h"

enum { AT_ONCE = 16, DEADLINE_S = 60, NONE = SUPERVISOR_CATEGORY_COUNT, TEXTS_MAX = 256 * 1024 * 1024 };

struct labelled {
    struct supervisor_question question; /* first */
    struct runner *runner;
    unsigned label; /* enum supervisor_category, or NONE */
};

struct runner {
    struct supervisor *supervisor;
    struct arena memory;
    struct labelled *items;
    size_t n, cap;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned open;
};

static void report(const char *name, const char *unit, double value, size_t n)
{
    printf("{\"name\":\"supervisor.%s\",\"unit\":\"%s\",\"value\":%.6g,\"n\":%zu}\n", name, unit, value, n);
}

/* --- texts --------------------------------------------------------------------- */

static bool read_label(struct span name, unsigned *label)
{
    *label = NONE;
    for (unsigned i = 0; i < NONE; i++) {
        if (span_is(name, supervisor_category_name((enum supervisor_category)i))) {
            *label = i;
        }
    }
    return *label != NONE || span_is(name, "none");
}

static bool read_line(struct runner *r, struct span line, struct labelled *out, struct error *err)
{
    struct json_value value;
    struct span name, label = {.ptr = ""};

    if (!json_validate(line, err)) {
        return false;
    }
    struct json_iterator it = json_iterate(json_root(line));
    *out = (struct labelled){.runner = r};
    while (json_next(&it, &name, &value)) {
        struct span *to = span_is(name, "text") ? &out->question.text : span_is(name, "label") ? &label : NULL;
        if (to != NULL && (value.kind != JSON_KIND_STRING || !json_unquote(&r->memory, value, to, err))) {
            return error_set(err, ERROR_INVALID, "text and label: strings expected");
        }
    }
    return (out->question.text.len > 0 && read_label(label, &out->label)) ||
           error_set(err, ERROR_INVALID, "{\"text\": …, \"label\": a category or \"none\"} expected");
}

static bool read_texts(struct runner *r, const char *path, struct error *err)
{
    FILE *file CLEANUP(cleanup_file) = fopen(path, "r");
    char *line CLEANUP(cleanup_free) = NULL;
    size_t cap = 0;
    ssize_t len;

    if (file == NULL) {
        return error_errno(err, "%s", path);
    }
    while ((len = getline(&line, &cap, file)) > 0) {
        struct span text;
        if (r->n == r->cap) {
            r->cap = r->cap == 0 ? 1024 : r->cap * 2;
            struct labelled *items = realloc(r->items, r->cap * sizeof(*items));
            if (items == NULL) {
                return error_set(err, ERROR_NO_MEMORY, "no memory");
            }
            r->items = items;
        }
        if (!arena_copy(&r->memory, span_of(line, (size_t)len), &text, err) ||
            !read_line(r, text, &r->items[r->n], err)) {
            return error_wrap(err, "%s:%zu", path, r->n + 1);
        }
        r->n++;
    }
    return r->n > 0 || error_set(err, ERROR_INVALID, "%s: a line expected", path);
}

/* --- asking -------------------------------------------------------------------- */

static void done(struct supervisor_question *q)
{
    struct runner *r = ((struct labelled *)(void *)q)->runner;

    (void)pthread_mutex_lock(&r->lock);
    r->open--;
    (void)pthread_cond_signal(&r->changed);
    (void)pthread_mutex_unlock(&r->lock);
}

static void wait_for(struct runner *r, unsigned most)
{
    (void)pthread_mutex_lock(&r->lock);
    while (r->open > most) {
        (void)pthread_cond_wait(&r->changed, &r->lock);
    }
    r->open++;
    (void)pthread_mutex_unlock(&r->lock);
}

static void ask_all(struct runner *r)
{
    for (size_t i = 0; i < r->n; i++) {
        struct supervisor_question *q = &r->items[i].question;
        wait_for(r, AT_ONCE - 1);
        q->policy = span_str("bench");
        q->categories = (1U << SUPERVISOR_CATEGORY_COUNT) - 1;
        q->deadline_ns = clock_monotonic_ns() + DEADLINE_S * 1000000000ULL;
        q->done = done;
        supervisor_ask(r->supervisor, q);
    }
    wait_for(r, 0);
}

/* --- figures ------------------------------------------------------------------- */

static unsigned verdict_of(const struct labelled *l)
{
    return l->question.result.is_violation ? l->question.result.category : NONE;
}

/* Of the texts with that label: how many are found to be a violation, and of that category. */
static void report_category(const struct runner *r, unsigned label)
{
    const char *name = supervisor_category_name((enum supervisor_category)label);
    size_t n = 0, found = 0, named = 0;
    char text[80];

    for (size_t i = 0; i < r->n; i++) {
        const struct labelled *l = &r->items[i];
        bool counts = l->label == label && l->question.result.outcome == SUPERVISION_ANSWERED;
        n += counts;
        found += counts && verdict_of(l) != NONE;
        named += counts && verdict_of(l) == label;
    }
    if (n > 0) {
        (void)snprintf(text, sizeof(text), "recall.%s", name);
        report(text, "share", (double)found / (double)n, n);
        (void)snprintf(text, sizeof(text), "accuracy.%s", name);
        report(text, "share", (double)named / (double)n, n);
    }
}

static void report_verdicts(const struct runner *r)
{
    size_t answered = 0, right = 0, clean = 0, blocked = 0;

    for (size_t i = 0; i < r->n; i++) {
        const struct labelled *l = &r->items[i];
        if (l->question.result.outcome == SUPERVISION_ANSWERED) {
            answered++;
            right += (verdict_of(l) == NONE) == (l->label == NONE);
            clean += l->label == NONE;
            blocked += l->label == NONE && verdict_of(l) != NONE;
        }
    }
    report("answered", "share", (double)answered / (double)r->n, r->n);
    if (answered > 0) {
        report("accuracy", "share", (double)right / (double)answered, answered);
    }
    if (clean > 0) {
        report("false_block_rate", "share", (double)blocked / (double)clean, clean);
    }
    for (unsigned i = 0; i < SUPERVISOR_CATEGORY_COUNT; i++) {
        report_category(r, i);
    }
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static void report_latency(const struct runner *r)
{
    double *ms CLEANUP(cleanup_free) = calloc(r->n, sizeof(*ms));

    if (ms == NULL) {
        return;
    }
    for (size_t i = 0; i < r->n; i++) {
        ms[i] = (double)r->items[i].question.result.latency_ns / 1e6;
    }
    qsort(ms, r->n, sizeof(*ms), compare);
    report("latency.p50", "ms", ms[r->n / 2], r->n);
    report("latency.p99", "ms", ms[(r->n * 99) / 100], r->n);
}

static void report_cost(const struct runner *r, double in_price, double out_price)
{
    struct supervisor_counts c;
    char name[80];

    supervisor_count(r->supervisor, &c);
    report("tokens_in", "tokens", (double)c.tokens_in, r->n);
    report("tokens_out", "tokens", (double)c.tokens_out, r->n);
    report("cost_per_thousand", "money",
           ((double)c.tokens_in * in_price + (double)c.tokens_out * out_price) / 1e6 / (double)r->n * 1000, r->n);
    for (unsigned i = 0; i < SUPERVISION_ANSWERED; i++) {
        if (c.outcomes[i] > 0) {
            (void)snprintf(name, sizeof(name), "failures.%s",
                           supervision_outcome_name((enum supervision_outcome)i));
            report(name, "texts", (double)c.outcomes[i], r->n);
        }
    }
}

static bool run(struct runner *r, char **argv, struct error *err)
{
    struct endpoints *endpoints = endpoints_load(argv[1], err);

    if (endpoints == NULL || !read_texts(r, argv[2], err)) {
        endpoints_free(endpoints);
        return false;
    }
    r->supervisor = supervisor_new(endpoints, err);
    if (r->supervisor == NULL || !supervisor_start(r->supervisor, err)) {
        return false;
    }
    ask_all(r);
    return true;
}

int main(int argc, char **argv)
{
    struct runner r = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct error err = {0};

    if (argc != 3 && argc != 5) {
        (void)fprintf(stderr, "usage: bench_supervisor SUPERVISORS.yaml TEXTS.jsonl [IN_PRICE OUT_PRICE]\n");
        return 2;
    }
    arena_init(&r.memory, 0, TEXTS_MAX);
    bool is_run = run(&r, argv, &err);
    if (is_run) {
        report_verdicts(&r);
        report_latency(&r);
        report_cost(&r, argc == 5 ? strtod(argv[3], NULL) : 0, argc == 5 ? strtod(argv[4], NULL) : 0);
    } else {
        (void)fprintf(stderr, "bench_supervisor: %s\n", err.text);
    }
    supervisor_free(r.supervisor);
    free(r.items);
    arena_deinit(&r.memory);
    return is_run ? 0 : 1;
}
