/* exception.h - an exception from a rule, from its proposal to its end, as a state machine.
 *
 *     proposed --approve--> active --until--> expired
 *         |--refuse--> refused    |
 *         |--withdraw--> withdrawn <--withdraw
 *
 * The same function decides what a person may do and what a line of the record means. Another person than the proposer
 * approves or refuses; one that is wider than a value, over findings that reviewers confirmed, needs an admin; every one ends
 * after EXCEPTION_DAYS_MAX at the latest. Its end needs no step: it is read from `until_ms`. Pure: the time is that of the
 * step. */
#ifndef FILTERD_REVIEW_EXCEPTION_H
#define FILTERD_REVIEW_EXCEPTION_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "review/person.h"

enum {
    EXCEPTION_DAYS_MAX = 90,
    EXCEPTION_TEXT = 128, /* bytes of a name, a token or a pattern: as much as a line of the record has of it */
};

enum exception_state {
    EXCEPTION_NONE,
    EXCEPTION_PROPOSED,
    EXCEPTION_ACTIVE,
    EXCEPTION_REFUSED,
    EXCEPTION_WITHDRAWN,
    EXCEPTION_STATES
};
/* Of one rule and one tenant: one value, all of an application, all values that a pattern matches. */
enum exception_width { EXCEPTION_NO_WIDTH, EXCEPTION_VALUE, EXCEPTION_APP, EXCEPTION_PATTERN, EXCEPTION_WIDTHS };
enum exception_verb {
    EXCEPTION_NO_VERB,
    EXCEPTION_PROPOSE,
    EXCEPTION_APPROVE,
    EXCEPTION_REFUSE,
    EXCEPTION_WITHDRAW,
    EXCEPTION_VERBS
};

/* Words of the record; "" for numbers that have none. The inverse gives 0 for no word. */
const char *exception_state_name(unsigned state);
const char *exception_width_name(unsigned width);
const char *exception_verb_name(unsigned verb);
unsigned exception_width_of(struct span name);
unsigned exception_verb_of(struct span name);

/* What it would have let through: counted when it was proposed. */
struct exception_preview {
    uint64_t findings, confirmed; /* confirmed: true positives to reviewers */
    bool is_cut;                  /* there may be more */
};

/* What is proposed. */
struct exception_scope {
    char tenant[EXCEPTION_TEXT + 1]; /* "": of requests without one */
    char rule[EXCEPTION_TEXT + 1];
    enum exception_width width;
    char text[EXCEPTION_TEXT + 1]; /* the value's token, the application, the pattern */
    int64_t until_ms;              /* UTC, exclusive: the first moment of a day */
    uint64_t item;                 /* line that it is about; 0: none */
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
    bool is_admin;                       /* `by` acts as one */
    const struct exception_scope *scope; /* of EXCEPTION_PROPOSE */
};

/* `after` may be `before`. INVALID: not in that state; DENIED: not by that person; MALFORMED: what is proposed lacks
 * something. */
MUST_CHECK bool exception_step(const struct exception *before, const struct exception_event *e, struct exception *after,
                               struct error *err);

/* It is wide, and reviewers confirmed findings that it covers, or nobody knows. */
bool exception_needs_admin(const struct exception_scope *scope);
/* It lets through what it covers. */
static inline bool exception_applies(const struct exception *x, int64_t now_ms)
{
    return x->state == EXCEPTION_ACTIVE && now_ms < x->scope.until_ms;
}

#endif
