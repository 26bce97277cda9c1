/* replay_text.h - the texts of a sealed exchange, as they can be judged again.
 *
 * The plaintext of a sealed original is read by filterd-seal(7). Only one with what "exchange" and without "partial" has all
 * that was judged. What is read lives in the arena or in the plaintext. No state: any thread. */
#ifndef FILTERD_CTL_REPLAY_REPLAY_TEXT_H
#define FILTERD_CTL_REPLAY_REPLAY_TEXT_H

#include "base/arena.h"
#include "judge/exchange.h"

struct replay_text {
    struct span req_id;
    struct identity who;     /* as given, which policies compare; empty parts where the original does not say */
    bool has_names;          /* it does */
    struct span policy_name; /* under which it was judged; empty: it does not say */
    bool is_whole; /* all texts of the exchange, to their ends */
    struct channel *channels;
    size_t n;
};

/* MALFORMED with what was expected, never with what is there. */
MUST_CHECK bool replay_text_read(struct arena *a, struct span json, struct replay_text *out, struct error *err);

/* Of a process that opens originals: no core dumps, no other process of the user reads its memory, memory is wiped when it is
 * freed and locked against swapping where the limit of locked memory allows all of it. */
MUST_CHECK bool replay_guard_memory(struct error *err);

#endif
