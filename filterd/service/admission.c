#include "service/admission.h"

#include <limits.h>
#include <stdio.h>

#include "base/clock.h"
#include "fleet/fleet.h"
#include "state/live_exceptions.h"
#include "pipeline/pipeline.h"

static const char stopped[] = "the agent is stopped", ledger_full[] = "the ledger had no room for the agent";
const char admission_throttled[] = "the agent is throttled, or the sender has used up a disclosure budget";

static bool has_budgets(const struct snapshot *snapshot)
{
    bool has_any = false;

    for (size_t i = 0; i < snapshot->n_policies; i++) {
        has_any |= snapshot->policies[i].n_budgets > 0;
    }
    return has_any;
}

static bool open_budget_store(struct service *s, const char *directory, struct error *err)
{
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof(path), "%s/budgets.db", directory) >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: a shorter path expected", directory);
    }
    struct budget_store *store = budget_store_open(path, s->budgets, err);
    if (store == NULL || !budget_store_start(store, err)) {
        budget_store_close(store);
        return false;
    }
    s->budget_store = store;
    return true;
}

bool admission_open_budgets(struct service *s, const struct snapshot *snapshot, struct error *err)
{
    const char *directory = s->options->state_directory;

    if (s->budgets == NULL) {
        s->budgets = budgets_new(s->options->budget_memory, s->keys.decision.token, err);
    }
    if (s->budgets == NULL || directory == NULL || s->budget_store != NULL || !has_budgets(snapshot)) {
        return s->budgets != NULL;
    }
    return open_budget_store(s, directory, err);
}

void admission_close_budgets(struct service *s)
{
    budget_store_close(s->budget_store);
    budgets_free(s->budgets);
}

static struct snapshot *current_snapshot(void *service)
{
    return service_snapshot(service);
}

static bool reload(void *service, struct error *err)
{
    return service_reload(service, "fleet", err);
}

static bool withdraw(void *context, uint64_t version, struct error *err)
{
    struct service *s = context;

    (void)pthread_mutex_lock(&s->reloading);
    bool is_withdrawn = bundled_withdraw(&s->bundled, version, err);
    (void)pthread_mutex_unlock(&s->reloading);
    return is_withdrawn;
}

_Static_assert((int)FLEET_ELAPSED == (int)METRICS_ELAPSED, "the same buckets");

static void count(void *context, struct fleet_counts *out)
{
    const struct service *s = context;
    uint64_t actions[3];

    metrics_sum_actions(&s->metrics, actions);
    *out = (struct fleet_counts){.answers = actions[ACTION_ALLOW] + actions[ACTION_REDACT] + actions[ACTION_BLOCK],
                                 .blocked = actions[ACTION_BLOCK],
                                 .unjudged = atomic_load(&s->metrics.unjudged)};
    metrics_sum_elapsed(&s->metrics, out->elapsed);
}

static uint64_t count_lines(void *context)
{
    const struct service *s = context;

    return decision_log_synced(s->log);
}

bool admission_open_fleet(struct service *s, struct error *err)
{
    const struct fleet_owner owner = {.agents = &s->agents, .snapshot = current_snapshot, .context = s,
                                      .lines = count_lines, .version = FILTERD_VERSION,
                                      .lease_ns = (int64_t)s->options->kill_lease * 1000000000,
                                      .is_strict = strcmp(s->options->on_loss, "strict") == 0,
                                      .bundles = {.bundled = s->options->bundles == NULL ? NULL : &s->bundled, .context = s,
                                                  .reload = reload, .withdraw = withdraw, .count = count},
                                      .reviews = s->fleet_reviews};
    struct address a;

    if (!address_parse(s->options->link, &a, err)) {
        return false;
    }
    if (a.kind != ADDRESS_UNIX) {
        return true;
    }
    s->fleet = fleet_open(&owner, &a, err);
    return s->fleet != NULL;
}

unsigned admission_wait_for_budget(struct service *s, const struct policy *policy, const struct identity *who)
{
    unsigned wait_s = spending_wait(s->budgets, policy, who, budgets_now_ns());

    if (wait_s > 0) {
        (void)atomic_fetch_add(&s->metrics.budgets.throttled, 1);
    }
    return wait_s;
}

static void set_standing(struct exchange *x, const struct agent_account *account)
{
    x->agent_state = agent_state_name(account->state);
    x->violations = account->score;
}

static void block(struct exchange *x, const char *rule, const char *reason)
{
    x->bytes = 0;
    for (size_t i = 0; i < x->n_channels; i++) {
        x->bytes += x->channels[i].text.len;
    }
    exchange_refuse(x, rule, reason);
}

static enum admission admit_agent(struct service *s, struct exchange *x, unsigned *wait_s)
{
    const struct agent_key key = {x->who.tenant, x->who.agent};
    struct agent_account account;
    int64_t wait_ns = 0;

