#include "service/metrics.h"

#include <inttypes.h>

#include "base/thread.h"
#include "policy/budget_policy.h"

static const uint64_t bounds_ns[HISTOGRAM_BUCKETS] = {
    1000,      2000,      5000,       10000,      20000,      50000,       100000,      200000,
    500000,    1000000,   2000000,    5000000,    10000000,   20000000,    50000000,    100000000,
    200000000, 500000000, 1000000000, 2000000000, 5000000000, 10000000000, 20000000000,
};

static const unsigned statuses[METRICS_STATUSES] = {200, 400, 401, 403, 404, 405, 409, 413,
                                                    415, 422, 429, 500, 502, 503, 504, 529};

const char *upstream_error_name(enum upstream_error error)
{
    static const char *const names[UPSTREAM_ERRORS] = {
        [UPSTREAM_RESOLVE] = "resolve",     [UPSTREAM_CONNECT] = "connect", [UPSTREAM_TLS] = "tls",
        [UPSTREAM_TIMEOUT] = "timeout",     [UPSTREAM_BROKEN] = "broken",   [UPSTREAM_LIMIT] = "limit",
        [UPSTREAM_MALFORMED] = "malformed", [UPSTREAM_STATUS] = "status",
    };

    return names[error];
}

static uint64_t get(const _Atomic uint64_t *counter)
{
    return atomic_load_explicit(counter, memory_order_relaxed);
}

