/* supervisor.h - a policy's conditions for asking another model, and the actions for its answer.
 *
 * The supervisor's answer becomes a finding of one of the rules below, and the policy's actions
 * apply to it like to any finding: it can only make a verdict stricter. Part of the
 * snapshot, with its lifetime; immutable. */
#ifndef FILTERD_POLICY_SUPERVISOR_H
#define FILTERD_POLICY_SUPERVISOR_H

#include "base/fields.h"
#include "policy/policy.h"

/* The categories for which a supervisor can be asked; each has one rule. */
enum supervisor_category {
    SUPERVISOR_HARM,
    SUPERVISOR_HATE,
    SUPERVISOR_SELF_HARM,
    SUPERVISOR_SEXUAL,
    SUPERVISOR_INJECTION,
    SUPERVISOR_PII,
    SUPERVISOR_SECRET,
    SUPERVISOR_CATEGORY_COUNT
};

/* "harm", "hate", "self-harm": the names in policies, prompts and answers. */
extern const char *const supervisor_category_names[]; /* NULL-terminated */
const char *supervisor_category_name(enum supervisor_category category);
/* "supervisor.harm" and so on; they are in no rule set, and every policy may name them. */
const struct rule *supervisor_rule(enum supervisor_category category);
/* NULL when there is none of that id. */
const struct rule *supervisor_rule_find(struct span id);

struct supervisor_trigger {
    struct policy_condition when;
    bool of_classifiers; /* only findings of classifiers */
};

/* Questions about one stream. */
enum { SUPERVISOR_QUESTIONS_MAX = 48 };

struct policy_supervisor {
    bool is_always; /* ask about every text; otherwise about texts with a finding that meets a trigger */
    const struct supervisor_trigger *triggers;
    size_t n_triggers;
    unsigned categories;    /* bit per enum supervisor_category */
    uint64_t deadline_ns;   /* of the whole question, including retries */
    enum action on_failure; /* block, or allow: keep the verdict of the rules */
    enum action action;     /* for its findings that no entry of `actions` matches */
    enum hold_unit hold;    /* the unit of a stream for a question, which waits for the answer */
    unsigned questions;     /* maximum for one stream; the last one covers the rest of it */
    bool is_later; /* the answer does not wait; the verdict is recorded and posted */
    double sample; /* share of the other texts to ask about later, for quality */
};

/* The value of a policy's key `supervisor`: a pointer to one in the arena. Its keys, and those of an entry of `when`. */
extern const struct field_type policy_supervisor_type;
extern const struct field policy_supervisor_fields[], supervisor_trigger_fields[];

#endif
