#include "upstream/traffic.h"

#include <inttypes.h>

static void keep_name(char *out, struct span name)
{
    size_t len = name.len < TRAFFIC_NAME_MAX ? name.len : TRAFFIC_NAME_MAX;

    if (len > 0) {
        memcpy(out, name.ptr, len);
    }
    out[len] = '\0';
}

static bool is_name(const char *kept, struct span name)
{
    return span_is(span_slice(name, 0, name.len < TRAFFIC_NAME_MAX ? name.len : TRAFFIC_NAME_MAX), kept);
}

static struct traffic_row *find(struct traffic *t, struct span upstream, struct span protocol, struct span policy)
{
    size_t n = atomic_load_explicit(&t->n, memory_order_acquire);

    for (size_t i = 0; i < n; i++) {
        struct traffic_row *r = &t->rows[i];
        if (is_name(r->policy, policy) && is_name(r->upstream, upstream) && is_name(r->protocol, protocol)) {
            return r;
        }
    }
    return NULL;
}

/* Rows are complete before they are counted; the lock is held for one copy, a few times in the life of a process. */
static struct traffic_row *add(struct traffic *t, struct span upstream, struct span protocol, struct span policy)
{
    while (atomic_flag_test_and_set_explicit(&t->is_adding, memory_order_acquire)) {
    }
    struct traffic_row *r = find(t, upstream, protocol, policy);
    size_t n = atomic_load_explicit(&t->n, memory_order_relaxed);
    if (r == NULL && n == TRAFFIC_ROWS_MAX) {
        r = &t->rows[n];
    }
    if (r == NULL) {
        r = &t->rows[n];
        keep_name(r->upstream, upstream);
        keep_name(r->protocol, protocol);
        keep_name(r->policy, policy);
        atomic_store_explicit(&t->n, n + 1, memory_order_release);
    }
    atomic_flag_clear_explicit(&t->is_adding, memory_order_release);
    return r;
}

struct traffic_row *traffic_row(struct traffic *t, struct span upstream, struct span protocol, struct span policy)
{
    struct traffic_row *r = find(t, upstream, protocol, policy);

    return r != NULL ? r : add(t, upstream, protocol, policy);
}

/* --- Prometheus ------------------------------------------------------------------ */

static bool put_label(struct buf *out, const char *name, const char *value, struct error *err)
{
    bool is_put = buf_appendf(out, err, "%s=\"", name);

    for (const char *c = value; *c != '\0' && is_put; c++) {
        is_put = *c == '\n'                ? buf_append_str(out, "\\n", err)
                 : *c == '"' || *c == '\\' ? buf_append_char(out, '\\', err) && buf_append_char(out, *c, err)
                                           : buf_append_char(out, *c, err);
    }
    return is_put && buf_append_str(out, "\",", err);
}

/* `suffix` is of the name: of a summary "_sum". */
static bool put_labels(struct buf *out, const struct traffic *t, size_t i, const char *name, const char *suffix, struct error *err)
{
    static const char other[] = "other";
    const struct traffic_row *r = &t->rows[i];
    bool is_other = i == TRAFFIC_ROWS_MAX;

    return buf_appendf(out, err, "%s%s{", name, suffix) && put_label(out, "upstream", is_other ? other : r->upstream, err) &&
           put_label(out, "protocol", is_other ? other : r->protocol, err) && put_label(out, "policy", is_other ? other : r->policy, err);
}

/* Counters that a row has of each value of one label. */
struct family {
    const char *name, *help, *label;
    const char *const *values;
    size_t n, counters; /* the offset of the counters in struct traffic_row */
};

static bool put_counters(struct buf *out, const struct traffic *t, size_t i, const struct family *f, struct error *err)
{
    const _Atomic uint64_t *counters = (const void *)((const char *)&t->rows[i] + f->counters);

    for (size_t k = 0; k < f->n; k++) {
        uint64_t count = atomic_load_explicit(&counters[k], memory_order_relaxed);
        if (count > 0 && !(put_labels(out, t, i, f->name, "", err) &&
                           buf_appendf(out, err, "%s=\"%s\"} %" PRIu64 "\n", f->label, f->values[k], count))) {
            return false;
        }
    }
    return true;
}

static bool put_first_byte(struct buf *out, const struct traffic *t, size_t i, const char *name, struct error *err)
{
    const struct traffic_row *r = &t->rows[i];
    uint64_t n = atomic_load_explicit(&r->answers, memory_order_relaxed);
    uint64_t ns = atomic_load_explicit(&r->first_byte_ns, memory_order_relaxed);

    return n == 0 || (put_labels(out, t, i, name, "_sum", err) &&
                      buf_appendf(out, err, "} %.9f\n", (double)ns / 1e9) &&
                      put_labels(out, t, i, name, "_count", err) &&
                      buf_appendf(out, err, "} %" PRIu64 "\n", n));
}

static bool put_head(struct buf *out, const char *name, const char *type, const char *help, struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static bool put_family(struct buf *out, const struct traffic *t, size_t end, const struct family *f, struct error *err)
{
    bool is_put = put_head(out, f->name, "counter", f->help, err);

    for (size_t i = 0; i < end && is_put; i++) {
        is_put = put_counters(out, t, i, f, err);
    }
    return is_put;
}

bool traffic_write(const struct traffic *t, const char *const *actions, const char *const *kinds, struct buf *out, struct error *err)
{
    static const char first_byte[] = "filterd_upstream_first_byte_seconds";
    const struct family verdicts = {"filterd_verdicts_total", "Exchanges judged, by upstream, protocol, policy and action.",
                                    "action", actions, TRAFFIC_ACTIONS, offsetof(struct traffic_row, actions)};
    const struct family failures = {"filterd_upstream_failures_total", "Answers of upstreams that failed, by upstream, protocol, policy and kind.",
                                    "kind", kinds, TRAFFIC_KINDS, offsetof(struct traffic_row, failures)};
    size_t n = atomic_load_explicit(&t->n, memory_order_acquire);
    size_t end = n == TRAFFIC_ROWS_MAX ? n + 1 : n;
    bool is_put = put_family(out, t, end, &verdicts, err) && put_family(out, t, end, &failures, err) &&
                  put_head(out, first_byte, "summary", "Time from a request to the first byte of its answer, by upstream, protocol and policy.", err);

    for (size_t i = 0; i < end && is_put; i++) {
        is_put = put_first_byte(out, t, i, first_byte, err);
    }
    return is_put;
}
