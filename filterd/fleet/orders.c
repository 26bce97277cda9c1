#include <inttypes.h>

#include "base/clock.h"
#include "base/log.h"
#include "fleet/fleet_parts.h"

static struct agent_key key_of(const struct link_message *m)
{
    return (struct agent_key){span_str(m->tenant), span_str(m->agent)};
}

/* --- acknowledgements ---------------------------------------------------------------------- */

static bool acknowledge(struct fleet *f, uint64_t order, int64_t took_us)
{
    struct link_message m;

    link_message_init(&m, LINK_ACK);
    m.order = order;
    m.took_us = took_us;
    return fleet_send(f, &m);
}

static struct fleet_ending *free_ending(struct fleet *f)
{
    for (size_t i = 0; i < COUNT(f->endings); i++) {
        if (f->endings[i].order == 0) {
            return &f->endings[i];
        }
    }
    return NULL;
}

/* Without room the contact is begun anew later, which gives the order again. */
static void await_end(struct fleet *f, const struct link_message *m)
{
    struct fleet_ending *e = free_ending(f);

    if (e == NULL) {
        fleet_disconnect(f, "more kills at once than there are places for jails");
        return;
    }
    *e = (struct fleet_ending){.order = m->order, .begun_us = clock_monotonic_us()};
    memcpy(e->tenant, m->tenant, sizeof(e->tenant));
    memcpy(e->agent, m->agent, sizeof(e->agent));
    f->n_endings++;
}

void fleet_acknowledge(struct fleet *f)
{
    for (size_t i = 0; i < COUNT(f->endings) && f->n_endings > 0; i++) {
        struct fleet_ending *e = &f->endings[i];
        const struct agent_key key = {span_str(e->tenant), span_str(e->agent)};
        if (e->order == 0 || killer_count(f->owner.agents->killer, &key) > 0) {
            continue;
        }
        if (!acknowledge(f, e->order, clock_monotonic_us() - e->begun_us)) {
            return;
        }
        e->order = 0;
        f->n_endings--;
    }
}

/* --- orders ---------------------------------------------------------------------------------- */

static void carry_out(struct fleet *f, const struct link_message *m)
{
    const struct agent_fleet fleet = {.order = m->order, .node = span_str(m->node)};
    struct agent_event e = {.by = "fleet", .key = key_of(m), .why = span_str(m->text), .fleet = &fleet, .now_ns = clock_utc_ns()};

    if (m->what == LINK_REVIVE || m->what == LINK_RESUME) {
        /* At a new contact accounts may be newer than what was lifted long ago. */
        int64_t ordered_ns = m->kind == LINK_STANDING ? m->at_ns : INT64_MAX;
        agents_follow_lift(f->owner.agents, m->what == LINK_REVIVE, ordered_ns, &e);
    } else {
        agents_follow(f->owner.agents, (enum reaction)m->what, &e);
    }
}

static bool is_ending(const struct link_message *m)
{
    return m->what == REACTION_KILL || m->what == REACTION_REVOKE;
}

/* An order that was acknowledged before is carried out again, as this node may have lost what it did then. An acknowledgement
 * that cannot be sent now waits among the endings. */
static void take_order(struct fleet *f, const struct link_message *m)
{
    const struct agent_key key = key_of(m);

    (void)atomic_fetch_add(&f->orders, 1);
    carry_out(f, m);
    bool is_over = !is_ending(m) || killer_count(f->owner.agents->killer, &key) == 0;
    if (!m->is_done && (!is_over || !acknowledge(f, m->order, 0))) {
        await_end(f, m);
    }
}

static bool take_new_order(struct fleet *f, const struct link_message *m)
{
    /* First, so that an account that is made from now on is behind it. */
    ledger_set_order(f->owner.agents->ledger, m->order);
    take_order(f, m);
    return true;
}

/* --- at a new contact ------------------------------------------------------------------------ */

static bool take_standing(struct fleet *f, const struct link_message *m)
{
    const struct violations none = {0};
    const struct agent_key key = key_of(m);
    struct agent_account a;

    take_order(f, m);
    if (m->what < LINK_RESUME && ledger_look(f->owner.agents->ledger, &none, &key, clock_utc_ns(), &a)) {
        f->seen[a.slot].standing |= m->what;
    }
    return true;
}

/* After the last STANDING: orders the reactions that are in force here alone. */
static void fleet_put_back(struct fleet *f)
{
    const struct violations none = {0};
    struct agent_account a;

    for (uint32_t i = 0; ledger_at(f->owner.agents->ledger, &none, i, clock_utc_ns(), &a); i = a.slot + 1) {
        unsigned missing = a.standing & ~f->seen[a.slot].standing;
        const struct agent_event e = {.by = "filterd",
                                      .key = {span_str(a.tenant), span_str(a.agent)},
                                      .why = span_str("in force on this node"),
                                      .account = &a,
                                      .now_ns = clock_utc_ns()};
        for (unsigned bit = 1; bit < 1U << REACTION_KINDS; bit <<= 1) {
            const struct claim_order order = {.what = bit, .is_recorded = true};
            if ((missing & bit) != 0 && link_what_lasts(bit) && !claims_add(&f->claims, &order, &e)) {
                (void)atomic_fetch_add(&f->unclaimed, 1);
            }
        }
    }
}