static void add(_Atomic uint64_t *counter, uint64_t n)
{
    (void)atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

void histogram_add(struct histogram *h, uint64_t ns)
{
    size_t i = 0;

    while (i < HISTOGRAM_BUCKETS && ns > bounds_ns[i]) {
        i++;
    }
    add(&h->buckets[i], 1);
    add(&h->sum_ns, ns);
}

struct tally *metrics_tally(struct metrics *m)
{
    return &m->tallies[thread_number() % METRICS_TALLIES].tally;
}

static size_t elapsed_bucket(uint64_t ns)
{
    if (ns < 1024) {
        return 0;
    }
    unsigned octave = 63 - (unsigned)__builtin_clzll(ns);
    size_t bucket = 4 * (size_t)(octave - 10) + ((ns >> (octave - 2)) & 3);

    return bucket < METRICS_ELAPSED ? bucket : METRICS_ELAPSED - 1;
}

void metrics_count_exchange(struct metrics *m, const struct exchange *x, uint64_t elapsed_ns)
{
    struct tally *t = metrics_tally(m);

    for (size_t i = 0; i < STAGE_COUNT; i++) {
        histogram_add(&t->stages[i], x->stage_ns[i]);
    }
    histogram_add(&t->judging, elapsed_ns);
    add(&t->elapsed[elapsed_bucket(elapsed_ns)], 1);
    if (x->policy != NULL) {
        add(&traffic_row(&m->traffic, (struct span){0}, (struct span){0}, x->policy->name)->actions[x->action], 1);
    }
    metrics_count_stream(m, x);
}

void metrics_count_stream(struct metrics *m, const struct exchange *x)
{
    struct tally *t = metrics_tally(m);

    add(&t->actions[x->action], 1);
    add(&t->bytes, x->judged);
    if (x->masking != NULL) {
        add(&m->restored, x->restored.restored);
        add(&m->kept_masked, x->restored.withheld);
        add(&m->unknown_pseudonyms, x->restored.unknown);
    }
    for (size_t i = 0; i < x->n_findings && x->policy->n_budgets > 0; i++) {
        if (x->findings[i].budget != NULL) {
            add(&m->budgets.exceeded[x->findings[i].budget->then], 1);
        }
    }
    if (span_is(x->rule, "filterd.unjudged")) {
        add(&m->unjudged, 1);
    }
}

void metrics_count_answer(struct metrics *m, unsigned route, unsigned status)
{
    struct tally *t = metrics_tally(m);

    for (size_t i = 0; i < METRICS_STATUSES; i++) {
        if (statuses[i] == status) {
            add(&t->answers[route][i], 1);
        }
    }
}

static bool write_head(struct buf *out, const char *name, const char *type, const char *help,
                       struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

/* `label` is empty or "stage=\"scan\"". */
static bool write_histogram(const struct histogram *h, const char *name, const char *label,
                            struct buf *out, struct error *err)
{
    const char *comma = label[0] == '\0' ? "" : ",";
    uint64_t total = 0;

    for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
        total += get(&h->buckets[i]);
        if (!buf_appendf(out, err, "%s_bucket{%s%sle=\"%g\"} %" PRIu64 "\n", name, label, comma,
                         (double)bounds_ns[i] / 1e9, total)) {
            return false;
        }
    }
    total += get(&h->buckets[HISTOGRAM_BUCKETS]);
    return buf_appendf(out, err,
                       "%s_bucket{%s%sle=\"+Inf\"} %" PRIu64 "\n"
                       "%s_sum{%s} %.9f\n%s_count{%s} %" PRIu64 "\n",
                       name, label, comma, total, name, label, (double)get(&h->sum_ns) / 1e9, name,
                       label, total);
}

static bool write_stages(const struct tally *t, struct buf *out, struct error *err)
{
    if (!write_head(out, "filterd_stage_seconds", "histogram", "Time of one stage of one exchange.",
                    err)) {
        return false;
    }
    for (unsigned i = 0; i < STAGE_COUNT; i++) {
        char label[48];
        (void)snprintf(label, sizeof(label), "stage=\"%s\"", stage_name((enum stage)i));
        if (!write_histogram(&t->stages[i], "filterd_stage_seconds", label, out, err)) {
            return false;
        }
    }
    return true;
}

static bool write_actions(const struct tally *t, struct buf *out, struct error *err)
{
    if (!write_head(out, "filterd_exchanges_total", "counter", "Exchanges judged, by action.",
                    err)) {
        return false;
    }
    for (unsigned i = 0; i < COUNT(t->actions); i++) {
        if (!buf_appendf(out, err, "filterd_exchanges_total{action=\"%s\"} %" PRIu64 "\n",
                         action_name((enum action)i), get(&t->actions[i]))) {
            return false;
        }
    }
    return true;
}

static bool write_requests(const struct request_metrics *m, struct buf *out, struct error *err)
{
    if (!write_head(out, "filterd_requests_judged_total", "counter", "Requests to upstreams judged, by action.", err)) {
        return false;
    }
    for (unsigned i = 0; i < COUNT(m->actions); i++) {
        if (!buf_appendf(out, err, "filterd_requests_judged_total{action=\"%s\"} %" PRIu64 "\n", action_name((enum action)i),
                         get(&m->actions[i]))) {
            return false;
        }
    }
    return true;
}

static bool write_route(const struct tally *t, unsigned route, const char *name, struct buf *out,
                        struct error *err)
{
    for (size_t i = 0; i < METRICS_STATUSES; i++) {
        uint64_t n = get(&t->answers[route][i]);
        if (n > 0 && !buf_appendf(out, err,
                                  "filterd_answers_total{route=\"%s\",status=\"%u\"} %" PRIu64 "\n",
                                  name, statuses[i], n)) {
            return false;
        }
    }
    return true;
}

static bool write_answers(const struct tally *t, const char *const *names, unsigned n,
                          struct buf *out, struct error *err)
{
    if (!write_head(out, "filterd_answers_total", "counter", "Answers, by route and status.",
                    err)) {
        return false;
    }
    for (unsigned i = 0; i < n && i < METRICS_ROUTES_MAX; i++) {
        if (!write_route(t, i, names[i], out, err)) {
            return false;
        }
    }
    return true;
}

static bool write_counters(const struct metrics *m, const struct tally *t, struct buf *out,
                           struct error *err)
{
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } lines[] = {
        {"filterd_unjudged_total", "counter", "Exchanges blocked because they could not be judged.",
         get(&m->unjudged)},
        {"filterd_unrecorded_total", "counter",
         "Exchanges blocked because the record could not be written.", get(&m->unrecorded)},
        {"filterd_originals_sealed_total", "counter", "Originals sealed for reviewers.", get(&m->sealed)},
        {"filterd_originals_failed_total", "counter", "Originals that could not be sealed.", get(&m->unsealed)},
        {"filterd_judged_bytes_total", "counter", "Bytes of text judged.", get(&t->bytes)},
        {"filterd_streams_expired_total", "counter",
         "Streams given up because they waited too long, or by stopping.",
         get(&m->streams_expired)},
        {"filterd_restored_values_total", "counter", "Masked values restored in answers.", get(&m->restored)},
        {"filterd_kept_pseudonyms_total", "counter", "Pseudonyms left in answers by policy.", get(&m->kept_masked)},
        {"filterd_unknown_pseudonyms_total", "counter",
         "Texts in answers that look like pseudonyms and are none of their conversation.", get(&m->unknown_pseudonyms)},
        {"filterd_request_bytes_total", "counter", "Bytes of requests to upstreams judged.", get(&m->judged_requests.bytes)},
        {"filterd_request_known_bytes_total", "counter", "Bytes of requests known from earlier ones to have no finding.",
         get(&m->judged_requests.known)},
        {"filterd_request_unread_bytes_total", "counter", "Bytes of files in requests that cannot be read.",
         get(&m->judged_requests.unread)},
        {"filterd_tool_results_withheld_total", "counter", "Tool results withheld from models.",
         get(&m->judged_requests.withheld)},
        {"filterd_tool_results_labelled_total", "counter", "Tool results labelled as data.",
         get(&m->judged_requests.labelled)},
        {"filterd_overloads_total", "counter", "Requests refused for want of room.",
         get(&m->overloads)},
        {"filterd_reloads_total", "counter", "Reloads that took effect.", get(&m->reloads)},
        {"filterd_reload_failures_total", "counter", "Reloads refused.", get(&m->reload_failures)},
        {"filterd_connections", "gauge", "Open connections.",
         (uint64_t)atomic_load_explicit(&m->connections, memory_order_relaxed)},
        {"filterd_active_requests", "gauge", "Requests between first byte and answer.",
         (uint64_t)atomic_load_explicit(&m->active_requests, memory_order_relaxed)},
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        if (!write_head(out, lines[i].name, lines[i].type, lines[i].help, err) ||
            !buf_appendf(out, err, "%s %" PRIu64 "\n", lines[i].name, lines[i].value)) {
            return false;
        }
    }
    return true;
}

