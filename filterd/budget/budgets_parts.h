/* budgets_parts.h - inside budget: the accounts by their keys, in shards, each with a lock of its own. */
#ifndef FILTERD_BUDGET_BUDGETS_PARTS_H
#define FILTERD_BUDGET_BUDGETS_PARTS_H

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>

#include "budget/budget_account.h"
#include "budget/budgets.h"

enum { SHARDS = 16 };

struct shard {
    _Alignas(64) pthread_mutex_t lock;
    struct account **buckets;
    uint32_t n_buckets, hand;
    uint32_t looked_s, looks; /* since then */
    size_t max, bytes;
    size_t held[BUDGET_CALLERS]; /* bytes, by caller */
    uint64_t n;
    struct account *changed;
};

struct budgets {
    uint8_t key[crypto_shorthash_siphashx24_KEYBYTES];
    struct shard shards[SHARDS];
    atomic_bool is_unstored;
    _Atomic uint64_t refused;
    void (*wake)(void *context); /* NULL: changes are not kept */
    void *context;
};

/* With the lock of its shard: the store is to write the account. */
void budgets_note_change(struct budgets *b, struct shard *s, struct account *a);

#endif
