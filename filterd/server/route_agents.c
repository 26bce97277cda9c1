/* route_agents.c - the agents' accounts, for operators: GET /v1/agents, GET /v1/agents/{name}, and POST of
 * /v1/agents/{name}/kill, /revive and, for reporters outside the jail, /violations. A query may name the
 * tenant; `why` goes into the record. */
#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "http/identities.h"
#include "http/members.h"
#include "http/parameters.h"
#include "server/routes.h"
#include "service/access.h"
#include "http/violation_report.h"
#include "http/writer.h"

enum { WHY_MAX = 100, MEMORY_MAX = 4096 };

struct agent_query {
    struct caller caller;
    struct span tenant, why;
};

/* Whom a request is about, as its account is called. */
struct target {
    struct arena memory;
    struct agent_query query;
    struct agent_key key;
};

static bool set_why(struct member_reader *r, const struct member *m, struct span value)
{
    *(struct span *)member_of(r, m) = value;
    return value.len <= WHY_MAX || fault_set(r->fault, 422, "", "why: at most %d bytes expected", WHY_MAX);
}

static const struct member_type why_type = {.set = set_why};
static const struct member parameters[] = {
    {.name = "tenant", .type = &member_name, .offset = offsetof(struct agent_query, tenant)},
    {.name = "why", .type = &why_type, .offset = offsetof(struct agent_query, why)},
    {0},
};

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct member_reader r = {.members = parameters, .out = into, .fault = fault, .seen = *seen};
    bool is_set = members_set(&r, name, value);

    *seen = r.seen;
    return is_set;
}

/* A caller who is limited to a tenant has its agents alone. */
static bool limit_tenant(struct request *r, struct agent_query *q)
{
    (void)access_caller_of(r, &q->caller);
    if (q->caller.tenant[0] != '\0' && q->tenant.ptr != NULL && !caller_sees(&q->caller, q->tenant)) {
        request_problem(r, 403, "these credentials are not valid for that tenant", NULL);
        return false;
    }
    q->tenant = q->caller.tenant[0] != '\0' ? span_str(q->caller.tenant) : q->tenant;
    return true;
}

static bool read_query(struct request *r, struct agent_query *q)
{
    struct filter_fault fault;

    *q = (struct agent_query){0};
    if (parameters_read(r->connection, take_parameter, q, &fault)) {
        return limit_tenant(r, q);
    }
    request_problem(r, fault.status, fault.detail, NULL);
    return false;
}

/* An operator may say the name that the account has, or the one that the agent was given. */
static bool is_known(const struct request *r, const struct agent_key *key)
{
    struct agents *agents = &r->service->agents;
    struct agent_account account;

    return ledger_look(agents->ledger, &r->snapshot->violations, key, clock_utc_ns(), &account) ||
           killer_count(agents->killer, key) > 0;
}

/* The tenant by which the list is filtered; a token is one already. */
static void show_tenant(const struct request *r, struct arena *a, struct agent_query *q)
{
    struct identity who = {.tenant = q->tenant};
    struct filter_fault fault;

    if (identity_show(r->service->identities, r->snapshot, a, &who, &fault)) {
        q->tenant = who.tenant;
    }
}

static bool show_names(struct request *r, struct target *t, struct filter_fault *fault)
{
    struct identity who = {.tenant = t->query.tenant, .agent = span_str(r->parameter)};
    struct identities *identities = r->service->identities;

    t->key = (struct agent_key){who.tenant, who.agent};
    if (!identity_show_text(identities, r->snapshot, &t->memory, &t->query.why, fault)) {
        return false;
    }
    if (is_known(r, &t->key)) {
        return true;
    }
    if (!identity_show(identities, r->snapshot, &t->memory, &who, fault)) {
        return false;
    }
    t->key = (struct agent_key){who.tenant, who.agent};
    return true;
}

/* False with an answer; the target's memory is the caller's to give back either way. */
static bool read_target(struct request *r, struct target *t)
{
    struct filter_fault fault;

    *t = (struct target){0};
    arena_init(&t->memory, 0, MEMORY_MAX);
    if (!read_query(r, &t->query)) {
        return false;
    }
    r->snapshot = service_snapshot(r->service);
    if (show_names(r, t, &fault)) {
        return true;
    }
    request_problem(r, fault.status, fault.detail, NULL);
    return false;
}

