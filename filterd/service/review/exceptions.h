/* exceptions.h - previews, proposes, approves, refuses and withdraws exceptions.
 *
 * A change holds the lock of reviews.h: it reads the state from review.db, tries the step (review/exception.h), judges the entered
 * text, writes the line to disk, and waits until review.db has it. If a policy has live exceptions, an approval then writes
 * their file and reloads; a withdrawal removes the exception from the file before it writes the line, so that a crash never leaves
 * in force what the record says is withdrawn.
 *
 * Blocks: only for threads of the pool. */
#ifndef FILTERD_SERVICE_REVIEW_EXCEPTIONS_H
#define FILTERD_SERVICE_REVIEW_EXCEPTIONS_H

#include "review/exceptions.h"
#include "service/reviews.h"

/* From the decision in line `item`. Texts are borrowed. */
struct exception_proposal {
    uint64_t item;
    enum exception_width width;
    struct span rule;    /* of one of its findings; empty: the rule that decided */
    struct span value_tok; /* of EXCEPTION_VALUE: of one of the rule's findings; empty: the first that has one */
    struct span matches; /* of EXCEPTION_PATTERN */
    struct span until;   /* a date */
    struct span why;
};

struct exception_answer {
    unsigned status; /* 200; 403, 404, 409, 422; 503: the detail says whether the step is recorded */
    char detail[REVIEWS_DETAIL];
    uint64_t line; /* of the record; of a decision that came as an order alone */
    bool has_row;
    struct exception_row row; /* current state; of a preview only the scope */
};

/* Counts what the proposal would let through. */
void exceptions_preview(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out);
void exceptions_propose(struct service *s, const struct caller *c, const struct exception_proposal *p, struct exception_answer *out);
/* Approves, refuses or withdraws. */
void exceptions_change(struct service *s, const struct caller *c, enum exception_verb verb, struct span id,
                       struct exception_answer *out);

/* Appends an entry of a policy's `exceptions`, to be pasted by a person. */
MUST_CHECK bool exceptions_policy_line(const struct exception_row *row, struct buf *out, struct error *err);

#endif
