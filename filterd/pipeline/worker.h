/* worker.h - what one thread owns to judge exchanges: arena, scratch, match data.
 *
 * A worker is used by one thread at a time. After warm-up judging allocates nothing. */
#ifndef FILTERD_PIPELINE_WORKER_H
#define FILTERD_PIPELINE_WORKER_H

#include "base/arena.h"
#include "enforce/redact.h"
#include "judge/exchange.h"

struct worker_limits {
    size_t text_max;    /* bytes of one exchange, default VIEW_TEXT_MAX */
    size_t memory_max;  /* working memory of one exchange */
    size_t findings_max; /* findings of one exchange; past it: unjudged */
    unsigned depth;     /* nesting of decoded views */
};

struct worker_limits worker_limits_default(void);

struct worker;
/* `keys` are for the hash and encrypt operators; borrowed; NULL: those operators fail, and so block. */
struct worker *worker_new(const struct worker_limits *limits, const struct redaction_keys *keys,
                          struct error *err);
void worker_free(struct worker *w);

/* The memory of the current exchange: build channels in it. worker_begin empties it. */
struct arena *worker_begin(struct worker *w);
struct arena *worker_arena(struct worker *w);

/* From now on its memory is locked (base/locked_pages.h). Between two exchanges. */
void worker_lock(struct worker *w);
/* The exchange is over: locked memory is wiped at once. */
void worker_end(struct worker *w);

#endif
