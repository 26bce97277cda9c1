#include <math.h>

#include "base/clock.h"
#include "fleet/fleet_parts.h"

/* Nodes see a crossing within a second of each other, as long as they look that often. */
#define SLACK_NS INT64_C(3000000000)

enum { LOOK_MS = 1000, PARTS_AT_ONCE = 256 };

static bool is_policy(const char *by)
{
    return by != NULL && strcmp(by, "policy") == 0;
}

/* The highest threshold with that reaction that the score has reached; below 0: none. */
static double level_of(const struct violations *v, unsigned reaction, double score)
{
    double level = -1;

    for (size_t i = 0; i < v->n_thresholds; i++) {
        if ((v->thresholds[i].reactions & reaction) != 0 && ledger_shown(score) >= v->thresholds[i].at) {
            level = v->thresholds[i].at;
        }
    }
    return level;
}

static int64_t until_of(const struct violations *v, double level, double score, int64_t now_ns)
{
    double halvings = level > 0 && score > level ? log2(score / level) : 0;

    return now_ns + SLACK_NS + (int64_t)(fmin(halvings, 64) * (double)v->half_life_ns);
}

/* --- claims ------------------------------------------------------------------------------ */

bool fleet_claim(void *context, unsigned reaction, const struct agent_event *cause)
{
    struct fleet *f = context;
    bool is_ours = is_policy(cause->by) && atomic_load(&f->is_current);
    struct claim_order order = {.what = reaction, .is_recorded = !is_ours};

    if (!atomic_load(&f->is_current) || (!link_what_lasts(reaction) && !is_ours)) {
        return false; /* what lasts is ordered at the next contact */
    }
    if (!link_what_lasts(reaction)) {
        struct snapshot *snapshot = f->owner.snapshot(f->owner.context);
        order.level = fmax(0, level_of(&snapshot->violations, reaction, cause->account->score));
        order.until_ns = until_of(&snapshot->violations, order.level, cause->account->score, cause->now_ns);
        snapshot_unref(snapshot);
    }
    bool is_taken = claims_add(&f->claims, &order, cause);
    (void)atomic_fetch_add(&f->unclaimed, !is_taken);
    f->owner.agents->fleet.wake(f);
    return is_taken && is_ours;
}

void fleet_lift(void *context, bool is_revival, const struct agent_event *cause)
{
    struct fleet *f = context;
    const struct claim_order order = {.what = is_revival ? LINK_REVIVE : LINK_RESUME, .is_recorded = true};

    if (!claims_add(&f->claims, &order, cause)) {
        (void)atomic_fetch_add(&f->unclaimed, 1);
    }
    f->owner.agents->fleet.wake(f);
}

void fleet_record_claim(struct fleet *f, const struct claim *c)
{
    const struct agent_event e = {.by = c->by,
                                  .key = {span_str(c->account.tenant), span_str(c->account.agent)},
                                  .why = span_str(c->why),
                                  .exchange = c->has_exchange ? &c->exchange : NULL,
                                  .account = &c->account,
                                  .now_ns = c->now_ns};

    agents_record_reaction(f->owner.agents, c->what, &e);
}

/* --- parts ------------------------------------------------------------------------------- */

/* False for a name that the database could not hold. */
static bool put_names(struct link_message *m, const struct agent_account *a)
{
    return link_text_set(m->tenant, sizeof(m->tenant), span_str(a->tenant)) &&
           link_text_set(m->agent, sizeof(m->agent), span_str(a->agent));
}

void fleet_send_parts(struct fleet *f)
{
    struct ledger *ledger = f->owner.agents->ledger;
    struct snapshot *snapshot = f->owner.snapshot(f->owner.context);
    struct agent_account a;
    struct link_message m;
    bool is_sent = snapshot->violations.is_on;

    for (unsigned i = 0; i < PARTS_AT_ONCE && is_sent && ledger_take_changed(ledger, LEDGER_FLEET, &a); i++) {
        if (!a.is_used) {
            continue; /* its part fades, or was set to 0 by the order that removed it */
        }
        link_message_init(&m, LINK_PART);
        m.score = fmin(a.score, LINK_SCORE_MAX);
        m.at_ns = a.last_ns;
        m.half_life_ns = snapshot->violations.half_life_ns;
        m.order = a.order;
        is_sent = !put_names(&m, &a) || fleet_send(f, &m);
        if (!is_sent) {
            ledger_give_back(ledger, LEDGER_FLEET, a.slot);
        }
    }
    snapshot_unref(snapshot);
}

/* What an agent stays above is claimed for as long as it will be, so that no node takes it for a new crossing. */
static bool extend(struct fleet *f, const struct violations *v, const struct agent_account *a, int64_t now_ns)
{
    static const unsigned reactions[] = {REACTION_ALERT, REACTION_THROTTLE};
    struct fleet_seen *seen = &f->seen[a->slot];
    struct link_message m;
    int64_t earliest_ns = 0;

    if (seen->first_ns == a->first_ns && seen->until_ns - now_ns > SLACK_NS / 2) {
        return true;
    }
    for (size_t i = 0; i < COUNT(reactions); i++) {
        double level = level_of(v, reactions[i], a->score);
        if (level < 0) {
            continue;
        }
        link_message_init(&m, LINK_CLAIM);
        m.what = reactions[i];
        m.score = level;
        m.order = a->order;
        m.at_ns = now_ns;
        m.until_ns = until_of(v, level, a->score, now_ns);
        if (put_names(&m, a) && !fleet_send(f, &m)) {
            return false;
        }
        earliest_ns = earliest_ns == 0 || m.until_ns < earliest_ns ? m.until_ns : earliest_ns;
    }
    *seen = (struct fleet_seen){.standing = seen->standing, .first_ns = a->first_ns, .until_ns = earliest_ns};
    return true;
}

static bool look_at(struct fleet *f, const struct violations *v, const struct agent_account *a, int64_t now_ns)
{
    struct link_message m;

    if (v->n_thresholds == 0 || a->score < v->thresholds[0].at / 2 || agent_state_is_stopped(a->state)) {
        return true;
    }
    link_message_init(&m, LINK_LOOK);
    return !put_names(&m, a) || (fleet_send(f, &m) && extend(f, v, a, now_ns));
}

void fleet_look(struct fleet *f, int64_t now_ms)
{
    int64_t now_ns = clock_utc_ns();
    struct agent_account a;

    if (f->looking_at >= LEDGER_MAX_DEFAULT) {
        if (now_ms - f->looked_ms < LOOK_MS) {
            return;
        }
        f->looked_ms = now_ms;
        f->looking_at = 0;
    }
    struct snapshot *snapshot = f->owner.snapshot(f->owner.context);
    const struct violations *v = &snapshot->violations;
    bool is_sent = v->is_on;
    while (is_sent && ledger_at(f->owner.agents->ledger, v, f->looking_at, now_ns, &a)) {
        is_sent = look_at(f, v, &a, now_ns);
        f->looking_at = is_sent ? a.slot + 1 : f->looking_at;
    }
    f->looking_at = is_sent || !v->is_on ? LEDGER_MAX_DEFAULT : f->looking_at;
    snapshot_unref(snapshot);
}
