/* bench_classifiers.c - what the local classifiers cost: bytes a second over benign answers, all heads in one pass, and
 * the time to open the models. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "classifiers/embedded.h"
#include "classifiers/linear.h"

enum { MESSAGE = 4096, BYTES = 16 * 1024 * 1024, ROUNDS = 3 };

static struct linear *open_heads(void)
{
    struct error err;
    struct model *m = model_embedded("heads", "linear", &err);
    struct linear *l = m != NULL ? linear_open(m, &err) : NULL;

    if (l == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
        exit(1);
    }
    return l;
}

static bool count(void *context, const struct linear_window *window)
{
    size_t *n = context;

    *n += window->z[0] > 0;
    return true;
}

/* Best of three: the machine's other work only ever adds. */
static double best_seconds(const struct linear *l, const struct messages *m)
{
    double best = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        size_t n = 0;
        double start = seconds_spent();
        for (size_t i = 0; i < m->n; i++) {
            (void)linear_scan(l, m->items[i], count, &n);
        }
        double spent = seconds_spent() - start;
        best = spent < best ? spent : best;
    }
    return best;
}

int main(void)
{
    struct messages m;
    double first = seconds_spent();
    struct linear *l = open_heads();
    double loaded = seconds_spent() - first;

    report("classifiers.load", "ms", loaded * 1e3, 1);
    if (!messages_load(MESSAGE, BYTES, &m)) {
        return 1;
    }
    double seconds = best_seconds(l, &m);
    report("classifiers.heads", "MB/s", (double)m.bytes / seconds / 1e6, m.n);
    report("classifiers.heads.4KiB", "us", seconds / (double)m.n * 1e6, m.n);
    messages_free(&m);
    linear_close(l);
    return 0;
}
