/* ledger_table.h - the ledger's accounts by name, in memory of a fixed size; for the ledger_*.c files alone.
 *
 * Used with the lock held. Indices are stored as index + 1; 0 is none. */
#ifndef FILTERD_ENFORCE_LEDGER_TABLE_H
#define FILTERD_ENFORCE_LEDGER_TABLE_H

#include <pthread.h>

#include "enforce/ledger.h"

/* The number of callers that are counted separately; 0 is for accounts without a caller. */
enum { LEDGER_SHARES = 64 };

struct account {
    char tenant[LEDGER_NAME_MAX], agent[LEDGER_NAME_MAX];
    uint16_t tenant_len, agent_len;
    bool is_used, is_changed[LEDGER_READERS];
    uint8_t share; /* of a caller */
    uint32_t next;                         /* in its bucket */
    uint32_t next_changed[LEDGER_READERS]; /* in the lists of the changed */
    unsigned standing;
    double score;  /* at last_ns */
    double others; /* of other nodes, at others_ns */
    int64_t first_ns, last_ns, others_ns, asked_ns;
    uint64_t order;
    int64_t admitted_ns; /* when a throttled agent was last let through */
    uint32_t counts[VIOLATION_COUNT];
};

struct ledger {
    pthread_mutex_t lock;
    uint32_t max, n, hand;
    uint32_t n_buckets; /* a power of two */
    uint32_t *buckets;
    uint32_t free, first_changed[LEDGER_READERS];
    uint64_t order;
    uint64_t overflows, displaced;
    uint32_t held[LEDGER_SHARES]; /* accounts, by share */
    struct account *accounts;
};

/* Of a caller. */
uint8_t ledger_share_of(unsigned caller);
/* NULL: there is none. */
struct account *ledger_table_find(struct ledger *l, const struct agent_key *key);
/* From the free list, which is not empty. */
struct account *ledger_table_add(struct ledger *l, const struct agent_key *key, uint8_t share);
void ledger_table_remove(struct ledger *l, struct account *a);
/* That reader is to hear of it. */
void ledger_table_tell(struct ledger *l, enum ledger_reader reader, struct account *a);
/* All are. */
void ledger_table_changed(struct ledger *l, struct account *a);

#endif
