/* following.h - the thread that keeps the index of the decision log and review.db up to date.
 *
 * It reads synced files of the log, with low priority. Answers do not wait for the index: one that fails is behind and reports the
 * lag. Only lines on disk are indexed. Zeroed memory: no index. */
#ifndef FILTERD_SERVICE_FOLLOWING_H
#define FILTERD_SERVICE_FOLLOWING_H

#include <limits.h>
#include <pthread.h>
#include <stdatomic.h>

#include "decision_log/decision_log.h"
#include "index/index_follow.h"

struct witnessed;

enum { FOLLOWING_REST_MS = 200 };
enum following_file { FOLLOWING_INDEX, FOLLOWING_REVIEW, FOLLOWING_FILES };

struct following {
    bool is_on;
    char path[PATH_MAX];        /* of the index */
    char review_path[PATH_MAX]; /* of review.db */
    struct index_place place, review_place;
    struct decision_log *log;
    struct index_follow *follows[FOLLOWING_FILES]; /* the thread's */
    pthread_t thread;
    pthread_mutex_t lock; /* guards is_stopping, is_nudged */
    pthread_cond_t wake, moved;
    bool is_stopping, is_nudged;
    _Atomic uint64_t seqs[FOLLOWING_FILES];        /* of the last line in each */
    _Atomic int64_t caught_up_ms[FOLLOWING_FILES]; /* when it last had all that was on disk; monotonic */
    /* Counts of the review queue, refreshed periodically. */
    int64_t counted_ms; /* the thread's; monotonic */
    _Atomic bool is_counted;
    _Atomic uint64_t n_open, n_overdue;
    _Atomic int64_t oldest_ms; /* UTC; 0: there is none */
};

/* The log and the paths are borrowed. While another process writes the index, the thread waits. */
MUST_CHECK bool following_start(struct following *f, struct decision_log *log, const char *path, const struct witnessed *where,
                                struct error *err);
void following_stop(struct following *f); /* of zeroed memory, too */

/* For how long the index has not had all that was on disk. Any thread. */
uint64_t following_behind_ms(const struct following *f);
/* Wakes the thread and waits until review.db has line `seq`. False: timeout. Any thread except the follower's. */
bool following_wait_review(struct following *f, uint64_t seq, unsigned timeout_ms);
/* Appends both in Prometheus' text format. */
MUST_CHECK bool following_metrics(const struct following *f, struct buf *out, struct error *err);

#endif