    if (key.agent.len == 0) {
        return ADMISSION_GRANTED;
    }
    if (!ledger_store_is_healthy(s->agents.store)) {
        block(x, "filterd.unjudged", "the ledger could not be written");
        return ADMISSION_BLOCKED;
    }
    if (fleet_contact(s->fleet) == FLEET_BLOCKS) {
        block(x, fleet_lost_rule, fleet_lost_reason);
        return ADMISSION_BLOCKED;
    }
    x->is_store_lost = fleet_is_lost(s->fleet);
    enum agents_answer answer =
        agents_admit(&s->agents, &x->snapshot->violations, &key, x->now_ns, &account, &wait_ns);
    set_standing(x, &account);
    if (answer == AGENTS_STOPPED) {
        block(x, agents_rule(account.state), stopped);
        return ADMISSION_BLOCKED;
    }
    *wait_s = (unsigned)((wait_ns + 999999999) / 1000000000);
    return answer == AGENTS_WAIT ? ADMISSION_WAIT : ADMISSION_GRANTED;
}

enum admission admission_check(struct service *s, struct exchange *x, unsigned *wait_s)
{
    if (bundled_blocks(&s->bundled)) {
        block(x, bundled_expired_rule, bundled_expired_reason);
        return ADMISSION_BLOCKED;
    }
    enum admission admission = admit_agent(s, x, wait_s);

    x->budgets = s->budgets;
    if (admission != ADMISSION_GRANTED || x->policy == NULL || x->is_request) {
        return admission;
    }
    *wait_s = admission_wait_for_budget(s, x->policy, &x->who);
    return *wait_s > 0 ? ADMISSION_WAIT : ADMISSION_GRANTED;
}

void admission_count(struct service *s, struct exchange *x)
{
    struct agent_account account = {.state = AGENT_REVOKED};
    struct error err;

    if (x->who.agent.len == 0) {
        return;
    }
    if (!agents_count(&s->agents, &x->snapshot->violations, x, &account, &err)) {
        block(x, "filterd.ledger-full", ledger_full);
        x->agent_state = agent_state_name(AGENT_ACTIVE);
    } else if (account.is_used) {
        set_standing(x, &account);
    }
}

enum admission admission_open(struct service *s, const struct snapshot *snapshot, const struct identity *who,
                            unsigned *wait_s, const char **why)
{
    struct exchange x = {.snapshot = snapshot, .who = *who, .now_ns = clock_utc_ns()};
    const struct agent_key key = {who->tenant, who->agent};
    enum admission admission = admission_check(s, &x, wait_s);

    /* What will have been released by the time it is counted must not find the ledger full then. */
    if (admission == ADMISSION_GRANTED && key.agent.len > 0 && snapshot->violations.is_on &&
        !ledger_has_room(s->agents.ledger, &snapshot->violations,
                         &(struct ledger_event){.key = &key, .now_ns = x.now_ns, .caller = who->caller})) {
        block(&x, "filterd.ledger-full", ledger_full);
        admission = ADMISSION_BLOCKED;
    }
    *why = x.unjudged_reason;
    if (admission == ADMISSION_BLOCKED) {
        const struct agent_event e = {.event = "refuse",
                                      .by = "filterd",
                                      .key = key,
                                      .why = x.rule,
                                      .now_ns = x.now_ns};
        agents_record(&s->agents, &e);
    }
    return admission;
}

void admission_watch(struct service *s, struct stream *stream)
{
    struct agent_account account;
    struct exchange x;

    stream_exchange(stream, &x);
    const struct agent_key key = {x.who.tenant, x.who.agent};
    if (bundled_blocks(&s->bundled)) {
        stream_block(stream, span_str(bundled_expired_rule), bundled_expired_reason);
    } else if (key.agent.len > 0 && fleet_contact(s->fleet) == FLEET_BLOCKS) {
        stream_block(stream, span_str(fleet_lost_rule), fleet_lost_reason);
    } else if (key.agent.len > 0 &&
        ledger_look(s->agents.ledger, &x.snapshot->violations, &key, clock_utc_ns(), &account) &&
        agent_state_is_stopped(account.state)) {
        stream_block(stream, span_str(agents_rule(account.state)), stopped);
    }
}

void admission_count_stream(struct service *s, struct stream *stream, struct exchange *x)
{
    struct agent_account account;

    stream_exchange(stream, x);
    const struct agent_key key = {x->who.tenant, x->who.agent};
    x->is_store_lost = key.agent.len > 0 && fleet_is_lost(s->fleet);
    if (ledger_look(s->agents.ledger, &x->snapshot->violations, &key, clock_utc_ns(), &account)) {
        set_standing(x, &account);
    }
    enum action before = x->action;
    admission_count(s, x);
    if (x->action != before) {
        stream_block(stream, x->rule, x->unjudged_reason);
    }
}

struct review_mark admission_mark_event(void *context, const struct agent_event *e)
{
    struct snapshot *snapshot = service_snapshot(context);
    struct review_mark mark = review_mark_of_event(snapshot_policy(snapshot, span_of(NULL, 0), e->key.tenant), e->event);

    snapshot_unref(snapshot);
    return mark;
}

void admission_equip(struct service *s, struct snapshot *snapshot)
{
    if (!s->quota.is_on) {
        review_quota_init(&s->quota); /* before other threads begin */
    }
    snapshot->quota = &s->quota;
    live_exceptions_give_keys(snapshot, s->options->state_directory, s->token_keys);
}
