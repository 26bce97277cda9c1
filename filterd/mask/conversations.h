/* conversations.h - the maskings of conversations, by the caller's id of one or by a handle.
 *
 * A conversation belongs to an owner: with another owner it is absent, and the same id is another conversation. Its key is
 * derived from a random key that only this process has, the owner and the id, so that a conversation that was dropped gets the
 * same pseudonyms when it goes on. One without id has a random key, and only its handle finds it. A handle is 128 random bits.
 *
 * Bounded in number and memory: those used least recently make room for the one that is opened, unless an exchange uses them. One that was not used for the idle time is dropped with the next
 * call, or by the table's own thread. Who holds a reference of the masking keeps it. Nothing is on disk. Any thread. */
#ifndef FILTERD_MASK_CONVERSATIONS_H
#define FILTERD_MASK_CONVERSATIONS_H

#include "mask/masking.h"

enum {
    CONVERSATION_OWNER = 32,
    CONVERSATION_ID_MAX = 1024,
    CONVERSATION_HANDLE = 16,
    CONVERSATION_HANDLE_TEXT = 2 * CONVERSATION_HANDLE, /* lower-case hexadecimal */
};

/* The identity of the caller that may use a conversation, compared as a whole. */
struct conversation_owner {
    uint8_t bytes[CONVERSATION_OWNER];
};

struct conversations_options {
    size_t max;
    uint64_t idle_ns;
    struct masking_limits limits; /* of each, without budget */
    uint64_t bytes_max;           /* of all together */
};

/* Since the start; never what is in them. */
struct conversations_counts {
    size_t open;
    uint64_t bytes;
    uint64_t opened, expired, displaced;
};

struct conversations;

/* NULL with NO_MEMORY or INTERNAL. */
struct conversations *conversations_new(const struct conversations_options *options, struct error *err);
/* Starts the thread that drops the idle ones. */
MUST_CHECK bool conversations_start(struct conversations *c, struct error *err);
/* Ends the thread. No masking may be referenced any more. Accepts NULL. */
void conversations_free(struct conversations *c);

/* The masking of the conversation, new when there is none: a reference for the caller. `id` has at most CONVERSATION_ID_MAX
 * bytes; empty: always a new one. `now_ns` is clock_monotonic_ns. NULL with INVALID, NO_MEMORY or INTERNAL. */
struct masking *conversations_open(struct conversations *c, const struct conversation_owner *owner, struct span id, uint64_t now_ns,
                                   char handle[CONVERSATION_HANDLE_TEXT + 1], struct error *err);
/* A masking of no conversation, with a random key: for one exchange. NULL with NO_MEMORY or INTERNAL. */
struct masking *conversations_exchange(struct conversations *c, struct error *err);
/* The masking of that handle: a reference for the caller; NULL when there is none, or it is another owner's. */
struct masking *conversations_find(struct conversations *c, const struct conversation_owner *owner, struct span handle,
                                   uint64_t now_ns);
/* Drops those that were idle for too long, as the thread does. */
void conversations_expire(struct conversations *c, uint64_t now_ns);
void conversations_count(struct conversations *c, struct conversations_counts *out);

#endif
