#include "service/reviews_seen.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>

#include "service/reviews.h"

struct reviews_seen_entry {
    bool is_used;
    uint8_t key[REVIEWS_SEEN_HASH], request[REVIEWS_SEEN_HASH]; /* who and their key; what was asked */
    struct review_answer answer;
};

static void add(crypto_generichash_state *state, const void *bytes, size_t len)
{
    uint64_t length = len;

    (void)crypto_generichash_update(state, (const uint8_t *)&length, sizeof(length));
    if (len > 0) {
        (void)crypto_generichash_update(state, bytes, len);
    }
}

static void add_number(crypto_generichash_state *state, uint64_t number)
{
    add(state, &number, sizeof(number));
}

static void hash_key(const char *by, const struct review_request *q, uint8_t out[REVIEWS_SEEN_HASH])
{
    crypto_generichash_state state;

    (void)crypto_generichash_init(&state, NULL, 0, REVIEWS_SEEN_HASH);
    add(&state, by, strlen(by));
    add(&state, q->key.ptr, q->key.len);
    (void)crypto_generichash_final(&state, out, REVIEWS_SEEN_HASH);
}

static void hash_request(const struct review_request *q, uint8_t out[REVIEWS_SEEN_HASH])
{
    crypto_generichash_state state;

    (void)crypto_generichash_init(&state, NULL, 0, REVIEWS_SEEN_HASH);
    add_number(&state, q->verb);
    add(&state, q->items, q->n_items * sizeof(*q->items));
    add(&state, q->group, q->has_group ? sizeof(q->group) : 0);
    add_number(&state, q->disposition);
    add(&state, q->assignee.ptr, q->assignee.len);
    add(&state, q->note.ptr, q->note.len);
    add_number(&state, (uint64_t)q->snooze.until_ms);
    add_number(&state, q->snooze.more);
    add_number(&state, q->snooze.until_policy);
    add_number(&state, q->undo_of);
    (void)crypto_generichash_final(&state, out, REVIEWS_SEEN_HASH);
}

bool reviews_seen_find(const struct reviews_seen *s, const char *by, const struct review_request *q, struct review_answer *out)
{
    uint8_t key[REVIEWS_SEEN_HASH], request[REVIEWS_SEEN_HASH];

    if (q->key.len == 0 || s->entries == NULL) {
        return false;
    }
    hash_key(by, q, key);
    hash_request(q, request);
    for (unsigned i = 0; i < REVIEWS_SEEN; i++) {
        const struct reviews_seen_entry *e = &s->entries[i];
        if (!e->is_used || memcmp(e->key, key, sizeof(key)) != 0) {
            continue;
        }
        if (memcmp(e->request, request, sizeof(request)) == 0) {
            *out = e->answer;
        } else {
            *out = (struct review_answer){.status = 422};
            (void)snprintf(out->detail, sizeof(out->detail), "Idempotency-Key: one that was not used for another request expected");
        }
        return true;
    }
    return false;
}

void reviews_seen_add(struct reviews_seen *s, const char *by, const struct review_request *q, const struct review_answer *a)
{
    if (q->key.len == 0 || a->status != 200) {
        return;
    }
    if (s->entries == NULL) {
        s->entries = calloc(REVIEWS_SEEN, sizeof(*s->entries));
    }
    if (s->entries == NULL) {
        return; /* versions still tell a step that was taken */
    }
    struct reviews_seen_entry *e = &s->entries[s->next];
    s->next = (s->next + 1) % REVIEWS_SEEN;
    e->is_used = true;
    e->answer = *a;
    hash_key(by, q, e->key);
    hash_request(q, e->request);
}

void reviews_seen_deinit(struct reviews_seen *s)
{
    free(s->entries);
    *s = (struct reviews_seen){0};
}
