#include "enforce/ledger_table.h"

#include <stdlib.h>

struct ledger *ledger_new(uint32_t max, struct error *err)
{
    struct ledger *l = calloc(1, sizeof(*l));

    if (l != NULL) {
        (void)pthread_mutex_init(&l->lock, NULL);
        l->max = max;
        for (l->n_buckets = 16; l->n_buckets < 2 * max; l->n_buckets *= 2) {
        }
        l->buckets = calloc(l->n_buckets, sizeof(*l->buckets));
        l->accounts = calloc(max, sizeof(*l->accounts));
    }
    if (l == NULL || l->buckets == NULL || l->accounts == NULL) {
        ledger_free(l);
        error_set(err, ERROR_NO_MEMORY, "ledger: no memory");
        return NULL;
    }
    for (uint32_t i = max; i > 0; i--) {
        l->accounts[i - 1].next = l->free;
        l->free = i;
    }
    return l;
}

void ledger_free(struct ledger *l)
{
    if (l != NULL) {
        (void)pthread_mutex_destroy(&l->lock);
        free(l->buckets);
        free(l->accounts);
        free(l);
    }
}

/* FNV-1a. Names that collide on purpose make a bucket slow, never long: the table is bounded. */
static uint32_t bucket_of(const struct ledger *l, const struct agent_key *key)
{
    const struct span parts[] = {key->tenant, span_of("", 1), key->agent};
    uint64_t hash = 0xcbf29ce484222325;

    for (size_t i = 0; i < COUNT(parts); i++) {
        for (size_t k = 0; k < parts[i].len; k++) {
            hash = (hash ^ (unsigned char)parts[i].ptr[k]) * 0x100000001b3;
        }
    }
    return (uint32_t)(hash ^ hash >> 32) & (l->n_buckets - 1);
}

static struct agent_key key_of(const struct account *a)
{
    return (struct agent_key){span_of(a->tenant, a->tenant_len), span_of(a->agent, a->agent_len)};
}

struct account *ledger_table_find(struct ledger *l, const struct agent_key *key)
{
    for (uint32_t i = l->buckets[bucket_of(l, key)]; i != 0; i = l->accounts[i - 1].next) {
        struct account *a = &l->accounts[i - 1];
        struct agent_key own = key_of(a);
        if (span_equal(own.agent, key->agent) && span_equal(own.tenant, key->tenant)) {
            return a;
        }
    }
    return NULL;
}

void ledger_table_tell(struct ledger *l, enum ledger_reader reader, struct account *a)
{
    if (!a->is_changed[reader]) {
        a->is_changed[reader] = true;
        a->next_changed[reader] = l->first_changed[reader];
        l->first_changed[reader] = (uint32_t)(a - l->accounts) + 1;
    }
}

void ledger_table_changed(struct ledger *l, struct account *a)
{
    for (unsigned i = 0; i < LEDGER_READERS; i++) {
        ledger_table_tell(l, (enum ledger_reader)i, a);
    }
}

void ledger_table_remove(struct ledger *l, struct account *a)
{
    struct agent_key key = key_of(a);
    uint32_t *link = &l->buckets[bucket_of(l, &key)];
    uint32_t index = (uint32_t)(a - l->accounts) + 1;

    while (*link != index) {
        link = &l->accounts[*link - 1].next;
    }
    *link = a->next;
    a->is_used = false;
    a->next = l->free;
    l->free = index;
    l->n--;
    l->held[a->share]--;
    ledger_table_changed(l, a);
}

uint8_t ledger_share_of(unsigned caller)
{
    return caller == 0 ? 0 : (uint8_t)(1 + (caller - 1) % (LEDGER_SHARES - 1));
}

struct account *ledger_table_add(struct ledger *l, const struct agent_key *key, uint8_t share)
{
    struct account *a = &l->accounts[l->free - 1];
    struct account fresh = {.is_used = true,
                            .share = share,
                            .order = l->order,
                            .tenant_len = (uint16_t)key->tenant.len,
                            .agent_len = (uint16_t)key->agent.len};
    uint32_t *bucket = &l->buckets[bucket_of(l, key)];

    memcpy(fresh.is_changed, a->is_changed, sizeof(fresh.is_changed));
    memcpy(fresh.next_changed, a->next_changed, sizeof(fresh.next_changed));
    l->free = a->next;
    *a = fresh;
    if (key->tenant.len > 0) {
        memcpy(a->tenant, key->tenant.ptr, key->tenant.len);
    }
    if (key->agent.len > 0) {
        memcpy(a->agent, key->agent.ptr, key->agent.len);
    }
    a->next = *bucket;
    *bucket = (uint32_t)(a - l->accounts) + 1;
    l->n++;
    l->held[a->share]++;
    return a;
}

/* --- orders of the fleet, accounts given to readers again ---------------------- */

void ledger_set_order(struct ledger *l, uint64_t order)
{
    (void)pthread_mutex_lock(&l->lock);
    l->order = order > l->order ? order : l->order;
    (void)pthread_mutex_unlock(&l->lock);
}

uint64_t ledger_order(struct ledger *l)
{
    (void)pthread_mutex_lock(&l->lock);
    uint64_t order = l->order;
    (void)pthread_mutex_unlock(&l->lock);
    return order;
}

void ledger_confirm(struct ledger *l, const struct agent_key *key, uint64_t order)
{
    (void)pthread_mutex_lock(&l->lock);
    struct account *a = ledger_table_find(l, key);
    if (a != NULL && order > a->order) {
        a->order = order;
        ledger_table_tell(l, LEDGER_STORE, a);
    }
    (void)pthread_mutex_unlock(&l->lock);
}

void ledger_give_back(struct ledger *l, enum ledger_reader reader, uint32_t slot)
{
    (void)pthread_mutex_lock(&l->lock);
    ledger_table_tell(l, reader, &l->accounts[slot]);
    (void)pthread_mutex_unlock(&l->lock);
}

void ledger_give_all(struct ledger *l, enum ledger_reader reader)
{
    (void)pthread_mutex_lock(&l->lock);
    for (uint32_t i = 0; i < l->max; i++) {
        if (l->accounts[i].is_used) {
            ledger_table_tell(l, reader, &l->accounts[i]);
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
}
