/* exceptions.h - what people do with exceptions: previewed, proposed from a line of the record, approved, withdrawn.
 *
 * A change is made under the lock of reviews.h: the state is read from review.db, the step is tried on it (review/exception.h),
 * what was typed is judged like any text, the line is on disk, and review.db has it when this returns. Where a policy takes
 * live exceptions, an approval then writes their file and reloads; a withdrawal takes the exception out of the file before its
 * line, so that no crash leaves one in force that the record calls withdrawn.
 *
 * Blocks: for threads of the pool alone. */
#ifndef FILTERD_SERVICE_EXCEPTIONS_H
#define FILTERD_SERVICE_EXCEPTIONS_H

#include "review/exceptions.h"
#include "service/reviews.h"

/* From the decision in line `item`. Texts are borrowed. */
struct exception_proposal {
    uint64_t item;
    enum exception_width width;
    struct span rule;    /* of one of its findings; empty: the one that decided */
    struct span value_tok; /* of EXCEPTION_VALUE: of one of the rule's findings; empty: the first that has one */
    struct span matches; /* of EXCEPTION_PATTERN */
    struct span until;   /* a date */
    struct span why;
};

struct exception_answer {
    unsigned status; /* 200; 403, 404, 409, 422, or 503: on record or not, as the detail says */
    char detail[REVIEWS_DETAIL];
    bool has_row;
    struct exception_row row; /* as it is now; of a preview its scope alone */
};

/* What the proposal would let through. */
void exceptions_preview(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out);
void exceptions_propose(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out);
/* Approves, refuses or withdraws. */
void exceptions_change(struct service *s, const struct caller *c, enum exception_verb verb, struct span id,
                       struct exception_answer *out);

/* Appends an entry of the policy's `exceptions`, for a person to paste. */
MUST_CHECK bool exceptions_policy_line(const struct exception_row *row, struct buf *out, struct error *err);

#endif
