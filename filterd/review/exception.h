/* exception.h - an exception from a rule, as a state machine.
 *
 *     proposed --approve--> active --until--> expired
 *         |--refuse--> refused    |
 *         |--withdraw--> withdrawn <--withdraw
 *
 * The service calls exception_step before it writes a line of the record, and the fold applies it to the line. A person other
 * than the proposer approves or refuses; an admin if the scope is wider than a value and has findings that reviewers confirmed.
 * An exception expires at `until_ms`, at most EXCEPTION_DAYS_MAX after the proposal; no step records that. Pure: the time is
 * that of the step. */
#ifndef FILTERD_REVIEW_EXCEPTION_H
#define FILTERD_REVIEW_EXCEPTION_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "review/person.h"

enum {
    EXCEPTION_DAYS_MAX = 90,
    EXCEPTION_TEXT = 128, /* bytes of a name, a token or a pattern, as in a line of the record */
};

enum exception_state {
    EXCEPTION_NONE,
    EXCEPTION_PROPOSED,
    EXCEPTION_ACTIVE,
    EXCEPTION_REFUSED,
    EXCEPTION_WITHDRAWN,
    EXCEPTION_STATES
};
/* Within one rule and one tenant: one value, an application, all values that a pattern matches. */
enum exception_width { EXCEPTION_NO_WIDTH, EXCEPTION_VALUE, EXCEPTION_APP, EXCEPTION_PATTERN, EXCEPTION_WIDTHS };
enum exception_verb {
    EXCEPTION_NO_VERB,
    EXCEPTION_PROPOSE,
    EXCEPTION_APPROVE,
    EXCEPTION_REFUSE,
    EXCEPTION_WITHDRAW,
    EXCEPTION_VERBS
};

/* Names in the record; "" for an unknown number. The inverse returns 0 for an unknown name. */
const char *exception_state_name(unsigned state);
const char *exception_width_name(unsigned width);
const char *exception_verb_name(unsigned verb);
unsigned exception_width_of(struct span name);
unsigned exception_verb_of(struct span name);

/* What the exception would have let through, counted when it was proposed. */
struct exception_preview {
    uint64_t findings, confirmed; /* confirmed: items closed as true positives */
    bool is_cut;                  /* the counts are truncated */
};

/* What is proposed. */
struct exception_scope {
    char tenant[EXCEPTION_TEXT + 1]; /* "": requests without a tenant */
    char rule[EXCEPTION_TEXT + 1];
    enum exception_width width;
    char text[EXCEPTION_TEXT + 1]; /* the value's token, the application, the pattern */
    int64_t until_ms;              /* UTC, exclusive: the first moment of a day */
    uint64_t item;                 /* line of the decision; 0: none */
    struct exception_preview preview;
};

struct exception {
    enum exception_state state;
    struct exception_scope scope;
    char by[PERSON_NAME + 1], decided_by[PERSON_NAME + 1], withdrawn_by[PERSON_NAME + 1];
};

struct exception_event {
    enum exception_verb verb;
    int64_t ts_ms; /* UTC */
    struct span by;
    bool is_admin;                       /* `by` has the role admin */
    const struct exception_scope *scope; /* of EXCEPTION_PROPOSE */
};

/* `after` may be `before`. INVALID: not possible in that state; DENIED: not permitted to that person; MALFORMED: the scope is
 * incomplete. */
MUST_CHECK bool exception_step(const struct exception *before, const struct exception_event *e, struct exception *after,
                               struct error *err);

/* The scope is wider than a value, and reviewers confirmed findings in it or the preview is truncated. */
bool exception_needs_admin(const struct exception_scope *scope);
/* Active and not expired. */
static inline bool exception_applies(const struct exception *x, int64_t now_ms)
{
    return x->state == EXCEPTION_ACTIVE && now_ms < x->scope.until_ms;
}

#endif
