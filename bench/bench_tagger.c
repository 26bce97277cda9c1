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
#include "text/segment.h"

enum { MESSAGE = 16 * 1024, BYTES = 4 * 1024 * 1024, ROUNDS = 3 };

static bool count(void *context, const struct classifier_place *place, struct error *err)
{
    size_t *n = context;

    (void)err;
    *n += place->to > place->from;
    return true;
}

/* Judges a text by the classifiers from one up to another, unit by unit, as the pipeline does. */
static void judge(const struct classifier *const *from, const struct classifier *const *to,
                  struct span text, size_t *n)
{
    double wanted[CLASSIFIER_HEADS_MAX];
    struct error err;

    for (size_t i = 0; i < CLASSIFIER_HEADS_MAX; i++) {
        wanted[i] = 0.6;
    }
    for (size_t at = 0; at < text.len;) {
        struct span rest = span_slice(text, at, text.len);
        struct span unit = span_of(rest.ptr, segment_first(SEGMENT_PARAGRAPH, rest, true));
        for (const struct classifier *const *c = from; c < to; c++) {
            if (!(*c)->judge((*c)->self, unit, wanted, count, n, &err)) {
                (void)fprintf(stderr, "%s\n", err.text);
                exit(1);
            }
        }
        at += unit.len;
    }
}

/* Best of some: the machine's other work only ever adds. */
static double seconds_to_judge(const struct classifier *const *from,
                               const struct classifier *const *to, const struct messages *m,
                               size_t *n)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        double start = seconds_spent();
        *n = 0;
        for (size_t i = 0; i < m->n; i++) {
            judge(from, to, m->items[i], n);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

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

static bool has_head(const struct classifier *c, const char *name)
{
    return c->head(c->self, span_str(name)) < CLASSIFIER_HEADS_MAX;
}

int main(void)
{
    static const char *const heads[] = {"person-name", "postal-address"};
    struct error err;
    struct messages m;
    const struct classifier *const *all = classifiers_shipped(&err);
    size_t n_all = 0;
    size_t n = 0;

    if (all == NULL || !messages_load(MESSAGE, BYTES, &m)) {
        (void)fprintf(stderr, "bench_tagger: no models or no data\n");
        return 1;
    }
    for (; all[n_all] != NULL; n_all++) {
        double seconds = seconds_to_judge(&all[n_all], &all[n_all + 1], &m, &n);
        for (size_t k = 0; k < COUNT(heads); k++) {
            char figure[64];
            if (has_head(all[n_all], heads[k])) {
                (void)snprintf(figure, sizeof(figure), "tagger.%s", heads[k]);
                report(figure, "MB/s", (double)m.bytes / seconds / 1e6, m.bytes);
                (void)snprintf(figure, sizeof(figure), "tagger.%s.found", heads[k]);
                report(figure, "in 10 KB", (double)n * 10240 / (double)m.bytes, n);
                bench_load(heads[k]);
            }
        }
    }
    double together = seconds_to_judge(all, all + n_all, &m, &n);
    report("classifiers.together", "MB/s", (double)m.bytes / together / 1e6, m.bytes);
    messages_free(&m);
    return 0;
}
