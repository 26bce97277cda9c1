/* route_metrics.c - GET /metrics: counters and histograms for Prometheus. */
#include <inttypes.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/locked_pages.h"
#include "fleet/fleet.h"
#include "policy/budget_policy.h"
#include "server/routes.h"
#include "http/supervisor_metrics.h"

/* The second number of statm is the resident set in pages. */
static uint64_t resident_bytes(const struct service *s)
{
    char text[128];
    char *end = NULL;

    ssize_t n = pread(s->statm, text, sizeof(text) - 1, 0);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    (void)strtoull(text, &end, 10);
    return strtoull(end, NULL, 10) * (uint64_t)sysconf(_SC_PAGESIZE);
}

static bool write_gauge(struct buf *out, const char *name, const char *help, uint64_t value,
                        struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s gauge\n%s %" PRIu64 "\n", name, help,
                       name, name, value);
}

/* In seconds; +Inf where nothing is known. */
static bool write_shipments(const struct shipments *s, struct buf *out, struct error *err)
{
    static const char name[] = "filterd_record_ship_lag_seconds";
    int64_t now = clock_utc_ns();
    bool is_written = s->n == 0 || buf_appendf(out, err, "# HELP %s Age of what a required sink may not have yet.\n# TYPE %s gauge\n",
                                               name, name);

    for (size_t i = 0; i < s->n && is_written; i++) {
        int64_t lag = shipments_lag(s, i, now);
        is_written = lag == SHIPMENT_UNKNOWN
                         ? buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} +Inf\n", name, SPAN_ARG(s->names[i]))
                         : buf_appendf(out, err, "%s{sink=\"" SPAN_FMT "\"} %.3f\n", name, SPAN_ARG(s->names[i]),
                                       (double)lag / 1e3);
    }
    return is_written;
}

static bool write_conversations(struct service *s, struct buf *out, struct error *err)
{
    struct conversations_counts counts;

    conversations_count(s->conversations, &counts);
    return write_gauge(out, "filterd_conversations", "Conversations whose masked values are kept.", counts.open, err) &&
           write_gauge(out, "filterd_conversation_bytes", "Memory of these values.", counts.bytes, err) &&
           buf_appendf(out, err,
                       "# HELP filterd_conversations_dropped_total Conversations dropped, by reason.\n"
                       "# TYPE filterd_conversations_dropped_total counter\n"
                       "filterd_conversations_dropped_total{reason=\"idle\"} %" PRIu64 "\n"
                       "filterd_conversations_dropped_total{reason=\"displaced\"} %" PRIu64 "\n",
                       counts.expired, counts.displaced);
}

static bool write_state(struct service *s, struct buf *out, struct error *err)
{
    return buf_appendf(out, err,
                       "# HELP filterd_build_info The program.\n# TYPE filterd_build_info gauge\n"
                       "filterd_build_info{version=\"%s\"} 1\n",
                       FILTERD_VERSION) &&
           write_gauge(out, "filterd_record_healthy", "1 while decisions can be recorded.",
                       decision_log_is_healthy(s->log), err) &&
           write_gauge(out, "filterd_ready", "1 while the service is ready.", service_is_ready(s),
                       err) &&
           write_gauge(out, "filterd_queue_depth", "Long texts that wait for a worker.",
                       worker_pool_depth(s->pool), err) &&
           write_gauge(out, "filterd_open_streams", "Streams of /v1/streams that are open.",
                       stream_table_count(s->streams), err) &&
           write_conversations(s, out, err) &&
           write_gauge(out, "filterd_held_bytes", "Memory set aside for requests.",
                       atomic_load(&s->held), err) &&
           write_gauge(out, "process_resident_memory_bytes", "Resident memory.", resident_bytes(s),
                       err);
}