static bool write_upstream_errors(const struct proxy_metrics *p, struct buf *out, struct error *err)
{
    if (!write_head(out, "filterd_upstream_errors_total", "counter",
                    "Answers of upstreams that failed, by kind.", err)) {
        return false;
    }
    for (unsigned i = 0; i < UPSTREAM_ERRORS; i++) {
        if (!buf_appendf(out, err, "filterd_upstream_errors_total{kind=\"%s\"} %" PRIu64 "\n",
                         upstream_error_name((enum upstream_error)i), get(&p->errors[i]))) {
            return false;
        }
    }
    return true;
}

static uint64_t level(const _Atomic int64_t *gauge)
{
    int64_t value = atomic_load_explicit(gauge, memory_order_relaxed);

    return value < 0 ? 0 : (uint64_t)value;
}

static bool write_proxy(const struct metrics *m, struct buf *out, struct error *err)
{
    const struct proxy_metrics *p = &m->proxy;
    const struct {
        const char *name, *type, *help;
        uint64_t value;
    } lines[] = {
        {"filterd_proxy_open", "gauge", "Active requests to upstreams.", level(&p->open)},
        {"filterd_proxy_held_bytes", "gauge", "Text that streams hold back.", level(&p->held)},
        {"filterd_proxy_blocks_total", "counter", "Answers of upstreams that were blocked.",
         get(&p->blocks)},
        {"filterd_ext_proc_connections", "gauge", "Open connections for external processing.", level(&m->ext_proc.connections)},
        {"filterd_ext_proc_calls", "gauge", "Exchanges that are processed for Envoy.", level(&m->ext_proc.calls)},
        {"filterd_ext_proc_replaced_total", "counter", "Of these: answered in place of the upstream.",
         get(&m->ext_proc.replaced)},
        {"filterd_ext_proc_failed_total", "counter", "Of these: ended with an error of gRPC.", get(&m->ext_proc.failed)},
    };

    for (size_t i = 0; i < COUNT(lines); i++) {
        if (!write_head(out, lines[i].name, lines[i].type, lines[i].help, err) ||
            !buf_appendf(out, err, "%s %" PRIu64 "\n", lines[i].name, lines[i].value)) {
            return false;
        }
    }
    return write_upstream_errors(p, out, err) &&
           write_head(out, "filterd_proxy_first_byte_seconds", "histogram",
                      "Time from a request's headers to the first byte of its answer.", err) &&
           write_histogram(&p->first_byte, "filterd_proxy_first_byte_seconds", "", out, err);
}

