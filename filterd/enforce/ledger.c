#include "enforce/ledger_table.h"

#include <math.h>

enum { HAND_STEPS = 256 };

const char *agent_state_name(enum agent_state state)
{
    static const char *const names[] = {"revoked", "killed", "frozen", "cut", "throttled", "active"};

    return names[state];
}

bool agent_state_is_stopped(enum agent_state state)
{
    return state <= AGENT_FROZEN;
}

/* --- scores --------------------------------------------------------------- */

static double decayed(double score, int64_t at_ns, int64_t half_life_ns, int64_t now_ns)
{
    if (half_life_ns <= 0 || now_ns <= at_ns) {
        return score;
    }
    return score * exp2(-(double)(now_ns - at_ns) / (double)half_life_ns);
}

/* With what other nodes count. */
static double score_at(const struct account *a, int64_t half_life_ns, int64_t now_ns)
{
    return decayed(a->score, a->last_ns, half_life_ns, now_ns) + decayed(a->others, a->others_ns, half_life_ns, now_ns);
}

/* Not below what was reached already: a clock that is set back must not bring a score forward. */
static void settle(struct account *a, const struct violations *v, int64_t now_ns)
{
    a->score = decayed(a->score, a->last_ns, v->half_life_ns, now_ns);
    a->last_ns = now_ns > a->last_ns ? now_ns : a->last_ns;
}

/* As it is shown: four events of 25 within a moment are 100, although the first has begun to fade. */
double ledger_shown(double score)
{
    return floor(score * 10 + 0.5) / 10;
}

/* All that thresholds in (from, to] do; from < 0: all up to `to`. */
static unsigned reactions_between(const struct violations *v, double from, double to)
{
    unsigned reactions = 0;

    for (size_t i = 0; i < v->n_thresholds; i++) {
        if (v->thresholds[i].at > ledger_shown(from) && v->thresholds[i].at <= ledger_shown(to)) {
            reactions |= v->thresholds[i].reactions;
        }
    }
    return reactions;
}

static enum agent_state state_of(const struct account *a, const struct violations *v, double score)
{
    static const struct {
        unsigned reactions;
        enum agent_state state;
    } states[] = {{REACTION_REVOKE, AGENT_REVOKED},
                  {REACTION_KILL, AGENT_KILLED},
                  {REACTION_FREEZE | REACTION_ASK, AGENT_FROZEN},
                  {REACTION_CUT_NETWORK, AGENT_CUT}};

    for (size_t i = 0; i < COUNT(states); i++) {
        if ((a->standing & states[i].reactions) != 0) {
            return states[i].state;
        }
    }
    return (reactions_between(v, -1, score) & REACTION_THROTTLE) != 0 ? AGENT_THROTTLED : AGENT_ACTIVE;
}

static void copy_out(const struct ledger *l, const struct account *a, const struct violations *v, int64_t now_ns,
                     struct agent_account *out)
{
    double score = score_at(a, v->half_life_ns, now_ns);

    *out = (struct agent_account){.state = state_of(a, v, score),
                                  .score = score,
                                  .standing = a->standing,
                                  .asked_ns = a->asked_ns,
                                  .first_ns = a->first_ns,
                                  .last_ns = a->last_ns,
                                  .order = a->order,
                                  .slot = (uint32_t)(a - l->accounts),
                                  .is_used = a->is_used};
    memcpy(out->tenant, a->tenant, a->tenant_len);
    memcpy(out->agent, a->agent, a->agent_len);
    memcpy(out->counts, a->counts, sizeof(out->counts));
}

static void copy_none(const struct agent_key *key, struct agent_account *out)
{
    *out = (struct agent_account){.state = AGENT_ACTIVE};
    if (key->tenant.len > 0 && key->tenant.len <= LEDGER_NAME_MAX) {
        memcpy(out->tenant, key->tenant.ptr, key->tenant.len);
    }
    if (key->agent.len > 0 && key->agent.len <= LEDGER_NAME_MAX) {
        memcpy(out->agent, key->agent.ptr, key->agent.len);
    }
}