static bool write_bundled(const struct bundled *b, struct buf *out, struct error *err)
{
    return b->place.bundles == NULL ||
           buf_appendf(out, err,
                       "# HELP filterd_policy_bundle_version Version of the policy bundle in force.\n# TYPE filterd_policy_bundle_version gauge\n"
                       "filterd_policy_bundle_version %" PRIu64 "\n"
                       "# HELP filterd_policy_bundle_expires_seconds When it expires, since 1970.\n"
                       "# TYPE filterd_policy_bundle_expires_seconds gauge\n"
                       "filterd_policy_bundle_expires_seconds %" PRId64 "\n"
                       "# HELP filterd_policy_bundle_refused_total Policy bundles refused.\n"
                       "# TYPE filterd_policy_bundle_refused_total counter\n"
                       "filterd_policy_bundle_refused_total %" PRIu64 "\n",
                       atomic_load(&b->version), atomic_load(&b->expires_ns) / 1000000000, atomic_load(&b->refused));
}

/* Once a policy seals. */
static bool write_locked(struct service *s, struct buf *out, struct error *err)
{
    return !atomic_load(&s->is_sealing) ||
           write_gauge(out, "filterd_texts_locked", "1 while all texts of exchanges were within the limit of locked memory.",
                       !atomic_load(&locked_pages_exceeded), err);
}

static bool write_counter(struct buf *out, const char *name, const char *help, const _Atomic uint64_t *value,
                          struct error *err)
{
    return buf_appendf(out, err, "# HELP %s %s\n# TYPE %s counter\n%s %" PRIu64 "\n", name, help, name, name,
                       atomic_load(value));
}

static bool write_reactions(const struct agents *a, struct buf *out, struct error *err)
{
    const char *name = "filterd_agent_actions_total";

    if (!buf_appendf(out, err, "# HELP %s Actions on agents, by policy or operator.\n# TYPE %s counter\n", name, name)) {
        return false;
    }
    for (unsigned i = 0; i < REACTION_KINDS; i++) {
        if (!buf_appendf(out, err, "%s{do=\"%s\"} %" PRIu64 "\n", name, reaction_name((enum reaction)(1U << i)),
                         atomic_load(&a->reactions[i]))) {
            return false;
        }
    }
    return true;
}

static bool write_agent_counters(const struct agents *a, struct buf *out, struct error *err)
{
    const struct {
        const char *name, *help;
        const _Atomic uint64_t *value;
    } counters[] = {
        {"filterd_agent_stopped_total", "Exchanges blocked because their agent is stopped.", &a->stopped},
        {"filterd_agent_throttled_total", "Exchanges refused because their agent is throttled.", &a->throttled},
        {"filterd_agent_unrecorded_total", "Events of agents that found no room in the record.", &a->unrecorded},
        {"filterd_kills_total", "Jails ended, and seen to be.", &a->kills},
        {"filterd_kill_failures_total", "Kills that could not be seen to succeed at first.", &a->kill_failures},
        {"filterd_kill_tests_total", "Self-tests of the kill that passed.", &a->self_tests},
        {"filterd_kill_test_failures_total", "Self-tests of the kill that failed.", &a->self_test_failures},
    };

    for (size_t i = 0; i < COUNT(counters); i++) {
        if (!write_counter(out, counters[i].name, counters[i].help, counters[i].value, err)) {
            return false;
        }
    }
    return true;
}

static bool write_agents(struct agents *a, struct buf *out, struct error *err)
{
    const _Atomic uint64_t overflows = ledger_overflows(a->ledger), displaced = ledger_displaced(a->ledger);
    struct killer_health health;

    killer_health(a->killer, &health);
    return write_gauge(out, "filterd_agents", "Agents with an account.", ledger_count(a->ledger), err) &&
           write_counter(out, "filterd_ledger_overflows_total", "Violations that found no room in the ledger.", &overflows,
                         err) &&
           write_counter(out, "filterd_ledger_displaced_total", "Accounts that were given up for others of their caller.",
                         &displaced, err) &&
           write_gauge(out, "filterd_ledger_healthy", "1 while the ledger can be written.",
                       ledger_store_is_healthy(a->store), err) &&
           write_gauge(out, "filterd_jails", "Registered jails, a self-test's victim included.", health.used, err) &&
           write_gauge(out, "filterd_kill_ready", "1 when the last self-test of the kill passed.",
                       atomic_load(&a->can_kill), err) &&
           write_gauge(out, "filterd_kill_locked", "1 when what the kill needs is locked in memory.", health.is_locked,
                       err) &&
           buf_appendf(out, err,
                       "# HELP filterd_kill_test_seconds From the order to nothing left, in the last self-test.\n"
                       "# TYPE filterd_kill_test_seconds gauge\nfilterd_kill_test_seconds %.6f\n",
                       (double)atomic_load(&a->self_test_us) / 1e6) &&
           write_agent_counters(a, out, err) && write_reactions(a, out, err);
}

