/* budget_changes.c - which accounts the store is to write. */
#include "budget/budgets_parts.h"

void budgets_keep_changes(struct budgets *b, void (*wake)(void *context), void *context)
{
    b->context = context;
    b->wake = wake;
}

void budgets_note_change(struct budgets *b, struct shard *s, struct account *a)
{
    if (b->wake == NULL || a->is_changed) {
        return;
    }
    bool is_first = s->changed == NULL;
    a->is_changed = true;
    a->next_changed = s->changed;
    s->changed = a;
    if (is_first) {
        b->wake(b->context);
    }
}

void budgets_give_all(struct budgets *b)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        struct shard *s = &b->shards[i];
        (void)pthread_mutex_lock(&s->lock);
        for (uint32_t bucket = 0; bucket < s->n_buckets; bucket++) {
            for (struct account *a = s->buckets[bucket]; a != NULL; a = a->next) {
                budgets_note_change(b, s, a);
            }
        }
        (void)pthread_mutex_unlock(&s->lock);
    }
}
