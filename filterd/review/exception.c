#include "review/exception.h"

#include <stdio.h>

#include "review/words.h"

static const char *const states[EXCEPTION_STATES] = {"", "proposed", "active", "refused", "withdrawn"};
static const char *const widths[EXCEPTION_WIDTHS] = {"", "value", "app", "pattern"};
static const char *const verbs[EXCEPTION_VERBS] = {"", "proposed", "approved", "refused", "withdrawn"};

const char *exception_state_name(unsigned state)
{
    return words_name(states, EXCEPTION_STATES, state);
}

const char *exception_width_name(unsigned width)
{
    return words_name(widths, EXCEPTION_WIDTHS, width);
}

const char *exception_verb_name(unsigned verb)
{
    return words_name(verbs, EXCEPTION_VERBS, verb);
}

unsigned exception_width_of(struct span name)
{
    return words_number(widths, EXCEPTION_WIDTHS, name, 0);
}

unsigned exception_verb_of(struct span name)
{
    return words_number(verbs, EXCEPTION_VERBS, name, 0);
}

bool exception_needs_admin(const struct exception_scope *scope)
{
    return scope->width != EXCEPTION_VALUE && (scope->preview.confirmed > 0 || scope->preview.is_cut);
}

static bool check_scope(const struct exception_scope *s, int64_t now_ms, struct error *err)
{
    static const int64_t day_ms = 24 * 3600 * 1000;

    if (s == NULL || s->rule[0] == '\0' || s->text[0] == '\0' || s->width == EXCEPTION_NO_WIDTH) {
        return error_set(err, ERROR_MALFORMED, "a rule, and a value, an application or a pattern expected");
    }
    return (s->until_ms > now_ms && s->until_ms <= now_ms + EXCEPTION_DAYS_MAX * day_ms) ||
           error_set(err, ERROR_MALFORMED, "until: a future date, at most %d days from now, expected", EXCEPTION_DAYS_MAX);
}

static bool check_person(const struct exception *x, const struct exception_event *e, struct error *err)
{
    if (e->by.len == 0 || e->by.len > PERSON_NAME) {
        return error_set(err, ERROR_MALFORMED, "a name of 1 to %d bytes expected", PERSON_NAME);
    }
    bool decides = e->verb == EXCEPTION_APPROVE || e->verb == EXCEPTION_REFUSE;
    if (decides && person_is_same(e->by, span_str(x->by))) {
        return error_set(err, ERROR_DENIED, "a person other than the proposer expected");
    }
    return e->verb != EXCEPTION_APPROVE || e->is_admin || !exception_needs_admin(&x->scope) ||
           error_set(err, ERROR_DENIED, "an admin expected: the scope is wider than a value and has confirmed findings");
}

/* From which state to which. */
static const struct {
    unsigned from; /* bits */
    enum exception_state to;
} steps[EXCEPTION_VERBS] = {
    [EXCEPTION_PROPOSE] = {1U << EXCEPTION_NONE, EXCEPTION_PROPOSED},
    [EXCEPTION_APPROVE] = {1U << EXCEPTION_PROPOSED, EXCEPTION_ACTIVE},
    [EXCEPTION_REFUSE] = {1U << EXCEPTION_PROPOSED, EXCEPTION_REFUSED},
    [EXCEPTION_WITHDRAW] = {1U << EXCEPTION_PROPOSED | 1U << EXCEPTION_ACTIVE, EXCEPTION_WITHDRAWN},
};

static void keep_name(char name[PERSON_NAME + 1], struct span by)
{
    (void)snprintf(name, PERSON_NAME + 1, SPAN_FMT, SPAN_ARG(by));
}

bool exception_step(const struct exception *before, const struct exception_event *e, struct exception *after, struct error *err)
{
    struct exception x = *before;

    if (e->verb >= EXCEPTION_VERBS || (steps[e->verb].from >> x.state & 1U) == 0) {
        return error_set(err, ERROR_INVALID, "not possible: it is %s",
                         x.state == EXCEPTION_NONE ? "not proposed" : exception_state_name(x.state));
    }
    if (!check_person(&x, e, err) || (e->verb == EXCEPTION_PROPOSE && !check_scope(e->scope, e->ts_ms, err))) {
        return false;
    }
    if (e->verb == EXCEPTION_APPROVE && e->ts_ms >= x.scope.until_ms) {
        return error_set(err, ERROR_INVALID, "not possible: it has expired");
    }
    x.state = steps[e->verb].to;
    if (e->verb == EXCEPTION_PROPOSE) {
        x.scope = *e->scope;
        keep_name(x.by, e->by);
    } else {
        keep_name(e->verb == EXCEPTION_WITHDRAW ? x.withdrawn_by : x.decided_by, e->by);
    }
    *after = x;
    return true;
}
