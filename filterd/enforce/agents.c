#include "enforce/agents.h"

#include <limits.h>
#include <sys/stat.h>

#include "base/log.h"

static bool is_there(const char *path)
{
    struct stat file;

    return stat(path, &file) == 0 && file.st_size > 0;
}

/* Without its file each agent begins anew, also one that was killed: only a service without a past may do so in silence. */
static bool open_store(struct agents *a, const char *directory, bool has_history, struct error *err)
{
    char path[PATH_MAX];

    if ((size_t)snprintf(path, sizeof(path), "%s/agents.db", directory) >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: a shorter path expected", directory);
    }
    if (has_history && !is_there(path)) {
        log_warn("agents: %s is gone or empty: agents that were killed, revoked or throttled are active again", path);
    }
    a->store = ledger_store_open(path, a->ledger, err);
    return a->store != NULL;
}

bool agents_open(struct agents *a, const struct agents_options *options, struct decision_log *log, struct error *err)
{
    a->log = log;
    a->helper = options->helper;
    a->ledger = ledger_new(options->accounts, err);
    a->killer = a->ledger == NULL ? NULL : killer_new(options->slots, err);
    return a->killer != NULL && (options->state_directory == NULL || open_store(a, options->state_directory, options->has_history, err));
}

bool agents_start(struct agents *a, struct error *err)
{
    return killer_start(a->killer, err) && (a->store == NULL || ledger_store_start(a->store, err));
}

void agents_close(struct agents *a)
{
    killer_free(a->killer);
    ledger_store_close(a->store);
    ledger_free(a->ledger);
    a->store = NULL;
    a->killer = NULL;
    a->ledger = NULL;
}

void agents_record(struct agents *a, const struct agent_event *e)
{
    struct agent_event marked = *e;
    struct error err;

    marked.review = a->review == NULL ? e->review : a->review(a->review_context, e);
    if (!agent_record_write(a->log, &marked, &err)) {
        (void)atomic_fetch_add(&a->unrecorded, 1);
    }
}

/* --- reactions ------------------------------------------------------------ */

static const struct {
    const char *event;
    enum reaction reaction;
    unsigned orders;
} table[REACTION_KINDS] = {
    {"alert", REACTION_ALERT, 0},
    {"throttle", REACTION_THROTTLE, 0},
    {"cut_network", REACTION_CUT_NETWORK, ORDER_CUT},
    {"freeze", REACTION_FREEZE, ORDER_FREEZE},
    {"ask", REACTION_ASK, ORDER_FREEZE},
    {"kill", REACTION_KILL, ORDER_CUT | ORDER_KILL},
    {"revoke", REACTION_REVOKE, ORDER_CUT | ORDER_KILL},
};

/* Agents outside a jail; what came of it is recorded when the helper says so. */
static void ask_hooks(struct agents *a, const struct agent_event *cause, const char *why)
{
    char tenant[LEDGER_NAME_MAX + 1], agent[LEDGER_NAME_MAX + 1];

    if (a->helper == NULL) {
        return;
    }
    (void)snprintf(tenant, sizeof(tenant), SPAN_FMT, SPAN_ARG(cause->key.tenant));
    (void)snprintf(agent, sizeof(agent), SPAN_FMT, SPAN_ARG(cause->key.agent));
    if (!helper_ask_hooks(a->helper, tenant, agent, why)) {
        struct agent_event e = *cause;
        e.event = "hook_failed";
        e.why = span_str("the helper does not answer");
        agents_record(a, &e);
    }
}

static void tell_changed(struct agents *a)
{
    ledger_store_wake(a->store);
    if (a->fleet.wake != NULL) {
        a->fleet.wake(a->fleet.context);
    }
}

/* `again`: it stands already, and its hooks were run. */
static void carry_out(struct agents *a, unsigned reactions, bool again, const struct agent_event *cause)
{
    char why[KILLER_WHY_MAX];
    unsigned orders = 0;

    (void)snprintf(why, sizeof(why), "%s: " SPAN_FMT, cause->by, SPAN_ARG(cause->why));
    for (size_t i = 0; i < COUNT(table); i++) {
        orders |= (reactions & table[i].reaction) != 0 ? table[i].orders : 0U;
    }
    if (orders != 0) {
        (void)killer_order(a->killer, &cause->key, orders, why);
    }
    if ((orders & ORDER_KILL) != 0 && !again) {
        ask_hooks(a, cause, why);
    }
}

void agents_record_reaction(struct agents *a, unsigned reaction, const struct agent_event *cause)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (reaction == (unsigned)table[i].reaction) {
            struct agent_event e = *cause;
            e.event = table[i].event;
            agents_record(a, &e);
            (void)atomic_fetch_add(&a->reactions[i], 1);
        }
    }
}

