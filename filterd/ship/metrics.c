#include "ship/metrics.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"

enum { TEXT_MAX = 256 * 1024 };

static const struct counter {
    const char *name, *type, *help;
    size_t offset; /* of an _Atomic uint64_t in struct ship_counts */
} counters[] = {
#define COUNTER(name, type, help, member) {name, type, help, offsetof(struct ship_counts, member)}
    COUNTER("filterd_ship_lines_total", "counter", "Lines of the log that the sink has taken.", lines),
    COUNTER("filterd_ship_skipped_lines_total", "counter", "Of those: lines that its format has no record for.", skipped),
    COUNTER("filterd_ship_records_total", "counter", "Records that were made of them.", records),
    COUNTER("filterd_ship_sent_bytes_total", "counter", "Bytes of batches that the sink has taken.", bytes),
    COUNTER("filterd_ship_batches_total", "counter", "Batches that the sink has taken.", batches),
    COUNTER("filterd_ship_rejected_records_total", "counter", "Records that an OTLP receiver rejected; they are not sent again.", rejected),
    COUNTER("filterd_ship_missing_lines_total", "counter", "Lines whose numbers were passed over in the files.", missing),
    COUNTER("filterd_ship_unreadable_lines_total", "counter", "Lines without a number.", unreadable),
    COUNTER("filterd_ship_seq", "gauge", "Number of the last line that the sink has.", seq),
#undef COUNTER
};

static bool put_head(struct buf *out, const char *name, const char *type, const char *help, struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static bool put_counter(const struct counter *k, const struct ship_config *c, struct ship_task *const *tasks, struct buf *out,
                        struct error *err)
{
    bool is_put = put_head(out, k->name, k->type, k->help, err);

    for (size_t i = 0; i < c->n_sinks && is_put; i++) {
        const char *counts = tasks[i] == NULL ? NULL : (const char *)ship_task_counts(tasks[i]);
        const _Atomic uint64_t *value = counts == NULL ? NULL : (const void *)(counts + k->offset);
        is_put = buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} %" PRIu64 "\n", k->name, SPAN_ARG(c->sinks[i].name),
                             value == NULL ? 0 : atomic_load(value));
    }
    return is_put;
}

/* What has no acknowledgement, by kind. */
static bool put_failures(const struct ship_config *c, struct ship_task *const *tasks, struct buf *out, struct error *err)
{
    static const char name[] = "filterd_ship_failures_total";
    bool is_put = put_head(out, name, "counter", "Batches that were not acknowledged, by kind; they are sent again.", err);

    for (size_t i = 0; i < c->n_sinks; i++) {
        for (unsigned k = SHIP_SENT + 1; k < SHIP_RESULTS && is_put; k++) {
            is_put = buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\",kind=\"%s\"} %" PRIu64 "\n", name,
                                 SPAN_ARG(c->sinks[i].name), ship_result_name((enum ship_result)k),
                                 tasks[i] == NULL ? 0 : atomic_load(&ship_task_counts(tasks[i])->results[k]));
        }
    }
    return is_put;
}

/* The time is the better of the two for an alert: it goes on ageing when filterd-ship does not run. */
static bool put_lag(const struct ship_config *c, struct ship_task *const *tasks, int64_t now_ns, struct buf *out,
                    struct error *err)
{
    static const char lag[] = "filterd_ship_lag_seconds", as_of[] = "filterd_ship_as_of_timestamp_seconds";
    bool is_put = put_head(out, as_of, "gauge", "Unix time: the sink has all that was written before.", err);

    for (size_t i = 0; i < c->n_sinks && is_put; i++) {
        int64_t ns = tasks[i] == NULL ? 0 : atomic_load(&ship_task_counts(tasks[i])->as_of_ns);
        is_put = buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} %.3f\n", as_of, SPAN_ARG(c->sinks[i].name), (double)ns / 1e9);
    }
    is_put = is_put && put_head(out, lag, "gauge", "Age of what the sink may not have yet.", err);
    for (size_t i = 0; i < c->n_sinks && is_put; i++) {
        int64_t ns = tasks[i] == NULL ? 0 : atomic_load(&ship_task_counts(tasks[i])->as_of_ns);
        int64_t age = now_ns > ns ? now_ns - ns : 0;
        is_put = ns == 0 ? buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} +Inf\n", lag, SPAN_ARG(c->sinks[i].name))
                         : buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} %.3f\n", lag, SPAN_ARG(c->sinks[i].name),
                                       (double)age / 1e9);
    }
    return is_put;
}

bool ship_metrics_format(const struct ship_config *c, struct ship_task *const *tasks, int64_t now_ns, struct buf *out,
                         struct error *err)
{
    bool is_put = put_lag(c, tasks, now_ns, out, err);

    for (size_t i = 0; i < COUNT(counters) && is_put; i++) {
        is_put = put_counter(&counters[i], c, tasks, out, err);
    }
    return is_put && put_failures(c, tasks, out, err);
}

bool ship_metrics_write(const struct ship_config *c, struct ship_task *const *tasks, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);

    buf_init(&text, TEXT_MAX);
    return c->metrics == NULL || (ship_metrics_format(c, tasks, clock_utc_ns(), &text, err) &&
                                  file_write_atomic(c->metrics, buf_span(&text), 0644, err));
}
