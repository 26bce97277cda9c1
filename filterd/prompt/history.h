/* history.h - which messages were judged before and had no finding.
 *
 * A client sends the whole conversation with each request. A message is found again by a keyed hash of its bytes, its place, the
 * policy's digest and the speaker's tenant and agent, so a request costs what is new in it. Only keys are kept, in memory, and
 * the hash's own key is random: nothing here says what a message was. Bounded; an entry may be displaced at any time, and its
 * message is judged again. Any thread. */
#ifndef FILTERD_PROMPT_HISTORY_H
#define FILTERD_PROMPT_HISTORY_H

#include <stdint.h>

#include "judge/exchange.h"
#include "prompt/prompt_texts.h"

enum { HISTORY_KEY = 16, HISTORY_ENTRIES_DEFAULT = 64 * 1024 };

struct history;

struct history_key {
    uint8_t bytes[HISTORY_KEY];
};

/* `entries` is rounded up to a power of two; 16 bytes each. NULL when there is no memory. */
struct history *history_new(size_t entries, struct error *err);
/* Accepts NULL. */
void history_free(struct history *h);

/* What the units of one request have in common. */
struct history_scope {
    uint8_t digest[HISTORY_KEY];
};

/* Of a request by this speaker under this policy; `route` is the protocol's name for the route. */
void history_scope_of(const struct history *h, const struct exchange *x, const char *route, struct history_scope *out);
/* The key of one of its units. */
void history_key_of(const struct history *h, const struct history_scope *scope, const struct prompt_unit *u,
                    struct history_key *out);
/* Sets whether each of `n` keys is there. */
void history_find(struct history *h, const struct history_key *keys, size_t n, bool *is_known);
void history_add(struct history *h, const struct history_key *key);

#endif