/* The orders first: they only wake a thread, and the record must not hold them up. */
static void react(struct agents *a, unsigned reactions, const struct agent_event *cause)
{
    carry_out(a, reactions, false, cause);
    for (size_t i = 0; i < COUNT(table); i++) {
        unsigned one = reactions & (unsigned)table[i].reaction;
        if (one != 0 && (a->fleet.claim == NULL || !a->fleet.claim(a->fleet.context, one, cause))) {
            agents_record_reaction(a, one, cause);
        }
    }
}

/* --- exchanges ------------------------------------------------------------ */

enum agents_answer agents_admit(struct agents *a, const struct violations *v, const struct agent_key *key,
                                int64_t now_ns, struct agent_account *account, int64_t *wait_ns)
{
    bool is_admitted = ledger_admit(a->ledger, v, key, now_ns, account, wait_ns);

    if (agent_state_is_stopped(account->state)) {
        (void)atomic_fetch_add(&a->stopped, 1);
        return AGENTS_STOPPED;
    }
    if (!is_admitted) {
        (void)atomic_fetch_add(&a->throttled, 1);
    }
    return is_admitted ? AGENTS_MAY : AGENTS_WAIT;
}

const char *agents_rule(enum agent_state state)
{
    static const char *const rules[] = {"filterd.agent-revoked", "filterd.agent-killed", "filterd.agent-frozen"};

    return rules[state < AGENT_FROZEN ? state : AGENT_FROZEN];
}

_Static_assert(VIOLATION_BLOCK == (int)CATEGORY_SYSTEM, "categories of rules and kinds have the same numbers");

unsigned agents_kinds(const struct exchange *x)
{
    unsigned kinds = 0;

    if (x->policy == NULL || x->policy->is_shadow || x->unjudged_reason != NULL) {
        return 0; /* what could not be judged is not the agent's fault */
    }
    for (size_t i = 0; i < x->n_findings; i++) {
        const struct finding *f = &x->findings[i];
        bool is_acted_on = f->action != ACTION_ALLOW && !f->is_shadow && !f->is_excepted;
        if (is_acted_on && f->rule != NULL && f->rule->category < CATEGORY_SYSTEM) {
            kinds |= 1U << f->rule->category;
        }
    }
    return kinds | (x->action == ACTION_BLOCK ? 1U << VIOLATION_BLOCK : 0U);
}

static struct span say_score(char text[64], const struct agent_account *a)
{
    int len = snprintf(text, 64, "%.1f violations", a->score);

    return span_of(text, (size_t)len);
}

bool agents_count(struct agents *a, const struct violations *v, const struct exchange *x,
                  struct agent_account *account, struct error *err)
{
    const struct agent_key key = {x->who.tenant, x->who.agent};
    unsigned kinds = v->is_on ? agents_kinds(x) : 0;
    unsigned due = 0;
    char text[64];

    if (kinds == 0) {
        return true;
    }
    if (!ledger_add(a->ledger, v, &(struct ledger_event){&key, kinds, x->now_ns, x->who.caller}, account, &due, err)) {
        return false;
    }
    tell_changed(a);
    if (due != 0) {
        const struct agent_event cause = {.by = "policy",
                                          .key = key,
                                          .why = say_score(text, account),
                                          .exchange = &x->id,
                                          .account = account,
                                          .now_ns = x->now_ns};
        react(a, due, &cause);
    }
    return true;
}

/* --- events from elsewhere ------------------------------------------------ */

bool agents_report(struct agents *a, const struct violations *v, const struct agent_key *key, enum violation kind,
                   const struct agents_cause *cause, struct error *err)
{
    struct agent_account account;
    unsigned due = 0;
    char text[64];

    if (!ledger_add(a->ledger, v, &(struct ledger_event){.key = key, .kinds = 1U << kind, .now_ns = cause->now_ns}, &account, &due, err)) {
        return false;
    }
    tell_changed(a);
    struct agent_event e = {.event = violation_name(kind),
                            .by = cause->by,
                            .key = *key,
                            .why = cause->why,
                            .account = &account,
                            .now_ns = cause->now_ns};
    agents_record(a, &e);
    if (due != 0) {
        e.by = "policy";
        e.why = say_score(text, &account);
        react(a, due, &e);
    }
    return true;
}

bool agents_react(struct agents *a, const struct agent_key *key, enum reaction reaction,
                  const struct agents_cause *cause, struct error *err)
{
    struct agent_account account;

    if (!ledger_stand(a->ledger, key, reaction, cause->now_ns, &account, err)) {
        return false;
    }
    tell_changed(a);
    const struct agent_event e = {
        .by = cause->by, .key = *key, .why = cause->why, .account = &account, .now_ns = cause->now_ns};
    react(a, reaction, &e);
    return true;
}