/* --- room ----------------------------------------------------------------- */

/* Of the accounts of one share: a forgotten one, else the weakest that is active; that only where the thresholds are known,
 * which say what is active. Looks at HAND_STEPS of them at most, from where it last stopped. */
static struct account *find_to_give(struct ledger *l, const struct violations *v, int64_t now_ns, unsigned share)
{
    struct account *weakest = NULL;
    double least = v->half_life_ns > 0 ? HUGE_VAL : LEDGER_FORGOTTEN;
    unsigned seen = 0;

    for (uint32_t i = 0; i < l->max && seen < HAND_STEPS; i++) {
        struct account *a = &l->accounts[l->hand];
        l->hand = (l->hand + 1) % l->max;
        if (!a->is_used || a->share != share) {
            continue;
        }
        seen++;
        double score = score_at(a, v->half_life_ns, now_ns);
        if (score < least && state_of(a, v, score) == AGENT_ACTIVE) {
            least = score;
            weakest = a;
        }
        if (least < LEDGER_FORGOTTEN) {
            break;
        }
    }
    l->displaced += weakest != NULL && least >= LEDGER_FORGOTTEN;
    return weakest;
}

static unsigned largest_share(const struct ledger *l)
{
    unsigned largest = 0;

    for (unsigned i = 1; i < LEDGER_SHARES; i++) {
        largest = l->held[i] > l->held[largest] ? i : largest;
    }
    return largest;
}

/* True when there may be a new account of that share; one that is given up for it is removed. */
static bool make_room(struct ledger *l, const struct violations *v, uint8_t share, int64_t now_ns)
{
    bool has_its_share = share != 0 && l->held[share] >= l->max - l->max / 4;

    if (l->free != 0 && !has_its_share) {
        return true;
    }
    struct account *a = find_to_give(l, v, now_ns, has_its_share ? share : largest_share(l));
    if (a != NULL) {
        ledger_table_remove(l, a);
    }
    return a != NULL;
}

/* Copies are NUL-terminated, so that a name with a NUL byte would be another's. */
static bool is_name(struct span name)
{
    return name.len == 0 || (name.len <= LEDGER_NAME_MAX && memchr(name.ptr, '\0', name.len) == NULL);
}

static struct account *find_or_make(struct ledger *l, const struct violations *v, const struct ledger_event *event,
                                    struct error *err)
{
    const struct agent_key *key = event->key;
    uint8_t share = ledger_share_of(event->caller);
    struct account *a = ledger_table_find(l, key);

    if (a != NULL) {
        return a;
    }
    if (!is_name(key->agent) || key->agent.len == 0 || !is_name(key->tenant)) {
        error_set(err, ERROR_INVALID, "ledger: an agent's name of 1 to %d bytes expected", LEDGER_NAME_MAX);
        return NULL;
    }
    if (!make_room(l, v, share, event->now_ns)) {
        l->overflows++;
        error_set(err, ERROR_LIMIT, "ledger: all %u accounts, or those of the caller, are in use", l->max);
        return NULL;
    }
    a = ledger_table_add(l, key, share);
    a->first_ns = a->last_ns = event->now_ns;
    return a;
}

/* --- what happens --------------------------------------------------------- */

/* The states that hold until a revival. */
static void stand(struct account *a, unsigned reactions, int64_t now_ns)
{
    const unsigned lasting =
        REACTION_CUT_NETWORK | REACTION_FREEZE | REACTION_ASK | REACTION_KILL | REACTION_REVOKE;

    a->standing |= reactions & lasting;
    if ((reactions & REACTION_ASK) != 0 && a->asked_ns == 0) {
        a->asked_ns = now_ns;
    }
    if ((reactions & (REACTION_KILL | REACTION_REVOKE)) != 0) {
        a->asked_ns = 0; /* there is nothing left to ask */
    }
}

