#include "review/reveal.h"

#include <stdio.h>

#include "review/words.h"

static const char *const states[REVEAL_STATES] = {"", "asked", "granted", "opened", "refused", "closed"};
static const char *const verbs[REVEAL_VERBS] = {"", "asked", "approved", "refused", "opened", "closed"};
static const char *const purposes[REVEAL_PURPOSES] = {"", "incident", "subject-request", "quality", "legal"};

const char *reveal_state_name(unsigned state)
{
    return words_name(states, REVEAL_STATES, state);
}

const char *reveal_verb_name(unsigned verb)
{
    return words_name(verbs, REVEAL_VERBS, verb);
}

const char *reveal_purpose_name(unsigned purpose)
{
    return words_name(purposes, REVEAL_PURPOSES, purpose);
}

unsigned reveal_verb_of(struct span name)
{
    return words_number(verbs, REVEAL_VERBS, name, 0);
}

unsigned reveal_purpose_of(struct span name)
{
    return words_number(purposes, REVEAL_PURPOSES, name, 0);
}

static bool check_asker(const struct reveal *r, struct span by, struct error *err)
{
    return (by.len > 0 && span_is(by, r->by)) || error_set(err, ERROR_DENIED, "the person who asked expected");
}

static bool check_person(const struct reveal *r, const struct reveal_event *e, struct error *err)
{
    bool is_same = person_is_same(e->by, span_str(r->by));

    if (e->by.len == 0 || e->by.len > PERSON_NAME) {
        return error_set(err, ERROR_MALFORMED, "a name of 1 to %d bytes expected", PERSON_NAME);
    }
    if ((e->verb == REVEAL_APPROVE || e->verb == REVEAL_REFUSE) && is_same) {
        return error_set(err, ERROR_DENIED, "a person other than the requester expected");
    }
    return e->verb != REVEAL_OPEN || check_asker(r, e->by, err);
}

static bool check_ask(const struct reveal_event *e, struct error *err)
{
    const struct reveal_scope *s = e->scope;
    bool is_whole = s != NULL && s->item != 0 && s->blob[0] != '\0' && s->purpose != REVEAL_NO_PURPOSE && s->matter[0] != '\0';

    return is_whole || error_set(err, ERROR_MALFORMED, "an item with a sealed original, a purpose and a case expected");
}

static bool check_approve(const struct reveal_event *e, struct error *err)
{
    return (e->until_ms > e->ts_ms && e->until_ms <= e->ts_ms + REVEAL_GRANT_MS) ||
           error_set(err, ERROR_MALFORMED, "until: an end within the hour expected");
}

static bool check_granted(const struct reveal *r, int64_t now_ms, struct error *err)
{
    return reveal_is_granted(r, now_ms) || error_set(err, ERROR_INVALID, "not possible: there is no grant, or it has expired");
}

bool reveal_may_have_key(const struct reveal *r, struct span by, int64_t now_ms, struct error *err)
{
    return check_asker(r, by, err) && check_granted(r, now_ms, err);
}

static bool check_open(const struct reveal *r, const struct reveal_event *e, struct error *err)
{
    if (!check_granted(r, e->ts_ms, err)) {
        return false;
    }
    return r->opened == 0 || e->why.len > 0 || error_set(err, ERROR_MALFORMED, "why: a reason to open it again expected");
}

/* From which states to which. */
static const struct {
    unsigned from; /* bits */
    enum reveal_state to;
} steps[REVEAL_VERBS] = {
    [REVEAL_ASK] = {1U << REVEAL_NONE, REVEAL_ASKED},
    [REVEAL_APPROVE] = {1U << REVEAL_ASKED, REVEAL_GRANTED},
    [REVEAL_REFUSE] = {1U << REVEAL_ASKED, REVEAL_REFUSED},
    [REVEAL_OPEN] = {1U << REVEAL_GRANTED | 1U << REVEAL_OPENED, REVEAL_OPENED},
    [REVEAL_CLOSE] = {1U << REVEAL_ASKED | 1U << REVEAL_GRANTED | 1U << REVEAL_OPENED, REVEAL_CLOSED},
};

static void keep_name(char name[PERSON_NAME + 1], struct span by)
{
    (void)snprintf(name, PERSON_NAME + 1, SPAN_FMT, SPAN_ARG(by));
}

bool reveal_step(const struct reveal *before, const struct reveal_event *e, struct reveal *after, struct error *err)
{
    struct reveal r = *before;

    if (e->verb >= REVEAL_VERBS || (steps[e->verb].from >> r.state & 1U) == 0) {
        return error_set(err, ERROR_INVALID, "not possible: it is %s",
                         r.state == REVEAL_NONE ? "not asked for" : reveal_state_name(r.state));
    }
    if (!check_person(&r, e, err) || (e->verb == REVEAL_ASK && !check_ask(e, err)) ||
        (e->verb == REVEAL_APPROVE && !check_approve(e, err)) || (e->verb == REVEAL_OPEN && !check_open(&r, e, err))) {
        return false;
    }
    r.state = steps[e->verb].to;
    if (e->verb == REVEAL_ASK) {
        r.scope = *e->scope;
        keep_name(r.by, e->by);
    } else if (e->verb == REVEAL_APPROVE || e->verb == REVEAL_REFUSE) {
        keep_name(r.decided_by, e->by);
    }
    r.until_ms = e->verb == REVEAL_APPROVE ? e->until_ms : r.until_ms;
    r.opened += e->verb == REVEAL_OPEN;
    *after = r;
    return true;
}
