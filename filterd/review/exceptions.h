/* exceptions.h - exceptions in review.db: their table, folded from lines of type exception, and readers.
 *
 * filterd-decision-log(5) describes the lines. A line that the state does not permit changes nothing. Expiry is computed from the
 * caller's `now`. */
#ifndef FILTERD_REVIEW_EXCEPTIONS_H
#define FILTERD_REVIEW_EXCEPTIONS_H

#include "review/exception.h"
#include "review/review_find.h"
#include "review/review_fold.h"

enum { EXCEPTION_ID = 36 };

struct exception_row {
    uint64_t seq; /* of the line of the proposal */
    char id[EXCEPTION_ID + 1];
    struct exception exception;
    char why[EXCEPTION_TEXT + 1];
    int64_t proposed_ms, changed_ms; /* UTC */
};

extern const char exceptions_tables[];
extern const struct review_fold_part exceptions_part;

struct exceptions_query {
    struct span tenant;         /* ptr NULL: all */
    struct span rule;           /* likewise */
    enum exception_state state; /* EXCEPTION_NONE: all */
    bool is_applying;           /* active, and not expired at now_ms */
    int64_t now_ms;             /* UTC */
    uint64_t before;            /* 0: from the newest on */
    unsigned limit;             /* at least 1 */
};
typedef bool exception_fn(void *context, const struct exception_row *row, struct error *err);
/* Newest first. *next: `before` of the next page; 0: this is the last page. */
MUST_CHECK bool exceptions_find(struct review_reader *r, const struct exceptions_query *q, exception_fn *take, void *context,
                                uint64_t *next, struct error *err);
/* NOT_FOUND: unknown id, or of another tenant. */
MUST_CHECK bool exceptions_at(struct review_reader *r, struct span id, struct span tenant, struct exception_row *out, struct error *err);

#endif
