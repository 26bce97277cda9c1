/* metrics.h - what the service counts, for Prometheus.
 *
 * All counters are atomic: any thread adds, any thread reads. What every request counts, a thread
 * counts in a tally that few others or none share; readers add the tallies up. Nothing here is
 * taken from a text: labels are rule ids, routes, statuses and stages. */
#ifndef FILTERD_SERVICE_METRICS_H
#define FILTERD_SERVICE_METRICS_H

#include <stdatomic.h>

#include "base/buf.h"
#include "judge/exchange.h"
#include "upstream/traffic.h"

enum {
    HISTOGRAM_BUCKETS = 23,
    METRICS_ROUTES_MAX = 128,
    METRICS_STATUSES = 16,
    METRICS_TALLIES = 8,
    METRICS_ELAPSED = 96, /* from 1 us to 17 s, four to an octave */
};

/* How the answer of an upstream may fail: one counter each. */
enum upstream_error {
    UPSTREAM_RESOLVE,
    UPSTREAM_CONNECT,
    UPSTREAM_TLS,
    UPSTREAM_TIMEOUT,
    UPSTREAM_BROKEN,
    UPSTREAM_LIMIT,
    UPSTREAM_MALFORMED,
    UPSTREAM_STATUS,
    UPSTREAM_ERRORS
};
/* As metrics and the record call it. */
const char *upstream_error_name(enum upstream_error error);

struct histogram {
    _Atomic uint64_t buckets[HISTOGRAM_BUCKETS + 1]; /* the last: longer than all bounds */
    _Atomic uint64_t sum_ns;
};

/* Of the proxy. */
struct proxy_metrics {
    _Atomic int64_t open, held; /* active requests; bytes of text held in their streams */
    _Atomic uint64_t blocks;
    _Atomic uint64_t errors[UPSTREAM_ERRORS]; /* by enum upstream_error */
    struct histogram first_byte;
};

/* Of requests to upstreams, before they go there. */
struct request_metrics {
    _Atomic uint64_t actions[3];          /* by enum action */
    _Atomic uint64_t bytes, known, unread; /* of text judged; known from earlier requests; of files that cannot be read */
    _Atomic uint64_t withheld, labelled;  /* tool results */
};

/* Of disclosure budgets. */
struct budget_metrics {
    _Atomic uint64_t exceeded[4]; /* findings, by enum budget_then */
    _Atomic uint64_t throttled;   /* exchanges refused */
};

struct tally {
    struct histogram stages[STAGE_COUNT];
    struct histogram judging;  /* one exchange: parse, judge, format */
    _Atomic uint64_t elapsed[METRICS_ELAPSED]; /* the same, finer: metrics_sum_elapsed */
    struct histogram requests; /* from headers to the answer handed to the socket's owner */
    _Atomic uint64_t actions[3];
    _Atomic uint64_t bytes; /* judged text */
    _Atomic uint64_t answers[METRICS_ROUTES_MAX][METRICS_STATUSES];
};

struct metrics {
    struct proxy_metrics proxy;
    struct request_metrics judged_requests;
    struct budget_metrics budgets;
    struct traffic traffic;
    struct {
        _Alignas(64) struct tally tally; /* a cache line belongs to one alone */
    } tallies[METRICS_TALLIES];
    struct {
        _Atomic int64_t connections, calls;
        _Atomic uint64_t replaced, failed; /* exchanges: answered in place of the upstream; ended as errors */
    } ext_proc;
    _Atomic uint64_t unjudged;   /* verdicts of rule filterd.unjudged */
    _Atomic uint64_t unrecorded; /* of those: the record could not be written */
    _Atomic uint64_t sealed, unsealed; /* originals; those that could not be */
    _Atomic uint64_t streams_expired;
    _Atomic uint64_t restored, kept_masked, unknown_pseudonyms; /* in answers */
    _Atomic uint64_t overloads; /* answers of 503 for want of room */
    _Atomic uint64_t reloads, reload_failures;
    _Atomic int64_t connections, active_requests;
};

void histogram_add(struct histogram *h, uint64_t ns);
/* The calling thread's. */
struct tally *metrics_tally(struct metrics *m);
/* Of no upstream. */
void metrics_count_exchange(struct metrics *m, const struct exchange *x, uint64_t elapsed_ns);
/* A stream: it takes as long as the model does, and has no stages of its own. */
void metrics_count_stream(struct metrics *m, const struct exchange *x);
void metrics_count_answer(struct metrics *m, unsigned route, unsigned status);

/* Exchanges that took up to 1024 ns, and then by quarters of octaves: bucket i begins at 2^(10 + i / 4) * (4 + i % 4) / 4 ns; the last has
 * all that took longer. Streams are not among them. */
void metrics_sum_elapsed(const struct metrics *m, uint64_t out[METRICS_ELAPSED]);
/* Exchanges, by enum action. */
void metrics_sum_actions(const struct metrics *m, uint64_t out[3]);

/* Appends all of it in Prometheus' text format. route_names has one name per route index. */
MUST_CHECK bool metrics_write(const struct metrics *m, const char *const *route_names,
                              unsigned n_routes, struct buf *out, struct error *err);

#endif