static void count(struct account *a, const struct violations *v, unsigned kinds)
{
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        if ((kinds >> i & 1U) != 0) {
            a->score += v->weights[i];
            a->counts[i] += a->counts[i] < UINT32_MAX;
        }
    }
}

/* The reactions to what the score crossed since it was `before`. */
static unsigned react(struct account *a, const struct violations *v, double before, int64_t now_ns)
{
    unsigned due = reactions_between(v, before, score_at(a, v->half_life_ns, now_ns)) & ~a->standing;

    stand(a, due, now_ns);
    return due;
}

bool ledger_add(struct ledger *l, const struct violations *v, const struct ledger_event *event,
                struct agent_account *after, unsigned *due, struct error *err)
{
    (void)pthread_mutex_lock(&l->lock);
    struct account *a = find_or_make(l, v, event, err);
    if (a != NULL) {
        settle(a, v, event->now_ns);
        double before = score_at(a, v->half_life_ns, event->now_ns);
        count(a, v, event->kinds);
        *due = react(a, v, before, event->now_ns);
        ledger_table_changed(l, a);
        copy_out(l, a, v, event->now_ns, after);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

bool ledger_look(struct ledger *l, const struct violations *v, const struct agent_key *key, int64_t now_ns,
                 struct agent_account *out)
{
    (void)pthread_mutex_lock(&l->lock);
    const struct account *a = ledger_table_find(l, key);
    if (a != NULL) {
        copy_out(l, a, v, now_ns, out);
    } else {
        copy_none(key, out);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

bool ledger_admit(struct ledger *l, const struct violations *v, const struct agent_key *key, int64_t now_ns,
                  struct agent_account *out, int64_t *wait_ns)
{
    bool is_admitted = true;

    *wait_ns = 0;
    (void)pthread_mutex_lock(&l->lock);
    struct account *a = ledger_table_find(l, key);
    if (a == NULL) {
        copy_none(key, out);
    } else {
        copy_out(l, a, v, now_ns, out);
        int64_t waited = now_ns - a->admitted_ns;
        if (out->state == AGENT_THROTTLED && waited >= 0 && waited < v->throttle_ns) {
            *wait_ns = v->throttle_ns - waited;
            is_admitted = false;
        } else if (out->state == AGENT_THROTTLED) {
            a->admitted_ns = now_ns;
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    return is_admitted;
}

bool ledger_has_room(struct ledger *l, const struct violations *v, const struct ledger_event *event)
{
    (void)pthread_mutex_lock(&l->lock);
    bool has_account = ledger_table_find(l, event->key) != NULL;
    bool has_room = has_account || make_room(l, v, ledger_share_of(event->caller), event->now_ns);
    (void)pthread_mutex_unlock(&l->lock);
    return has_room;
}

bool ledger_stand(struct ledger *l, const struct agent_key *key, unsigned reactions, int64_t now_ns,
                  struct agent_account *out, struct error *err)
{
    const struct violations none = {0};

    (void)pthread_mutex_lock(&l->lock);
    struct account *a = find_or_make(l, &none, &(struct ledger_event){.key = key, .now_ns = now_ns}, err);
    if (a != NULL) {
        stand(a, reactions, now_ns);
        ledger_table_changed(l, a);
        copy_out(l, a, &none, now_ns, out);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

bool ledger_revive(struct ledger *l, const struct agent_key *key, int64_t now_ns, struct agent_account *before)
{
    const struct violations none = {0};

    (void)pthread_mutex_lock(&l->lock);
    struct account *a = ledger_table_find(l, key);
    if (a != NULL) {
        copy_out(l, a, &none, now_ns, before);
        ledger_table_remove(l, a);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

bool ledger_resume(struct ledger *l, const struct agent_key *key, int64_t now_ns, struct agent_account *out)
{
    const struct violations none = {0};

    (void)pthread_mutex_lock(&l->lock);
    struct account *a = ledger_table_find(l, key);
    if (a != NULL) {
        a->standing &= ~(unsigned)(REACTION_FREEZE | REACTION_ASK);
        a->asked_ns = 0;
        ledger_table_changed(l, a);
        copy_out(l, a, &none, now_ns, out);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

bool ledger_next_unanswered(struct ledger *l, const struct violations *v, int64_t now_ns, struct agent_account *out)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&l->lock);
    for (uint32_t i = 0; i < l->max && l->n > 0 && !is_found; i++) {
        struct account *a = &l->accounts[i];
        if (a->is_used && a->asked_ns != 0 && now_ns - a->asked_ns >= v->ask_ns) {
            a->asked_ns = 0;
            ledger_table_changed(l, a);
            copy_out(l, a, v, now_ns, out);
            is_found = true;
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    return is_found;
}

/* --- looking -------------------------------------------------------------- */

bool ledger_at(struct ledger *l, const struct violations *v, uint32_t from, int64_t now_ns, struct agent_account *out)
{
    bool is_found = false;

    (void)pthread_mutex_lock(&l->lock);
    for (uint32_t i = from; i < l->max && !is_found; i++) {
        if (l->accounts[i].is_used) {
            copy_out(l, &l->accounts[i], v, now_ns, out);
            is_found = true;
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    return is_found;
}

uint32_t ledger_count(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint32_t n = l->n;
    (void)pthread_mutex_unlock(&l->lock);
    return n;
}

uint64_t ledger_overflows(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t n = l->overflows;
    (void)pthread_mutex_unlock(&l->lock);
    return n;
}

uint64_t ledger_displaced(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t n = l->displaced;
    (void)pthread_mutex_unlock(&l->lock);
    return n;
}

/* --- the fleet's side ------------------------------------------------------ */

bool ledger_learn(struct ledger *l, const struct violations *v, const struct agent_key *key, double others, int64_t now_ns,
                  struct agent_account *after, unsigned *due)
{
    (void)pthread_mutex_lock(&l->lock);
    struct account *a = ledger_table_find(l, key);
    if (a != NULL) {
        double before = score_at(a, v->half_life_ns, now_ns);
        a->others = others;
        a->others_ns = now_ns;
        *due = react(a, v, before, now_ns);
        if (*due != 0) {
            ledger_table_tell(l, LEDGER_STORE, a);
        }
        copy_out(l, a, v, now_ns, after);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}

/* --- the readers' side ----------------------------------------------------- */

bool ledger_take_changed(struct ledger *l, enum ledger_reader reader, struct agent_account *out)
{
    const struct violations none = {0};

    (void)pthread_mutex_lock(&l->lock);
    bool is_there = l->first_changed[reader] != 0;
    if (is_there) {
        struct account *a = &l->accounts[l->first_changed[reader] - 1];
        l->first_changed[reader] = a->next_changed[reader];
        a->is_changed[reader] = false;
        copy_out(l, a, &none, a->last_ns, out);
        out->score = a->score;
    }
    (void)pthread_mutex_unlock(&l->lock);
    return is_there;
}

bool ledger_restore(struct ledger *l, const struct agent_account *from, struct error *err)
{
    const struct violations none = {0};
    const struct agent_key key = {span_str(from->tenant), span_str(from->agent)};

    (void)pthread_mutex_lock(&l->lock);
    struct account *a = find_or_make(l, &none, &(struct ledger_event){.key = &key, .now_ns = from->last_ns}, err);
    if (a != NULL) {
        a->score = from->score;
        a->standing = from->standing;
        a->first_ns = from->first_ns;
        a->last_ns = from->last_ns;
        a->asked_ns = from->asked_ns;
        a->order = from->order;
        l->order = from->order > l->order ? from->order : l->order;
        memcpy(a->counts, from->counts, sizeof(a->counts));
        ledger_table_changed(l, a);
    }
    (void)pthread_mutex_unlock(&l->lock);
    return a != NULL;
}
