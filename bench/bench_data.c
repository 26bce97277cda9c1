/* bench_data.c - the pipeline under rules with a table of one's own to the same rules without it, block by block in turns.
 *
 * The last file of the messages is what bench/data.sh makes documents of, and is left out: a message that is a copy costs what a finding
 * costs.
 *
 * usage: bench_data NAME WITHOUT WITH, two folders of rules; bench/data.sh makes them. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "pipeline/load.h"

enum { MESSAGE = 4096, BLOCK = 16, ROUNDS = 3, BYTES = 5 * 1024 * 1024 }; /* fewer than come before the documents */

static void open_judge(struct judge *j, const char *rules)
{
    const struct rule_set_options options = {.only_used = true};
    const struct worker_limits limits = worker_limits_default();
    struct error err;

    *j = (struct judge){0};
    j->snapshot = snapshot_open(rules, NULL, &options, &err);
    must(j->snapshot != NULL, &err);
    j->worker = worker_new(&limits, NULL, &err);
    must(j->worker != NULL, &err);
}

static double time_block(struct judge *j, const struct span *texts, size_t n)
{
    double start = seconds_spent();

    for (size_t i = 0; i < n; i++) {
        (void)judge_run(j, texts[i]);
    }
    return seconds_spent() - start;
}

int main(int argc, char **argv)
{
    struct judge without, with;
    struct messages m;
    double spent[2] = {0};
    char name[64];

    if (argc != 4) {
        (void)fprintf(stderr, "usage: bench_data NAME WITHOUT WITH\n");
        return 2;
    }
    if (!messages_load(MESSAGE, BYTES, &m)) {
        return 1;
    }
    open_judge(&without, argv[2]);
    open_judge(&with, argv[3]);
    (void)time_block(&without, m.items, m.n / 8);
    (void)time_block(&with, m.items, m.n / 8);
    for (int round = 0; round < ROUNDS; round++) {
        for (size_t at = 0; at < m.n; at += BLOCK) {
            size_t n = m.n - at < BLOCK ? m.n - at : BLOCK;
            spent[0] += time_block(&without, m.items + at, n);
            spent[1] += time_block(&with, m.items + at, n);
        }
    }
    double per_byte = 1e9 / (double)ROUNDS / (double)m.bytes;
    (void)snprintf(name, sizeof(name), "data.%s.without", argv[1]);
    report(name, "ns/B", spent[0] * per_byte, ROUNDS * m.n);
    (void)snprintf(name, sizeof(name), "data.%s.with", argv[1]);
    report(name, "ns/B", spent[1] * per_byte, ROUNDS * m.n);
    (void)snprintf(name, sizeof(name), "data.%s.ratio", argv[1]);
    report(name, "", spent[0] / spent[1], ROUNDS * m.n);
    judge_close(&with);
    judge_close(&without);
    messages_free(&m);
    return 0;
}
