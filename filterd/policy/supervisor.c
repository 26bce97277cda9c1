#include "policy/supervisor.h"

#define RULE(name, text, kind, weight)                                                                                 \
    {                                                                                                                  \
        .id = {"supervisor." name, sizeof("supervisor." name) - 1}, .title = {text, sizeof(text) - 1},                 \
        .pack = {"supervisor", sizeof("supervisor") - 1}, .category = (kind), .severity = (weight), .confidence = 1    \
    }

const char *const supervisor_category_names[] = {
    [SUPERVISOR_HARM] = "harm",           [SUPERVISOR_HATE] = "hate",
    [SUPERVISOR_SELF_HARM] = "self-harm", [SUPERVISOR_SEXUAL] = "sexual",
    [SUPERVISOR_INJECTION] = "injection", [SUPERVISOR_PII] = "pii",
    [SUPERVISOR_SECRET] = "secret",       [SUPERVISOR_CATEGORY_COUNT] = NULL,
};

static const struct rule rules[] = {
    [SUPERVISOR_HARM] = RULE("harm", "Help with serious harm, as the supervisor reads it", CATEGORY_CONTENT,
                             SEVERITY_CRITICAL),
    [SUPERVISOR_HATE] = RULE("hate", "Hatred of a group of people, as the supervisor reads it", CATEGORY_CONTENT,
                             SEVERITY_HIGH),
    [SUPERVISOR_SELF_HARM] = RULE("self-harm", "Encouragement of self-harm, as the supervisor reads it",
                                  CATEGORY_CONTENT, SEVERITY_CRITICAL),
    [SUPERVISOR_SEXUAL] = RULE("sexual", "Sexual content, as the supervisor reads it", CATEGORY_CONTENT,
                               SEVERITY_HIGH),
    [SUPERVISOR_INJECTION] = RULE("injection", "Instructions to another model, as the supervisor reads it",
                                  CATEGORY_INJECTION, SEVERITY_HIGH),
    [SUPERVISOR_PII] = RULE("pii", "Data about a person, as the supervisor reads it", CATEGORY_PII, SEVERITY_HIGH),
    [SUPERVISOR_SECRET] = RULE("secret", "A secret, as the supervisor reads it", CATEGORY_SECRET, SEVERITY_HIGH),
};

_Static_assert(COUNT(rules) == SUPERVISOR_CATEGORY_COUNT, "a rule for each category");

const char *supervisor_category_name(enum supervisor_category category)
{
    return supervisor_category_names[category];
}

const struct rule *supervisor_rule(enum supervisor_category category)
{
    return &rules[category];
}

const struct rule *supervisor_rule_find(struct span id)
{
    for (size_t i = 0; i < COUNT(rules); i++) {
        if (span_equal(rules[i].id, id)) {
            return &rules[i];
        }
    }
    return NULL;
}
