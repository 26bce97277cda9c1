/* history.h - which messages were judged before.
 *
 * A client sends the whole conversation with each request. A message is found again by a keyed hash of its bytes, its place, the
 * policy's digest and the caller's tenant and agent, so a request costs what is new in it. Of a message without a finding only
 * the key is kept; where something was found in another is kept by the same key (recall.h), for the names that a policy may depend
 * on. Keys are in memory, and the hash's own key is random: nothing here says what a message was. Bounded; an entry may be
 * displaced at any time, and its message is judged again. Any thread. */
#ifndef FILTERD_PROMPT_HISTORY_H
#define FILTERD_PROMPT_HISTORY_H

#include <stdint.h>

#include "judge/exchange.h"
#include "prompt/nh.h"
#include "prompt/prompt_texts.h"
#include "prompt/recall.h"

enum { HISTORY_KEY = 16, HISTORY_ENTRIES_DEFAULT = 64 * 1024, HISTORY_PLACES = 64 * 1024, HISTORY_FOUND = 16 * 1024 };

struct history;

struct history_key {
    uint8_t bytes[HISTORY_KEY];
};

/* `entries` is rounded up to a power of two; 20 bytes each, and some 5 MiB for what was found. NULL when there is no memory. */
struct history *history_new(size_t entries, struct error *err);
/* Accepts NULL. */
void history_free(struct history *h);

/* What the units of one request have in common. */
struct history_scope {
    uint8_t digest[HISTORY_KEY];
};

/* Of a request by this caller under this policy; `route` is the protocol's name for the route. */
void history_scope_of(const struct history *h, const struct exchange *x, const char *route, struct history_scope *out);
/* The same for this caller's names in the policy, and this conversation; NULL: for any. What is decided about a finding may depend
 * on the names, and what is found in a text on the pseudonyms of the conversation. */
void history_names_of(const struct history *h, const struct exchange *x, const char *route, const struct masking *masking,
                      struct history_scope *out);
/* What keys are made of, of each text behind the other: its length, then its sums (nh.h). */
static inline size_t history_n_sums(struct span text)
{
    return 1 + nh_n_sums(text);
}
void history_sums_of(const struct history *h, struct span text, uint64_t *out);
/* The keys of its units. `sums` are theirs; NULL: they are made here. */
void history_keys_of(const struct history *h, const struct history_scope *scope, const struct prompt_unit *units, size_t n,
                     const uint64_t *sums, struct history_key *out);
/* One key for the first units, with what is between them: the last of `n_out` is that of all `n`, the one before it is without the last unit, and
 * so on. They are of one place. */
void history_keys_of_prefixes(const struct history *h, const struct history_scope *scope, const struct prompt_unit *units, size_t n,
                          const uint64_t *sums, struct history_key *out, size_t n_out);
/* The key of a message behind the one that goes on in it, whose key, or whose own key of this kind, is `before`. */
struct history_key history_key_behind(const struct history *h, const struct history_key *before, const struct history_key *message);
/* The key of what redaction made of a text; `name` is the member's. */
void history_key_of_output(const struct history *h, struct span name, struct span text, struct history_key *out);
/* The key of the same unit or output for these names. */
struct history_key history_key_for(const struct history_key *key, const struct history_scope *names);
/* Sets whether each of `n` keys is there. */
void history_find(struct history *h, const struct history_key *keys, size_t n, bool *is_known);
void history_add(struct history *h, const struct history_key *key);

/* For a message that need not be read again (survey.h): of each key 0, or what its texts are (history_texts), or HISTORY_VALID. */
void history_find_texts(struct history *h, const struct history_key *keys, size_t n, uint32_t *text_bytes);
void history_add_texts(struct history *h, const struct history_key *key, uint32_t texts);

/* One more than the bytes of its texts; and of the texts that it says itself, which a neighbour goes on from, how many
 * HISTORY_SAID_UNIT there are, at least and up to 15. HISTORY_VALID is none of these. */
enum { HISTORY_TEXTS_MAX = (1 << 28) - 2, HISTORY_SAID_UNIT = 256 };

static inline uint32_t history_texts(size_t bytes, size_t said)
{
    size_t units = said / HISTORY_SAID_UNIT;

    return bytes > HISTORY_TEXTS_MAX - 1 ? 0 : (uint32_t)(units < 15 ? units : 15) << 28 | (uint32_t)(bytes + 1);
}
static inline size_t history_texts_bytes(uint32_t texts)
{
    return (texts & ((1U << 28) - 1)) - 1;
}
static inline size_t history_texts_said(uint32_t texts)
{
    return (size_t)(texts >> 28) * HISTORY_SAID_UNIT;
}

/* A message in which something was found is not known by its key (history_find), but its bytes are valid JSON. */
#define HISTORY_VALID UINT32_MAX
void history_add_valid(struct history *h, const struct history_key *key);

/* Findings of a unit (recall.h), for these names. `key` is the unit's. */
MUST_CHECK bool history_recall(struct history *h, const struct history_key *key, const struct history_scope *names, struct arena *a,
                               bool *is_known, struct recalled **items, size_t *n, struct error *err);
void history_keep(struct history *h, const struct history_key *key, const struct history_scope *names, const struct recalled *items,
                  size_t n);

#endif
