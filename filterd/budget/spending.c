#include "budget/spending.h"

#include <string.h>

#include "base/clock.h"

/* One value under one budget. */
struct charge {
    uint64_t hash;
    uint8_t budget;
    enum budget_verdict verdict;
    bool is_void; /* undone: as if it were not there */
    struct budget_hold hold;
};

struct spending {
    struct arena *arena;
    struct budgets *budgets;
    const struct policy *policy;
    struct budget_account_key keys[POLICY_BUDGETS_MAX];
    struct budget_terms terms[POLICY_BUDGETS_MAX];
    uint32_t now_s;
    uint64_t began_ns; /* monotonic */
    struct charge *charges; /* the first n_final are final */
    size_t n, n_final, cap;
    uint32_t *slots; /* index + 1, by hash; twice as many as cap */
};

/* --- whose ------------------------------------------------------------------------- */

static struct span subject_of(const struct policy_budget *b, const struct identity *who)
{
    const struct span subjects[] = {[BUDGET_PER_TENANT] = span_of(NULL, 0), /* which is in each key */
                                    [BUDGET_PER_AGENT] = who->agent,
                                    [BUDGET_PER_SESSION] = who->session,
                                    [BUDGET_PER_USER] = who->user};

    return subjects[b->per];
}

/* Exchanges without a name for the subject share one account. */
static void set_key(const struct budgets *budgets, const struct policy *policy, const struct policy_budget *b,
                    const struct identity *who, struct budget_account_key *out)
{
    const struct span parts[] = {
        policy->name,
        b->name,
        span_str(budget_per_names[b->per]),
        span_of((const char *)&b->window_ns, sizeof(b->window_ns)),
        who->tenant,
        subject_of(b, who),
    };

    budgets_key(budgets, parts, COUNT(parts), out);
}

static struct budget_terms terms_of(const struct policy_budget *b, const struct identity *who)
{
    return (struct budget_terms){.values = b->values,
                                 .window_s = (uint32_t)(b->window_ns / 1000000000),
                                 .is_observed = budget_is_observed(b),
                                 .caller = who->caller};
}

uint32_t spending_wait(struct budgets *budgets, const struct policy *policy, const struct identity *who, int64_t now_ns)
{
    uint32_t wait_s = 0;

    for (size_t i = 0; i < policy->n_budgets; i++) {
        const struct policy_budget *b = &policy->budgets[i];
        const struct budget_terms terms = terms_of(b, who);
        struct budget_account_key key;
        struct budget_level level;
        if (b->then == BUDGET_THROTTLE && !policy->is_shadow) {
            set_key(budgets, policy, b, who, &key);
            budgets_look(budgets, &key, &terms, (uint32_t)(now_ns / 1000000000), &level);
            wait_s = level.wait_s > wait_s ? level.wait_s : wait_s;
        }
    }
    return wait_s;
}

/* --- the charges -------------------------------------------------------------------- */

struct spending *spending_new(struct arena *a, struct budgets *budgets, const struct policy *policy, const struct identity *who,
                              int64_t now_ns, struct error *err)
{
    struct spending *s = arena_alloc(a, sizeof(*s), err);

    if (s == NULL) {
        return NULL;
    }
    *s = (struct spending){.arena = a,
                           .budgets = budgets,
                           .policy = policy,
                           .now_s = (uint32_t)(now_ns / 1000000000),
                           .began_ns = clock_monotonic_ns()};
    for (size_t i = 0; i < policy->n_budgets; i++) {
        set_key(budgets, policy, &policy->budgets[i], who, &s->keys[i]);
        s->terms[i] = terms_of(&policy->budgets[i], who);
    }
    return s;
}

/* The slot of the charge, or the empty one where it would be. */
static uint32_t *slot_of(const struct spending *s, unsigned budget, uint64_t hash)
{
    size_t at = (hash + budget) & (2 * s->cap - 1);

    while (s->slots[at] != 0 && (s->charges[s->slots[at] - 1].hash != hash || s->charges[s->slots[at] - 1].budget != budget)) {
        at = (at + 1) & (2 * s->cap - 1);
    }
    return &s->slots[at];
}

static void index_all(struct spending *s)
{
    memset(s->slots, 0, 2 * s->cap * sizeof(*s->slots));
    for (size_t i = 0; i < s->n; i++) {
        *slot_of(s, s->charges[i].budget, s->charges[i].hash) = (uint32_t)i + 1;
    }
}

static bool make_room(struct spending *s)
{
    size_t cap = s->cap == 0 ? 16 : 2 * s->cap;
    struct error err;

    if (s->n < s->cap) {
        return true;
    }
    struct charge *charges = arena_array(s->arena, cap, sizeof(*charges), &err);
    uint32_t *slots = charges == NULL ? NULL : arena_array(s->arena, 2 * cap, sizeof(*slots), &err);
    if (slots == NULL) {
        return false;
    }
    if (s->n > 0) {
        memcpy(charges, s->charges, s->n * sizeof(*charges));
    }
    s->charges = charges;
    s->slots = slots;
    s->cap = cap;
    index_all(s);
    return true;
}