static bool write_budgets(struct service *s, struct buf *out, struct error *err)
{
    const struct budget_metrics *m = &s->metrics.budgets;
    const char *name = "filterd_budget_exceeded_total";
    struct budget_counts counts;

    budgets_count(s->budgets, &counts);
    const _Atomic uint64_t refused = counts.refused;
    if (!write_gauge(out, "filterd_budget_accounts", "Subjects with a count under a disclosure budget.", counts.accounts, err) ||
        !write_gauge(out, "filterd_budget_bytes", "Memory of these counts.", counts.bytes, err) ||
        !write_gauge(out, "filterd_budgets_healthy", "1 while these counts can be written.",
                     budget_store_is_healthy(s->budget_store), err) ||
        !write_counter(out, "filterd_budget_uncounted_total", "Values that exceeded a budget because they could not be counted.",
                       &refused, err) ||
        !write_counter(out, "filterd_budget_throttled_total", "Exchanges refused because a disclosure budget is used up.",
                       &m->throttled, err) ||
        !buf_appendf(out, err, "# HELP %s Findings whose value exceeded a disclosure budget.\n# TYPE %s counter\n", name, name)) {
        return false;
    }
    for (unsigned i = 0; budget_then_names[i] != NULL; i++) {
        if (!buf_appendf(out, err, "%s{then=\"%s\"} %" PRIu64 "\n", name, budget_then_names[i], atomic_load(&m->exceeded[i]))) {
            return false;
        }
    }
    return true;
}

static bool write_rules(const struct snapshot *snapshot, struct buf *out, struct error *err)
{
    const struct rule_set *set = snapshot->rules;

    if (!buf_appendf(out, err,
                     "# HELP filterd_policy_info The rules in force.\n"
                     "# TYPE filterd_policy_info gauge\n"
                     "filterd_policy_info{digest=\"" SPAN_FMT "\"} 1\n"
                     "# HELP filterd_findings_total Findings, by rule, since the last reload.\n"
                     "# TYPE filterd_findings_total counter\n",
                     SPAN_ARG(set->digest))) {
        return false;
    }
    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (!buf_appendf(out, err, "filterd_findings_total{rule=\"" SPAN_FMT "\"} %" PRIu64 "\n",
                         SPAN_ARG(set->rules[i].id),
                         atomic_load_explicit(&set->findings[i], memory_order_relaxed))) {
            return false;
        }
    }
    return true;
}

enum step route_metrics_run(struct request *r)
{
    struct service *s = r->service;
    struct error err;
    unsigned n_routes = 0;
    const char *const *names = route_names(&n_routes);

    r->snapshot = service_snapshot(s);
    r->reply = (struct reply){.status = 200, .type = "text/plain; version=0.0.4"};
    if (!metrics_write(&s->metrics, names, n_routes, &r->answer, &err) ||
        !write_state(s, &r->answer, &err) || !write_locked(s, &r->answer, &err) || !write_bundled(&s->bundled, &r->answer, &err) || !write_shipments(&s->shipments, &r->answer, &err) ||
        !supervisor_metrics_write(s->supervisor, &r->answer, &err) || !write_agents(&s->agents, &r->answer, &err) || !write_budgets(s, &r->answer, &err) ||
        !fleet_metrics(s->fleet, &r->answer, &err) ||
        !witnessed_metrics(&s->witnessed, &r->answer, &err) || !following_metrics(&s->following, &r->answer, &err) ||
        !write_rules(r->snapshot, &r->answer, &err)) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}
