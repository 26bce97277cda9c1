/* reveal.h - a request for one sealed original, as a state machine.
 *
 *     asked --approve--> granted --open--> opened --open again, with a reason--> opened
 *       |--refuse--> refused  |--close--> closed <--close--|
 *
 * The service calls reveal_step before it writes a line of the record, and the fold applies it to the line. A person other than
 * the requester approves or refuses; only the requester opens, within REVEAL_GRANT_MS of the approval; a grant is for one item.
 * A grant expires at `until_ms`; no step records that. Pure: the time is that of the step. */
#ifndef FILTERD_REVIEW_REVEAL_H
#define FILTERD_REVIEW_REVEAL_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"
#include "review/person.h"

enum { REVEAL_GRANT_MS = 60 * 60 * 1000, REVEAL_TEXT = 128 };

enum reveal_state {
    REVEAL_NONE,
    REVEAL_ASKED,
    REVEAL_GRANTED,
    REVEAL_OPENED,
    REVEAL_REFUSED,
    REVEAL_CLOSED,
    REVEAL_STATES
};
enum reveal_verb { REVEAL_NO_VERB, REVEAL_ASK, REVEAL_APPROVE, REVEAL_REFUSE, REVEAL_OPEN, REVEAL_CLOSE, REVEAL_VERBS };
enum reveal_purpose {
    REVEAL_NO_PURPOSE,
    REVEAL_INCIDENT,
    REVEAL_SUBJECT_REQUEST, /* a data subject asks for their data */
    REVEAL_QUALITY,
    REVEAL_LEGAL,
    REVEAL_PURPOSES
};

/* Names in the record; "" for an unknown number. The inverse returns 0 for an unknown name. */
const char *reveal_state_name(unsigned state);
const char *reveal_verb_name(unsigned verb);
const char *reveal_purpose_name(unsigned purpose);
unsigned reveal_verb_of(struct span name);
unsigned reveal_purpose_of(struct span name);

/* What is requested. */
struct reveal_scope {
    char tenant[REVEAL_TEXT + 1]; /* of the item; "": none */
    uint64_t item;                /* line of the decision */
    char blob[REVEAL_TEXT + 1];   /* id of the sealed file */
    enum reveal_purpose purpose;
    char matter[REVEAL_TEXT + 1]; /* the case */
};

struct reveal {
    enum reveal_state state;
    struct reveal_scope scope;
    char by[PERSON_NAME + 1], decided_by[PERSON_NAME + 1];
    int64_t until_ms; /* of a grant, UTC, exclusive */
    unsigned opened;  /* how often */
};

struct reveal_event {
    enum reveal_verb verb;
    int64_t ts_ms; /* UTC */
    struct span by, why;
    int64_t until_ms;                 /* of REVEAL_APPROVE */
    const struct reveal_scope *scope; /* of REVEAL_ASK */
};

/* `after` may be `before`. INVALID: not possible in that state, or expired; DENIED: not permitted to that person; MALFORMED: the
 * scope or a reason is missing. */
MUST_CHECK bool reveal_step(const struct reveal *before, const struct reveal_event *e, struct reveal *after, struct error *err);

/* Whether the requester may have the key of the sealed file: while the grant lasts; it needs no step. Errors as above. */
MUST_CHECK bool reveal_may_have_key(const struct reveal *r, struct span by, int64_t now_ms, struct error *err);

/* The requester may open it. */
static inline bool reveal_is_granted(const struct reveal *r, int64_t now_ms)
{
    return (r->state == REVEAL_GRANTED || r->state == REVEAL_OPENED) && now_ms < r->until_ms;
}

#endif