static bool take_synced(struct fleet *f, const struct link_message *m)
{
    struct ledger *ledger = f->owner.agents->ledger;

    if (f->stage != FLEET_SYNCING) {
        return false;
    }
    ledger_set_order(ledger, m->order);
    fleet_put_back(f);
    ledger_give_all(ledger, LEDGER_FLEET);
    f->stage = FLEET_CURRENT;
    atomic_store(&f->is_current, true);
    log_info("fleet: in contact orders=%" PRIu64, m->order);
    return true;
}

/* --- the rest -------------------------------------------------------------------------------- */

static bool take_hello(struct fleet *f, const struct link_message *m)
{
    struct link_message answer;

    if (f->stage != FLEET_ACCEPTED) {
        return false;
    }
    link_message_init(&answer, LINK_HELLO);
    answer.order = ledger_order(f->owner.agents->ledger);
    answer.lease_ns = f->owner.is_strict ? f->owner.lease_ns : 0;
    claims_queue_again(&f->claims);
    if (f->reviews != NULL) {
        review_orders_greet(f->reviews, m);
    }
    status_learn(&f->status, m);
    for (uint32_t i = 0; i < LEDGER_MAX_DEFAULT; i++) {
        f->seen[i].standing = 0;
    }
    f->stage = FLEET_GREETED;
    return fleet_send(f, &answer);
}

static bool take_contact(struct fleet *f, const struct link_message *m)
{
    int64_t now_ns = (int64_t)clock_monotonic_ns();

    if (f->stage == FLEET_CURRENT) {
        atomic_store(&f->contact_ns, m->at_ns < now_ns ? m->at_ns : now_ns);
        atomic_store(&f->nodes, m->nodes);
    }
    return true;
}

static bool take_others(struct fleet *f, const struct link_message *m)
{
    const struct agent_key key = key_of(m);
    int64_t now_ns = clock_utc_ns();

    /* A sum of later would not decay; one of earlier is that of a moment ago. */
    struct snapshot *snapshot = f->owner.snapshot(f->owner.context);
    if (snapshot->violations.is_on) {
        agents_learn(f->owner.agents, &snapshot->violations, &key, m->score, m->at_ns < now_ns ? m->at_ns : now_ns);
    }
    snapshot_unref(snapshot);
    return true;
}

static bool take_grant(struct fleet *f, const struct link_message *m)
{
    struct claim c;

    if (!claims_take(&f->claims, m->id, &c)) {
        return true; /* an extension */
    }
    (void)atomic_fetch_add(m->is_done ? &f->claims_won : &f->claims_lost, 1);
    if (m->is_done && !c.is_recorded) {
        fleet_record_claim(f, &c);
    }
    if (m->order > 0 && c.what < LINK_RESUME) {
        const struct agent_key key = {span_str(c.account.tenant), span_str(c.account.agent)};
        ledger_confirm(f->owner.agents->ledger, &key, m->order);
    }
    return true;
}

static bool take_result(struct fleet *f, const struct link_message *m)
{
    const struct agent_fleet fleet = {.order = m->order, .nodes = m->nodes, .presumed = m->presumed,
                                      .missing = span_str(m->is_done ? "" : m->text), .survivors = m->survivors, .took_us = m->took_us};
    const struct agent_event e = {.event = m->is_done ? "killed" : "not_killed",
                                  .by = "fleet",
                                  .key = key_of(m),
                                  .fleet = &fleet,
                                  .now_ns = clock_utc_ns()};

    agents_record(f->owner.agents, &e);
    if (!m->is_done) {
        log_error("fleet: a kill is not acknowledged nodes=%" PRIu32 " missing=%" PRIu32 " (see the record)", m->nodes, m->missing);
    }
    return true;
}

static bool take_fetched(struct fleet *f, const struct link_message *m)
{
    rollouts_fetched(f->rollouts, m->order);
    return true;
}

static bool take_withdraw(struct fleet *f, const struct link_message *m)
{
    log_warn("fleet: the rollout of policy bundle %" PRIu64 " was stopped: %s", m->order, m->text);
    rollouts_withdraw(f->rollouts, m->order);
    return true;
}

static bool take_review(struct fleet *f, const struct link_message *m)
{
    if (f->reviews != NULL) {
        review_orders_take(f->reviews, m);
    }
    return true;
}

static bool take_review_state(struct fleet *f, const struct link_message *m)
{
    if (f->reviews != NULL) {
        review_orders_learn(f->reviews, m);
    }
    return true;
}

static bool take_status(struct fleet *f, const struct link_message *m)
{
    status_learn(&f->status, m);
    return true;
}

bool fleet_take(struct fleet *f, const struct link_message *m)
{
    static bool (*const takes[LINK_KINDS])(struct fleet *, const struct link_message *) = {
        [LINK_HELLO] = take_hello,   [LINK_CONTACT] = take_contact,   [LINK_OTHERS] = take_others, [LINK_GRANT] = take_grant,
        [LINK_STANDING] = take_standing, [LINK_SYNCED] = take_synced, [LINK_ORDER] = take_new_order, [LINK_RESULT] = take_result,
        [LINK_FETCHED] = take_fetched, [LINK_WITHDRAW] = take_withdraw,
        [LINK_REVIEW_TAKE] = take_review, [LINK_REVIEW_STATE] = take_review_state,
        [LINK_NODE] = take_status, [LINK_BUNDLE] = take_status,
    };

    return takes[m->kind] != NULL && takes[m->kind](f, m);
}