static void target_deinit(struct target *t)
{
    arena_deinit(&t->memory);
}

/* --- writing -------------------------------------------------------------- */

static void put_time(struct writer *w, const char *name, int64_t utc_ns)
{
    time_t seconds = (time_t)(utc_ns / 1000000000);
    struct tm t;
    char text[32] = "";

    if (gmtime_r(&seconds, &t) != NULL && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &t) > 0) {
        put(w, name);
        put_string(w, span_str(text));
    }
}

static void put_counts(struct writer *w, const struct agent_account *a)
{
    const char *comma = "";

    put(w, ",\"counts\":{");
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        if (a->counts[i] > 0) {
            put(w, comma);
            put_string(w, span_str(violation_name((enum violation)i)));
            put(w, ":");
            put_number(w, a->counts[i]);
            comma = ",";
        }
    }
    put(w, "}");
}

static void put_agent(struct writer *w, struct agents *agents, const struct agent_account *a)
{
    const struct agent_key key = {span_str(a->tenant), span_str(a->agent)};
    char violations[32];

    (void)snprintf(violations, sizeof(violations), "%.1f", a->score);
    put(w, "{\"id\":");
    put_string(w, key.agent);
    put(w, ",\"tenant\":");
    put_string(w, key.tenant);
    put(w, ",\"state\":\"");
    put(w, agent_state_name(a->state));
    put(w, "\",\"violations\":");
    put(w, violations);
    put(w, ",\"jails\":");
    put_number(w, killer_count(agents->killer, &key));
    if (a->asked_ns != 0) {
        put_time(w, ",\"asked\":", a->asked_ns);
    }
    if (a->is_used) {
        put_counts(w, a);
        put_time(w, ",\"first\":", a->first_ns);
        put_time(w, ",\"last\":", a->last_ns);
    }
    put(w, "}");
}

static enum step finish(struct request *r, const struct writer *w)
{
    if (!w->is_ok) {
        request_overload(r, "out of memory");
    }
    return STEP_ANSWERED;
}

static struct writer begin(struct request *r, struct error *err)
{
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    return (struct writer){.out = &r->answer, .err = err, .is_ok = true};
}

/* Is this the first place of its agent? Each agent is listed once. */
static bool is_first_place(struct agents *agents, int place, const struct agent_account *of)
{
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    int i = -1;

    while ((i = killer_at(agents->killer, i + 1, tenant, agent)) >= 0 && i < place) {
        if (strcmp(tenant, of->tenant) == 0 && strcmp(agent, of->agent) == 0) {
            return false;
        }
    }
    return true;
}

/* Those that run in a jail and have no account. */
static void put_blameless(struct writer *w, struct agents *agents, const struct agent_query *q, bool *is_first, int64_t now_ns,
                          const struct violations *v)
{
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];
    struct agent_account a;
    int i = -1;

    while (w->is_ok && (i = killer_at(agents->killer, i + 1, tenant, agent)) >= 0) {
        const struct agent_key key = {span_str(tenant), span_str(agent)};
        bool is_wanted = q->tenant.ptr == NULL || span_is(q->tenant, tenant);
        if (is_wanted && !ledger_look(agents->ledger, v, &key, now_ns, &a) && is_first_place(agents, i, &a)) {
            put(w, *is_first ? "" : ",");
            put_agent(w, agents, &a);
            *is_first = false;
        }
    }
}

/* --- routes --------------------------------------------------------------- */

enum step route_agents_run(struct request *r)
{
    struct agents *agents = &r->service->agents;
    struct agent_account a;
    struct arena memory CLEANUP(arena_deinit);
    struct agent_query q;
    struct error err;
    int64_t now_ns = clock_utc_ns();
    bool is_first = true;

    arena_init(&memory, 0, MEMORY_MAX);
    if (!read_query(r, &q)) {
        return STEP_ANSWERED;
    }
    r->snapshot = service_snapshot(r->service);
    show_tenant(r, &memory, &q);
    struct writer w = begin(r, &err);
    put(&w, "{\"agents\":[");
    for (uint32_t i = 0; w.is_ok && ledger_at(agents->ledger, &r->snapshot->violations, i, now_ns, &a); i = a.slot + 1) {
        if (q.tenant.ptr != NULL && !span_is(q.tenant, a.tenant)) {
            continue;
        }
        put(&w, is_first ? "" : ",");
        put_agent(&w, agents, &a);
        is_first = false;
    }
    put_blameless(&w, agents, &q, &is_first, now_ns, &r->snapshot->violations);
    put(&w, "]}\n");
    return finish(r, &w);
}

