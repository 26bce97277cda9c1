#include "judge/supervision.h"

static const struct {
    const char *name, *reason;
} outcomes[SUPERVISION_OUTCOME_COUNT] = {
    [SUPERVISION_NOT_ASKED] = {"not-asked", "the policy's supervisor cannot be asked here"},
    [SUPERVISION_TOO_LONG] = {"too-long", "the text is too long for the supervisor"},
    [SUPERVISION_OVERLOADED] = {"overloaded", "the supervisor has no room"},
    [SUPERVISION_UNAVAILABLE] = {"unavailable", "the supervisor has failed too often"},
    [SUPERVISION_TIMEOUT] = {"timeout", "the supervisor did not answer in time"},
    [SUPERVISION_UNREACHABLE] = {"unreachable", "the supervisor cannot be reached"},
    [SUPERVISION_BUSY] = {"busy", "the supervisor is busy"},
    [SUPERVISION_REFUSED] = {"refused", "the supervisor refused the question"},
    [SUPERVISION_BROKEN] = {"broken", "the supervisor answered with an error"},
    [SUPERVISION_TOO_LARGE] = {"too-large", "the supervisor's answer is too large"},
    [SUPERVISION_MALFORMED] = {"malformed", "the supervisor's answer could not be read"},
    [SUPERVISION_SHAPE] = {"shape", "the supervisor's verdict has another shape"},
    [SUPERVISION_EVIDENCE] = {"evidence", "the supervisor quotes what is not in the text"},
    [SUPERVISION_ECHO] = {"echo", "the supervisor was talked round"},
    [SUPERVISION_STOPPED] = {"stopped", "the service is stopping"},
    [SUPERVISION_ANSWERED] = {"answered", "the supervisor answered"},
};

const char *supervision_outcome_name(enum supervision_outcome outcome)
{
    return outcomes[outcome].name;
}

const char *supervision_outcome_reason(enum supervision_outcome outcome)
{
    return outcomes[outcome].reason;
}
