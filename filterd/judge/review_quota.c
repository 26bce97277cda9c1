#include "judge/review_quota.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdio.h>

_Static_assert(REVIEW_QUOTA_RULES < COUNT(((struct review_quota *)NULL)->entries), "open addressing needs free entries");

enum { FINDINGS_MAX = 64, MONDAY = 3 /* days from a week's beginning to 1970-01-01 */ };

static const int64_t week_ns = INT64_C(7) * 86400 * 1000000000;

void review_quota_init(struct review_quota *q)
{
    memset(q, 0, sizeof(*q));
    q->is_on = true;
    (void)pthread_mutex_init(&q->lock, NULL);
}

/* Names are the operator's: a collision is no more than a sample too few. */
static uint64_t key_of(const struct exchange *x, const struct rule *rule)
{
    static const uint8_t no_secret[crypto_shorthash_KEYBYTES];
    const struct span names[] = {x->policy->name, rule->id};
    uint64_t key = 0;

    for (size_t i = 0; i < COUNT(names); i++) {
        uint64_t hash = 0;
        (void)crypto_shorthash((uint8_t *)&hash, (const uint8_t *)(names[i].len == 0 ? "" : names[i].ptr), names[i].len, no_secret);
        key = key * UINT64_C(0x9e3779b97f4a7c15) + hash;
    }
    return key == 0 ? 1 : key;
}

/* NULL: there are too many rules. */
static struct review_quota_entry *find(struct review_quota *q, uint64_t key, bool *is_new)
{
    size_t at = (size_t)(key % COUNT(q->entries));

    while (q->entries[at].key != 0 && q->entries[at].key != key) {
        at = (at + 1) % COUNT(q->entries);
    }
    struct review_quota_entry *e = &q->entries[at];
    *is_new = e->key == 0;
    if (*is_new && q->n == REVIEW_QUOTA_RULES) {
        return NULL;
    }
    q->n += *is_new;
    e->key = key;
    return e;
}

/* When the slot opens. */
static bool open_slot(struct review_quota_entry *e, unsigned slot, const uint8_t key[DIGEST_KEY], struct error *err)
{
    char text[96], hex[DIGEST_TOKEN_HEX + 1];

    if (e->has_slot && e->slot == slot) {
        return true;
    }
    (void)snprintf(text, sizeof(text), "review-slot:%016" PRIx64 ":%" PRId64 ":%u", e->key, e->week, slot);
    if (!digest_token(key, span_str(text), hex, err)) {
        return false;
    }
    e->opens = digest_fraction(hex);
    e->slot = slot;
    e->has_slot = true;
    return true;
}

/* How many samples should have been taken since the week began. */
static bool count_due(struct review_quota_entry *e, int64_t now_ns, unsigned per_week, const uint8_t key[DIGEST_KEY], unsigned *due,
                      struct error *err)
{
    int64_t since_ns = now_ns + MONDAY * (week_ns / 7) - e->week * week_ns;
    double at = since_ns < 0 ? 0 : (double)since_ns / (double)week_ns * per_week; /* the clock may have been set back */
    unsigned slot = at >= per_week ? per_week - 1 : (unsigned)at;

    if (!open_slot(e, slot, key, err)) {
        return false;
    }
    *due = slot + (at - slot >= e->opens);
    return true;
}

static bool take(struct review_quota *q, const struct exchange *x, const struct rule *rule, unsigned per_week,
                 const uint8_t key[DIGEST_KEY], bool *is_due, struct error *err)
{
    int64_t week = (x->now_ns + MONDAY * (week_ns / 7)) / week_ns;
    bool is_new;
    struct review_quota_entry *e = find(q, key_of(x, rule), &is_new);
    unsigned due = 0;

    *is_due = false;
    if (e == NULL) {
        return true;
    }
    bool is_other_week = is_new || e->week < week;
    if (is_other_week) {
        *e = (struct review_quota_entry){.key = e->key, .week = week};
    }
    if (!count_due(e, x->now_ns, per_week, key, &due, err)) {
        return false;
    }
    e->taken = is_new && due > 0 ? due - 1 : e->taken;
    *is_due = e->taken < due;
    e->taken += *is_due;
    return true;
}

static bool is_first_of_rule(const struct exchange *x, size_t at)
{
    for (size_t i = 0; i < at; i++) {
        if (x->findings[i].rule == x->findings[at].rule) {
            return false;
        }
    }
    return true;
}

bool review_quota_draw(struct review_quota *q, const struct exchange *x, unsigned per_week, const uint8_t key[DIGEST_KEY],
                       const struct rule **rule, struct error *err)
{
    bool is_drawn = true;

    *rule = NULL;
    (void)pthread_mutex_lock(&q->lock);
    for (size_t i = 0; is_drawn && per_week > 0 && i < x->n_findings && i < FINDINGS_MAX; i++) {
        const struct rule *of = x->findings[i].rule;
        bool is_due = false;
        if (of != NULL && is_first_of_rule(x, i)) {
            is_drawn = take(q, x, of, per_week, key, &is_due, err);
        }
        *rule = is_due && *rule == NULL ? of : *rule;
    }
    (void)pthread_mutex_unlock(&q->lock);
    return is_drawn;
}
