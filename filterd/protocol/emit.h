/* emit.h - writing of messages: the parts that may leave, with what built events repeat. */
#ifndef FILTERD_PROTOCOL_EMIT_H
#define FILTERD_PROTOCOL_EMIT_H

#include "protocol/translation.h"

/* Removes the parts that wait from the message, and writes the rest. */
MUST_CHECK bool emit(struct translation *t, struct node *message, struct error *err);
/* Writes a message in which nothing waits. */
MUST_CHECK bool emit_whole(struct translation *t, struct node *message, struct error *err);
/* Like emit, unless all of its texts are held: then it stores only the waiting parts. */
MUST_CHECK bool emit_released(struct translation *t, struct node *message, bool says_nothing,
                              struct error *err);
/* Appends head, the text as a JSON string, tail. */
MUST_CHECK bool json_around(const char *head, struct span text, const char *tail, struct buf *out,
                            struct error *err);
/* The envelope as a tree, from which to build an event. */
struct node *envelope(struct translation *t, struct error *err);
/* The same with the usage, for an event that replaces the end of the answer. */
struct node *ending_envelope(struct translation *t, struct error *err);
/* Stores the parts of this message that built events repeat. */
MUST_CHECK bool envelope_take(struct translation *t, const struct node *root, struct error *err);
/* The kept parts of the message along the path to `leaf`, and the leaf; NULL leaf: of the root. */
struct node *skeleton_of(struct translation *t, const struct node *root, const struct node *leaf,
                         struct error *err);

/* --- the usage of an answer, which a block repeats: cost.c --- */
/* Stores the usage if the message has it. */
MUST_CHECK bool cost_take(struct translation *t, const struct node *root, struct error *err);
/* Whether to read a stream that is blocked now for its usage, from the next message on. */
bool cost_await(struct translation *t, const struct error *why);
/* Whether to read on for it: it has not come, and not too much was read. */
bool cost_is_missing(const struct translation *t);
/* Writes the event with the usage, if it is known and requested. */
MUST_CHECK bool cost_emit(struct translation *t, struct error *err);
/* Adds the stored usage to the object. */
MUST_CHECK bool cost_add(struct translation *t, struct node *to, struct error *err);

#endif
