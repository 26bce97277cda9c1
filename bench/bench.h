/* bench.h - what the benchmarks share: texts, a clock, one JSON line per figure. */
#ifndef FILTERD_BENCH_BENCH_H
#define FILTERD_BENCH_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "pipeline/pipeline.h"

/* Messages cut from benign answers of language models (shared data; FILTERD_DATA names its folder). */
struct messages {
    struct span *items;
    size_t n, bytes;
    char *memory;
};
bool messages_load(size_t message_size, size_t bytes_max, struct messages *out);
void messages_free(struct messages *m);

/* Processor time of this thread: what else the machine does leaves it nearly alone. */
double seconds_spent(void);
void report(const char *name, const char *unit, double value, uint64_t n);

/* Ends the program with code 2 and the text of err, unless `is_done`. */
void must(bool is_done, const struct error *err);
/* With all that is in it. */
bool remove_folder(const char *path);

/* One text through the whole pipeline; returns the verdict. */
struct judge {
    struct snapshot *snapshot;
    struct worker *worker;
    struct channel channel;
    struct exchange x;
};
bool judge_open(struct judge *j, bool without_prefilter);
void judge_close(struct judge *j);
enum action judge_run(struct judge *j, struct span text);

#endif