/* NULL: it was not charged yet. */
static struct charge *find(const struct spending *s, unsigned budget, uint64_t hash)
{
    uint32_t slot = s->cap == 0 ? 0 : *slot_of(s, budget, hash);

    return slot == 0 ? NULL : &s->charges[slot - 1];
}

/* In place of one that was undone, unless that is final. NULL: memory is out. */
static struct charge *add(struct spending *s, unsigned budget, uint64_t hash)
{
    struct charge *c = find(s, budget, hash);

    if (c == NULL || c < s->charges + s->n_final) {
        c = NULL;
        if (make_room(s)) {
            *slot_of(s, budget, hash) = (uint32_t)s->n + 1;
            c = &s->charges[s->n++];
        }
    }
    if (c != NULL) {
        *c = (struct charge){.hash = hash, .budget = (uint8_t)budget};
    }
    return c;
}

static void undo(struct spending *s, struct charge *c)
{
    budgets_cancel(s->budgets, &s->keys[c->budget], c->hash, &c->hold);
    c->hold = (struct budget_hold){0};
    c->is_void = true;
}

void spending_withdraw(struct spending *s)
{
    for (size_t i = s->n_final; i < s->n; i++) {
        if (s->charges[i].hold.is_held) {
            undo(s, &s->charges[i]);
        }
    }
}

void spending_rewind(struct spending *s)
{
    if (s->n == s->n_final) {
        return;
    }
    spending_withdraw(s);
    s->n = s->n_final;
    index_all(s);
}

void spending_commit(struct spending *s)
{
    uint32_t now_s = s->now_s + (uint32_t)((clock_monotonic_ns() - s->began_ns) / 1000000000);

    for (size_t i = s->n_final; i < s->n; i++) {
        struct charge *c = &s->charges[i];
        budgets_commit(s->budgets, &s->keys[c->budget], c->hash, now_s, &c->hold);
        c->hold = (struct budget_hold){0};
    }
    s->n_final = s->n;
}

static enum budget_verdict charge_one(struct spending *s, unsigned budget, uint64_t hash)
{
    struct charge *c = find(s, budget, hash);

    if (c != NULL && !c->is_void) {
        return c->verdict;
    }
    c = add(s, budget, hash);
    if (c == NULL) {
        return BUDGET_OVER;
    }
    c->verdict = budgets_reserve(s->budgets, &s->keys[budget], &s->terms[budget], hash, s->now_s, &c->hold);
    return c->verdict;
}

/* A value that one budget withholds is disclosed by none. */
static void undo_others(struct spending *s, unsigned budgets, uint64_t hash)
{
    for (unsigned i = 0; i < s->policy->n_budgets; i++) {
        struct charge *c = (budgets & 1U << i) != 0 ? find(s, i, hash) : NULL;
        if (c != NULL && c->hold.is_held) {
            undo(s, c);
        }
    }
}

unsigned spending_charge(struct spending *s, unsigned covering, struct span value)
{
    uint64_t hash = budgets_hash(s->budgets, value);
    unsigned over = 0;
    bool is_withheld = false;

    for (unsigned i = 0; i < s->policy->n_budgets && !is_withheld; i++) {
        bool is_over = (covering & 1U << i) != 0 && charge_one(s, i, hash) == BUDGET_OVER;
        over |= (unsigned)is_over << i;
        is_withheld = is_over && !s->terms[i].is_observed;
    }
    if (is_withheld) {
        undo_others(s, covering, hash);
    }
    return over;
}

unsigned spending_charge_redacted(struct spending *s, unsigned covering, struct span value)
{
    uint64_t hash = budgets_hash(s->budgets, value);
    unsigned over = 0;

    for (unsigned i = 0; i < s->policy->n_budgets; i++) {
        const struct charge *c = find(s, i, hash);
        bool is_known = c != NULL && !c->is_void;
        if ((covering & 1U << i) == 0 || s->terms[i].is_observed) {
            continue;
        }
        if (!is_known) {
            (void)add(s, i, hash); /* over: the text is redacted there, and judged again */
        }
        over |= (unsigned)(!is_known || c->verdict == BUDGET_OVER) << i;
    }
    return over;
}

/* --- what came of it ----------------------------------------------------------------- */

bool spending_report(const struct spending *s, size_t budget, struct spent *out)
{
    struct budget_level level;

    *out = (struct spent){0};
    for (size_t i = 0; i < s->n; i++) {
        const struct charge *c = &s->charges[i];
        bool is_counted = c->budget == budget && !c->is_void;
        out->over += is_counted && c->verdict == BUDGET_OVER;
        out->disclosed += is_counted && (c->verdict == BUDGET_WITHIN || s->terms[budget].is_observed);
    }
    if (out->over + out->disclosed == 0) {
        return false;
    }
    budgets_look(s->budgets, &s->keys[budget], &s->terms[budget], s->now_s, &level);
    out->values = level.values;
    out->is_estimated = level.is_estimated;
    return true;
}
