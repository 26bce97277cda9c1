/* recall.h - what was found in messages of requests that were judged before: where, and by which rule, not what.
 *
 * A client sends the whole conversation with each request. What was found in a message is found there again without a search,
 * and then decided anew, as exceptions end and names differ. Kept are rules and places; the text is the client's, who has it.
 *
 * A ring of places: the newest overwrite the oldest. A message whose places are overwritten is judged again. Any thread. */
#ifndef FILTERD_PROMPT_RECALL_H
#define FILTERD_PROMPT_RECALL_H

#include "base/arena.h"
#include "judge/exchange.h"

enum { RECALL_KEY = 16, RECALL_FINDINGS_MAX = 512 /* of one message */ };

/* A finding without its value, which is the text at its place, or none. */
struct recalled {
    uint32_t rule;    /* in the set of rules */
    uint32_t channel; /* of the message, from 0 */
    uint32_t from, to, match_from;
    uint32_t checks_passed, contexts_found;
    uint8_t source, view;
    bool has_value, is_over_limit;
    double confidence;
    const char *transform; /* static */
};

struct recall;

/* `places` is how many findings are kept, `messages` how many messages, rounded up to a power of two. */
struct recall *recall_new(size_t places, size_t messages, struct error *err);
/* Accepts NULL. */
void recall_free(struct recall *r);

/* Whether the message is known: its findings in *items, in the arena, in order of channel; there may be none. False with err set
 * when there is no memory. */
MUST_CHECK bool recall_find(struct recall *r, const uint8_t key[RECALL_KEY], struct arena *a, bool *is_known, struct recalled **items,
                            size_t *n, struct error *err);
/* Does nothing for more than RECALL_FINDINGS_MAX. */
void recall_add(struct recall *r, const uint8_t key[RECALL_KEY], const struct recalled *items, size_t n);

/* Of a finding in a channel with this text, the n-th of its message; false when its value does not stand there as it is, so
 * that it would have to be kept. */
MUST_CHECK bool recalled_of(const struct exchange *x, const struct finding *f, uint32_t channel, struct recalled *out);
/* The finding again, not decided on yet. */
struct finding recalled_finding(const struct exchange *x, const struct recalled *r, struct span text);

#endif
