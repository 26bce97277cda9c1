/* reveals.h - requests for originals in review.db: their table, folded from lines of type reveal, and readers.
 *
 * filterd-decision-log(5) describes the lines. A line that the state does not permit changes nothing. Readers compute expiry
 * (reveal_is_granted). */
#ifndef FILTERD_REVIEW_REVEALS_H
#define FILTERD_REVIEW_REVEALS_H

#include "review/reveal.h"
#include "review/review_find.h"
#include "review/review_fold.h"

enum { REVEAL_ID = 36 };

struct reveal_row {
    uint64_t seq; /* of the line of the request */
    char id[REVEAL_ID + 1];
    struct reveal reveal;
    char why[REVEAL_TEXT + 1];      /* of the request */
    int64_t asked_ms, changed_ms; /* UTC */
};

extern const char reveals_tables[];
extern const struct review_fold_part reveals_part;

struct reveals_query {
    struct span tenant, by;  /* ptr NULL: all */
    enum reveal_state state; /* REVEAL_NONE: all */
    uint64_t item;           /* 0: all */
    uint64_t before;         /* 0: from the newest on */
    unsigned limit;          /* at least 1 */
};
typedef bool reveal_fn(void *context, const struct reveal_row *row, struct error *err);
/* Newest first. *next: `before` of the next page; 0: this is the last page. */
MUST_CHECK bool reveals_find(struct review_reader *r, const struct reveals_query *q, reveal_fn *take, void *context, uint64_t *next,
                             struct error *err);
/* NOT_FOUND: unknown id, or of another tenant. */
MUST_CHECK bool reveals_at(struct review_reader *r, struct span id, struct span tenant, struct reveal_row *out, struct error *err);

#endif