/* The account as it is now; 404 when there is neither an account nor a jail. */
static enum step answer_one(struct request *r, const struct agent_key *key)
{
    struct agents *agents = &r->service->agents;
    struct agent_account a;
    struct error err;

    bool has_account = ledger_look(agents->ledger, &r->snapshot->violations, key, clock_utc_ns(), &a);
    if (!has_account && killer_count(agents->killer, key) == 0) {
        request_problem(r, 404, "there is no account of that agent", NULL);
        return STEP_ANSWERED;
    }
    struct writer w = begin(r, &err);
    put_agent(&w, agents, &a);
    put(&w, "\n");
    return finish(r, &w);
}

enum step route_agent_run(struct request *r)
{
    struct target t CLEANUP(target_deinit);

    return read_target(r, &t) ? answer_one(r, &t.key) : STEP_ANSWERED;
}

enum step route_agent_kill_run(struct request *r)
{
    struct target t CLEANUP(target_deinit);
    struct error err;

    if (!read_target(r, &t)) {
        return STEP_ANSWERED;
    }
    const struct agents_cause cause = {"operator", t.query.why.len > 0 ? t.query.why : span_str("an operator's word"),
                                       clock_utc_ns()};
    if (!agents_react(&r->service->agents, &t.key, REACTION_KILL, &cause, &err)) {
        /* Whatever the ledger has room for: what runs is ended. */
        (void)killer_order(r->service->agents.killer, &t.key, ORDER_CUT | ORDER_KILL, "operator");
        request_overload(r, err.text);
        return STEP_ANSWERED;
    }
    return answer_one(r, &t.key);
}

enum step route_agent_revive_run(struct request *r)
{
    struct target t CLEANUP(target_deinit);
    struct error err;

    if (!read_target(r, &t)) {
        return STEP_ANSWERED;
    }
    const struct agents_cause cause = {"operator", t.query.why, clock_utc_ns()};
    if (!agents_revive(&r->service->agents, &t.key, &cause)) {
        request_problem(r, 404, "there is no account of that agent", NULL);
        return STEP_ANSWERED;
    }
    const struct agent_account fresh = {.state = AGENT_ACTIVE};
    struct agent_account a = fresh;
    memcpy(a.agent, t.key.agent.ptr, t.key.agent.len);
    memcpy(a.tenant, t.key.tenant.len > 0 ? t.key.tenant.ptr : "", t.key.tenant.len);
    struct writer w = begin(r, &err);
    put_agent(&w, &r->service->agents, &a);
    put(&w, "\n");
    return finish(r, &w);
}

/* What cannot be counted could go on for ever: the agent ends then, as one in a jail would. */
static void report(struct request *r, const struct agent_key *key, const struct violation_report *report)
{
    const struct agents_cause cause = {"reporter", report->why, clock_utc_ns()};
    struct agents *agents = &r->service->agents;
    struct error err;

    if (!r->snapshot->violations.is_on) {
        request_problem(r, 409, "the policy has no violations: nothing is counted", NULL);
    } else if (!agents_report(agents, &r->snapshot->violations, key, report->kind, &cause, &err)) {
        (void)killer_order(agents->killer, key, ORDER_CUT | ORDER_KILL, "the ledger is full");
        request_overload(r, err.text);
    }
}

enum step route_agent_violation_run(struct request *r)
{
    struct arena memory CLEANUP(arena_deinit);
    struct target t CLEANUP(target_deinit);
    struct violation_report said;
    struct filter_fault fault;

    arena_init(&memory, 0, 4UL * VIOLATION_REPORT_MAX);
    if (!read_target(r, &t)) {
        return STEP_ANSWERED;
    }
    if (t.query.why.len > 0) {
        request_problem(r, 422, "why expected in the body", NULL);
        return STEP_ANSWERED;
    }
    if (!violation_report_read(&memory, buf_span(&r->body), &said, &fault) ||
        !identity_show_text(r->service->identities, r->snapshot, &memory, &said.why, &fault)) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        return STEP_ANSWERED;
    }
    report(r, &t.key, &said);
    return r->reply.status != 0 ? STEP_ANSWERED : answer_one(r, &t.key);
}
