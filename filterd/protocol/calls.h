/* calls.h - tool calls: assembled from their pieces, then judged as documents of JSON or as free text. */
#ifndef FILTERD_PROTOCOL_CALLS_H
#define FILTERD_PROTOCOL_CALLS_H

#include "base/buf.h"
#include "protocol/wire/tree.h"

struct translation;

enum { CALLS_MAX = 256 };

/* A tool call that is being assembled. */
struct call {
    size_t part, index;
    bool is_text;   /* the arguments are free text, not JSON */
    bool has_ended; /* nothing more of it may come */
    struct buf id, type, name, arguments;
};

struct call *call_open(struct translation *t, size_t part, size_t index, struct error *err);
/* Takes id, type and name from a piece of a call; the name may arrive in pieces. */
MUST_CHECK bool call_take(struct call *c, const struct node *id, const struct node *type,
                          const struct node *name, struct error *err);
void calls_free(struct translation *t);

struct call_verdict {
    bool is_withheld;
    struct span arguments; /* to deliver; lives as long as the current message */
};

/* The notice for an omitted call. */
struct span call_notice(const struct translation *t);
/* Judges a call. `is_cut`: the answer was truncated in it or right after it. It is then omitted
 * without a block, unless its arguments are a complete JSON value. */
MUST_CHECK bool call_judge(struct translation *t, const struct call *c, bool is_cut,
                           struct call_verdict *out, struct error *err);
/* The same for a call in one piece: changes its arguments in place. */
MUST_CHECK bool call_judge_value(struct translation *t, struct node *name, struct node *arguments,
                                 bool *is_withheld, struct error *err);
/* Whether the arguments are complete JSON, so that a truncation of the answer did not cut them. */
bool call_is_whole(const struct node *arguments);

#endif
