/* bench_engine.c - the whole pipeline against a bare scan of the same database, and against PCRE2
 * alone, over the same benign messages of 4 KiB in the same run, interleaved. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"

enum { MESSAGE = 4096, ROUNDS = 5, BYTES = 8 * 1024 * 1024, ALONE_BYTES = 256 * 1024 };

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *malloc(size_t size);
void *calloc(size_t n, size_t size);
void *realloc(void *old, size_t size);

static uint64_t allocations;

void *malloc(size_t size)
{
    allocations++;
    return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
    allocations++;
    return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
    allocations++;
    return __libc_realloc(old, size);
}

static double time_bare(struct judge *j, struct scanner_scratch *scratch, const struct messages *m)
{
    uint64_t hits = 0;
    struct error err;
    double start = seconds_spent();

    for (size_t i = 0; i < m->n; i++) {
        if (!scanner_scan_bare(j->snapshot->rules->scanner, scratch, m->items[i], &hits, &err)) {
            (void)fprintf(stderr, "%s\n", err.text);
            exit(1);
        }
    }
    return seconds_spent() - start;
}

static double time_pipeline(struct judge *j, const struct messages *m, uint64_t *stage_ns, size_t *findings)
{
    double start = seconds_spent();

    for (size_t i = 0; i < m->n; i++) {
        (void)judge_run(j, m->items[i]);
        for (size_t k = 0; k < STAGE_COUNT; k++) {
            stage_ns[k] += j->x.stage_ns[k];
        }
        *findings += j->x.n_findings;
    }
    return seconds_spent() - start;
}

int main(void)
{
    struct judge with, alone;
    struct messages m, few;
    struct error err;
    uint64_t stage_ns[STAGE_COUNT] = {0};
    double bare = 1e9, pipeline = 1e9;
    size_t findings = 0;

    if (!messages_load(MESSAGE, BYTES, &m) || !messages_load(MESSAGE, ALONE_BYTES, &few) || !judge_open(&with, false) ||
        !judge_open(&alone, true)) {
        return 1;
    }
    struct scanner_scratch *scratch = scanner_scratch_new(&err);
    (void)time_bare(&with, scratch, &m);
    (void)time_pipeline(&with, &m, stage_ns, &findings);
    memset(stage_ns, 0, sizeof(stage_ns));
    uint64_t before = allocations;
    findings = 0;
    for (int i = 0; i < ROUNDS; i++) {
        double b = time_bare(&with, scratch, &m);
        double p = time_pipeline(&with, &m, stage_ns, &findings);
        bare = b < bare ? b : bare;
        pipeline = p < pipeline ? p : pipeline;
    }
    uint64_t allocated = allocations - before;
    /* Every pattern looks at every text here, so one text makes the machine code of all. */
    (void)judge_run(&alone, few.items[0]);
    uint64_t alone_ns[STAGE_COUNT] = {0};
    double pcre2 = time_pipeline(&alone, &few, alone_ns, &findings);

    double mb = (double)m.bytes / 1e6;
    report("engine.rules", "rules", with.snapshot->rules->n_rules, 1);
    report("engine.database", "bytes", (double)scanner_database_size(with.snapshot->rules->scanner), 1);
    report("engine.bare_scan", "MB/s", mb / bare, m.n);
    report("engine.pipeline", "MB/s", mb / pipeline, m.n);
    report("engine.pcre2_alone", "MB/s", (double)few.bytes / 1e6 / pcre2, few.n);
    report("engine.pipeline_to_bare_scan", "ratio", bare / pipeline, m.n);
    report("engine.pipeline_to_pcre2_alone", "ratio", (mb / pipeline) / ((double)few.bytes / 1e6 / pcre2), few.n);
    report("engine.allocations_per_message", "count", (double)allocated / (double)(m.n * ROUNDS), m.n * ROUNDS);
    for (size_t k = 0; k < STAGE_COUNT; k++) {
        char name[64];
        (void)snprintf(name, sizeof(name), "engine.stage.%s", stage_name((enum stage)k));
        report(name, "ns/byte", (double)stage_ns[k] / (double)(m.bytes * ROUNDS), m.n);
    }
    scanner_scratch_free(scratch);
    judge_close(&with);
    judge_close(&alone);
    messages_free(&m);
    messages_free(&few);
    return 0;
}
