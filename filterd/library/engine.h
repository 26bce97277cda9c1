/* engine.h - what filterd.h's engine and workers are inside: a snapshot, keys, idle workers.
 *
 * The snapshot is immutable; the idle workers are under their lock. */
#ifndef FILTERD_LIBRARY_ENGINE_H
#define FILTERD_LIBRARY_ENGINE_H

#include <pthread.h>
#include <sys/types.h>

#include "enforce/redact.h"
#include "library/filterd.h"
#include "pipeline/worker.h"

enum { IDLE_WORKERS_MAX = 256 };

struct filterd_engine {
    struct snapshot *snapshot;
    const struct policy *policy;
    struct redaction_keys keys;
    struct arena memory; /* texts of the options, names of rules */
    struct identity who;
    const char **rule_names; /* NUL-terminated; one more than rules */
    const char *digest;
    pid_t process; /* that opened it */
    pthread_mutex_t lock;
    struct filterd_worker *idle[IDLE_WORKERS_MAX]; /* of filterd_judge_arrow, kept for its next call */
    size_t n_idle;
};

struct filterd_worker {
    const struct filterd_engine *engine;
    struct worker *worker;
};

/* False with err when the process is not the one that opened the engine. */
MUST_CHECK bool engine_is_here(const struct filterd_engine *engine, struct error *err);

/* An idle worker, or a new one; given back to be idle, or freed. */
struct filterd_worker *engine_take_worker(struct filterd_engine *engine, struct error *err);
void engine_give_worker(struct filterd_engine *engine, struct filterd_worker *worker);

/* Copies the message, cut to the size. */
void engine_report(const struct error *err, char *error, size_t error_size);

#endif
