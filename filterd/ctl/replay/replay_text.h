/* replay_text.h - parses the plaintext of a sealed original into channels, to be judged again.
 *
 * The format is in filterd-seal(7). Only an original with what "exchange" and without "partial" has everything that was judged.
 * Spans refer to the arena or to the plaintext. No state: any thread. */
#ifndef FILTERD_CTL_REPLAY_REPLAY_TEXT_H
#define FILTERD_CTL_REPLAY_REPLAY_TEXT_H

#include "base/arena.h"
#include "judge/exchange.h"

struct replay_text {
    struct span req_id;
    struct identity who;     /* as given by the caller, for conditions; parts that the original lacks are empty */
    bool has_names;          /* the original has them */
    struct span policy_name; /* under which it was judged; empty: not in the original */
    bool is_whole; /* has all texts of the exchange, complete */
    struct channel *channels;
    size_t n;
};

/* MALFORMED with what was expected, never with content. */
MUST_CHECK bool replay_text_read(struct arena *a, struct span json, struct replay_text *out, struct error *err);

/* Protects a process that decrypts originals: no core dumps, no tracing, memory wiped when freed, and all memory locked if the
 * limit of locked memory is unlimited. */
MUST_CHECK bool replay_guard_memory(struct error *err);

#endif