_Static_assert((int)TRAFFIC_KINDS == (int)UPSTREAM_ERRORS, "a counter for each kind of failure");

static bool write_traffic(const struct traffic *t, struct buf *out, struct error *err)
{
    const char *actions[TRAFFIC_ACTIONS], *kinds[TRAFFIC_KINDS];

    for (unsigned i = 0; i < TRAFFIC_ACTIONS; i++) {
        actions[i] = action_name((enum action)i);
    }
    for (unsigned i = 0; i < TRAFFIC_KINDS; i++) {
        kinds[i] = upstream_error_name((enum upstream_error)i);
    }
    return traffic_write(t, actions, kinds, out, err);
}

/* All of a tally are counters of one type. */
_Static_assert(sizeof(struct tally) % sizeof(_Atomic uint64_t) == 0, "a tally is so many counters");

static void add_up(const struct metrics *m, struct tally *total)
{
    _Atomic uint64_t *sums = (_Atomic uint64_t *)total;

    *total = (struct tally){0};
    for (size_t i = 0; i < METRICS_TALLIES; i++) {
        const _Atomic uint64_t *counters = (const _Atomic uint64_t *)&m->tallies[i].tally;
        for (size_t k = 0; k < sizeof(*total) / sizeof(*sums); k++) {
            add(&sums[k], get(&counters[k]));
        }
    }
}

void metrics_sum_actions(const struct metrics *m, uint64_t out[3])
{
    memset(out, 0, 3 * sizeof(*out));
    for (size_t i = 0; i < METRICS_TALLIES; i++) {
        for (unsigned k = 0; k < 3; k++) {
            out[k] += get(&m->tallies[i].tally.actions[k]);
        }
    }
}

void metrics_sum_elapsed(const struct metrics *m, uint64_t out[METRICS_ELAPSED])
{
    memset(out, 0, METRICS_ELAPSED * sizeof(*out));
    for (size_t i = 0; i < METRICS_TALLIES; i++) {
        for (size_t k = 0; k < METRICS_ELAPSED; k++) {
            out[k] += get(&m->tallies[i].tally.elapsed[k]);
        }
    }
}

bool metrics_write(const struct metrics *m, const char *const *route_names, unsigned n_routes,
                   struct buf *out, struct error *err)
{
    struct tally t;

    add_up(m, &t);
    return write_stages(&t, out, err) &&
           write_head(out, "filterd_exchange_seconds", "histogram",
                      "Time from the whole request to its verdict.", err) &&
           write_histogram(&t.judging, "filterd_exchange_seconds", "", out, err) &&
           write_head(out, "filterd_request_seconds", "histogram",
                      "Time from a request's headers to the end of its answer.", err) &&
           write_histogram(&t.requests, "filterd_request_seconds", "", out, err) &&
           write_actions(&t, out, err) && write_requests(&m->judged_requests, out, err) && write_answers(&t, route_names, n_routes, out, err) &&
           write_counters(m, &t, out, err) && write_proxy(m, out, err) && write_traffic(&m->traffic, out, err);
}