static bool revive(struct agents *a, const struct agent_event *cause)
{
    struct agent_account before;
    struct agent_event e = *cause;

    if (!ledger_revive(a->ledger, &e.key, e.now_ns, &before)) {
        return false;
    }
    tell_changed(a);
    e.event = "revive";
    e.account = &before;
    if ((before.standing & (REACTION_FREEZE | REACTION_ASK)) != 0) {
        (void)killer_order(a->killer, &e.key, ORDER_THAW, "revived");
    }
    agents_record(a, &e);
    return true;
}

static void tell_lift(struct agents *a, bool is_revival, const struct agent_event *cause)
{
    if (a->fleet.lift != NULL) {
        a->fleet.lift(a->fleet.context, is_revival, cause);
    }
}

bool agents_revive(struct agents *a, const struct agent_key *key, const struct agents_cause *cause)
{
    const struct agent_event e = {.by = cause->by, .why = cause->why, .key = *key, .now_ns = cause->now_ns};
    bool is_revived = revive(a, &e);

    if (is_revived) {
        tell_lift(a, true, &e);
    }
    return is_revived;
}

static void resume(struct agents *a, const char *why, const struct agent_event *cause)
{
    struct agent_account account;
    struct agent_event e = *cause;

    (void)ledger_resume(a->ledger, &e.key, e.now_ns, &account);
    (void)killer_order(a->killer, &e.key, ORDER_THAW, why);
    e.event = "resume";
    e.account = &account;
    agents_record(a, &e);
}

unsigned agents_settle_questions(struct agents *a, const struct violations *v, int64_t now_ns)
{
    struct agent_account account;
    struct error err;
    unsigned n = 0;

    while (ledger_next_unanswered(a->ledger, v, now_ns, &account)) {
        const struct agent_key key = {span_str(account.tenant), span_str(account.agent)};
        struct agent_event e = {.by = "policy", .key = key, .now_ns = now_ns};
        const struct agents_cause cause = {"policy", span_str("no operator answered in time"), now_ns};
        e.why = cause.why;
        n++;
        tell_changed(a);
        if (v->ask_resumes) {
            resume(a, "no answer: resumed", &e);
            tell_lift(a, false, &e);
        } else if (!agents_react(a, &key, REACTION_KILL, &cause, &err)) {
            (void)killer_order(a->killer, &key, ORDER_KILL, "no answer"); /* whatever the ledger says */
        }
    }
    return n;
}

/* --- the fleet ------------------------------------------------------------- */

void agents_learn(struct agents *a, const struct violations *v, const struct agent_key *key, double others, int64_t now_ns)
{
    struct agent_account account;
    unsigned due = 0;
    char text[64];

    if (!ledger_learn(a->ledger, v, key, others, now_ns, &account, &due) || due == 0) {
        return;
    }
    ledger_store_wake(a->store);
    const struct agent_event cause = {
        .by = "policy", .key = *key, .why = say_score(text, &account), .account = &account, .now_ns = now_ns};
    react(a, due, &cause);
}

void agents_follow(struct agents *a, enum reaction reaction, const struct agent_event *order)
{
    const struct violations none = {0};
    struct agent_account account;
    struct agent_event e = *order;
    struct error err;

    bool stands = ledger_look(a->ledger, &none, &e.key, e.now_ns, &account) && (account.standing & (unsigned)reaction) != 0;
    e.account = ledger_stand(a->ledger, &e.key, reaction, e.now_ns, &account, &err) ? &account : NULL;
    ledger_confirm(a->ledger, &e.key, order->fleet->order);
    ledger_store_wake(a->store);
    carry_out(a, reaction, stands, &e);
    if (!stands) {
        agents_record_reaction(a, reaction, &e);
    }
}

void agents_follow_lift(struct agents *a, bool is_revival, int64_t ordered_ns, const struct agent_event *order)
{
    const struct violations none = {0};
    struct agent_account account;

    if (!ledger_look(a->ledger, &none, &order->key, order->now_ns, &account) || account.order >= order->fleet->order) {
        return;
    }
    if (account.first_ns > ordered_ns) {
        ledger_confirm(a->ledger, &order->key, order->fleet->order);
        return;
    }
    if (is_revival) {
        (void)revive(a, order);
    } else if ((account.standing & (REACTION_FREEZE | REACTION_ASK)) != 0) {
        resume(a, "resumed", order);
        tell_changed(a);
    }
    ledger_confirm(a->ledger, &order->key, order->fleet->order);
}
