/* bench_tagger.c - how fast names and addresses are sought in benign answers, alone and together
 * with all other heads, and how long their models take to load.
 *
 * Texts are judged by paragraphs, as in a stream. The time is that of this thread alone. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "classifiers/embedded.h"
#include "classifiers/shipped.h"
#include "classifiers/tagger.h"
#include "view/segment.h"

enum { MESSAGE = 16 * 1024, BYTES = 4 * 1024 * 1024, ROUNDS = 3 };

static const double wanted_score = 0.6, not_wanted = 2;

static bool count(void *context, const struct classifier_place *place, struct error *err)
{
    size_t *n = context;

    (void)err;
    *n += place->to > place->from;
    return true;
}

/* Some of the classifiers, and what is asked of each: all of their heads, or one. */
struct asked {
    const struct classifier *const *from, *const *to;
    double wanted[CLASSIFIER_HEADS_MAX];
};

/* Judges a text unit by unit, as the pipeline does. */
static void judge(const struct asked *asked, struct span text, size_t *n)
{
    struct error err;

    for (size_t at = 0; at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        struct span unit = span_of(rest.ptr, segment_first(SEGMENT_PARAGRAPH, rest, true));
        for (const struct classifier *const *c = asked->from; c < asked->to; c++) {
            if (!(*c)->judge((*c)->self, unit, asked->wanted, count, n, &err)) {
                (void)fprintf(stderr, "%s\n", err.text);
                exit(1);
            }
        }
        at += unit.len;
    }
}

/* Best of some: the machine's other work only ever adds. */
static double seconds_to_judge(const struct asked *asked, const struct messages *m, size_t *n)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds_spent();
        *n = 0;
        for (size_t i = 0; i < m->n; i++) {
            judge(asked, m->items[i], n);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

/* Of a model. */
static void bench_load(const char *name)
{
    char figure[64];
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        struct error err;
        struct tagger t;
        double start = seconds_spent();
        struct model *m = model_embedded(name, "tagger", &err);
        if (m == NULL || !tagger_open(&t, m, &err)) {
            (void)fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
        model_close(m);
    }
    (void)snprintf(figure, sizeof(figure), "tagger.%s.load", name);
    report(figure, "ms", best * 1e3, ROUNDS);
}

/* One head alone, where this classifier has it. */
static void bench_head(const struct classifier *const *c, const char *name, const struct messages *m)
{
    struct asked asked = {.from = c, .to = c + 1};
    unsigned head = (*c)->head((*c)->self, span_str(name));
    char figure[64];
    size_t n = 0;

    if (head == CLASSIFIER_HEADS_MAX) {
        return;
    }
    for (unsigned i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        asked.wanted[i] = i == head ? wanted_score : not_wanted;
    }
    double seconds = seconds_to_judge(&asked, m, &n);
    (void)snprintf(figure, sizeof(figure), "tagger.%s", name);
    report(figure, "MB/s", (double)m->bytes / seconds / 1e6, m->bytes);
    (void)snprintf(figure, sizeof(figure), "tagger.%s.found", name);
    report(figure, "in 10 KB", (double)n * 10240 / (double)m->bytes, n);
}

static void bench_all(const struct classifier *const *all, size_t n_all, const struct messages *m)
{
    struct asked asked = {.from = all, .to = all + n_all};
    size_t n = 0;

    for (unsigned i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        asked.wanted[i] = wanted_score;
    }
    double seconds = seconds_to_judge(&asked, m, &n);
    report("classifiers.together", "MB/s", (double)m->bytes / seconds / 1e6, m->bytes);
}

int main(void)
{
    static const char *const heads[] = {"person-name", "place-name", "organisation-name", "postal-address"};
    static const char *const models[] = {"person-name", "postal-address"};
    struct error err;
    struct messages m;
    const struct classifier *const *all = classifiers_shipped(&err);
    size_t n_all = 0;

    if (all == NULL || !messages_load(MESSAGE, BYTES, &m)) {
        (void)fprintf(stderr, "bench_tagger: no models or no data\n");
        return 1;
    }
    for (; all[n_all] != NULL; n_all++) {
        for (size_t k = 0; k < COUNT(heads); k++) {
            bench_head(&all[n_all], heads[k], &m);
        }
    }
    for (size_t k = 0; k < COUNT(models); k++) {
        bench_load(models[k]);
    }
    bench_all(all, n_all, &m);
    messages_free(&m);
    return 0;
}
