#include "prompt/recall.h"

#include <pthread.h>
#include <stdlib.h>

#include "policy/rule_set.h"

enum { WAYS = 4 };

struct message {
    uint8_t key[RECALL_KEY];
    uint64_t first; /* place in the endless sequence of places; n of them */
    uint32_t n;
    bool is_used;
};

struct set {
    struct message messages[WAYS];
    unsigned next; /* the oldest */
};

struct recall {
    pthread_mutex_t lock; /* guards all below */
    struct recalled *ring;
    size_t ring_size;
    uint64_t end; /* of the endless sequence: the next place */
    size_t mask;
    struct set sets[];
};

struct recall *recall_new(size_t places, size_t messages, struct error *err)
{
    size_t n = 1;

    while (n * WAYS < messages) {
        n *= 2;
    }
    struct recall *r = calloc(1, sizeof(*r) + n * sizeof(r->sets[0]));
    struct recalled *ring = r == NULL ? NULL : calloc(places, sizeof(*ring));
    if (ring == NULL) {
        free(r);
        error_set(err, ERROR_NO_MEMORY, "history: no memory");
        return NULL;
    }
    r->ring = ring;
    r->ring_size = places;
    r->mask = n - 1;
    (void)pthread_mutex_init(&r->lock, NULL);
    return r;
}

void recall_free(struct recall *r)
{
    if (r != NULL) {
        (void)pthread_mutex_destroy(&r->lock);
        free(r->ring);
        free(r);
    }
}

/* --- messages ------------------------------------------------------------------- */

static struct set *set_of(struct recall *r, const uint8_t key[RECALL_KEY])
{
    uint64_t hash;

    memcpy(&hash, key, sizeof(hash));
    return &r->sets[hash & r->mask];
}

/* NULL: unknown, or its places are overwritten. */
static const struct message *find_message(struct recall *r, const uint8_t key[RECALL_KEY])
{
    const struct set *s = set_of(r, key);

    for (size_t i = 0; i < WAYS; i++) {
        const struct message *m = &s->messages[i];
        if (m->is_used && memcmp(m->key, key, RECALL_KEY) == 0 && r->end - m->first <= r->ring_size) {
            return m;
        }
    }
    return NULL;
}

bool recall_find(struct recall *r, const uint8_t key[RECALL_KEY], struct arena *a, bool *is_known, struct recalled **items,
                 size_t *n, struct error *err)
{
    bool has_memory = true;

    (void)pthread_mutex_lock(&r->lock);
    const struct message *m = find_message(r, key);
    *is_known = m != NULL;
    *n = m != NULL ? m->n : 0;
    *items = NULL;
    if (*n > 0) {
        *items = arena_array(a, *n, sizeof(**items), err);
        has_memory = *items != NULL;
        for (size_t i = 0; has_memory && i < *n; i++) {
            (*items)[i] = r->ring[(m->first + i) % r->ring_size];
        }
    }
    (void)pthread_mutex_unlock(&r->lock);
    return has_memory;
}

void recall_add(struct recall *r, const uint8_t key[RECALL_KEY], const struct recalled *items, size_t n)
{
    if (n > RECALL_FINDINGS_MAX || n > r->ring_size) {
        return;
    }
    (void)pthread_mutex_lock(&r->lock);
    if (find_message(r, key) == NULL) {
        struct set *s = set_of(r, key);
        struct message *m = &s->messages[s->next++ % WAYS];
        *m = (struct message){.first = r->end, .n = (uint32_t)n, .is_used = true};
        memcpy(m->key, key, RECALL_KEY);
        for (size_t i = 0; i < n; i++) {
            r->ring[r->end++ % r->ring_size] = items[i];
        }
    }
    (void)pthread_mutex_unlock(&r->lock);
}

/* --- findings ------------------------------------------------------------------- */

bool recalled_of(const struct exchange *x, const struct finding *f, uint32_t channel, struct recalled *out)
{
    struct span text = x->channels[f->channel].text;
    bool is_of_text = f->source == FINDING_RULE || f->source == FINDING_CLASSIFIER;

    if (!is_of_text || f->to > UINT32_MAX || (f->value.len > 0 && !span_equal(f->value, span_slice(text, f->from, f->to)))) {
        return false;
    }
    *out = (struct recalled){.rule = rule_set_index(x->snapshot->rules, f->rule),
                             .channel = channel,
                             .from = (uint32_t)f->from,
                             .to = (uint32_t)f->to,
                             .match_from = (uint32_t)f->match_from,
                             .checks_passed = f->checks_passed,
                             .contexts_found = f->contexts_found,
                             .source = (uint8_t)f->source,
                             .view = (uint8_t)f->view,
                             .has_value = f->value.len > 0,
                             .is_over_limit = f->is_over_limit,
                             .confidence = f->confidence,
                             .transform = f->transform};
    return true;
}

struct finding recalled_finding(const struct exchange *x, const struct recalled *r, struct span text)
{
    const struct rule *rule = &x->snapshot->rules->rules[r->rule];

    return (struct finding){.source = (enum finding_source)r->source,
                            .rule = rule,
                            .from = r->from,
                            .to = r->to,
                            .match_from = r->match_from,
                            .view = (enum view_kind)r->view,
                            .transform = r->transform,
                            .confidence = r->confidence,
                            .is_shadow = rule->is_shadow,
                            .is_over_limit = r->is_over_limit,
                            .checks_passed = r->checks_passed,
                            .contexts_found = r->contexts_found,
                            .value = r->has_value ? span_slice(text, r->from, r->to) : (struct span){0}};
}
