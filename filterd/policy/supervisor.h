/* supervisor.h - when a policy wants another model asked, and what follows from its answer.
 *
 * What the supervisor says becomes a finding of one of the rules below, and the policy's actions
 * apply to it as to any finding: it can make a verdict stricter, never looser. Part of the
 * snapshot: immutable, as long-lived. */
#ifndef FILTERD_POLICY_SUPERVISOR_H
#define FILTERD_POLICY_SUPERVISOR_H

#include "base/fields.h"
#include "policy/policy.h"

/* What the supervisor can be asked to look for; one rule each. */
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

/* "harm", "hate", "self-harm": as policies, prompts and answers write it. */
extern const char *const supervisor_category_names[]; /* NULL behind the last */
const char *supervisor_category_name(enum supervisor_category category);
/* "supervisor.harm" and so on; no rule set holds them, every policy may name them. */
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
    bool is_always; /* every text is asked about; else one with a finding that meets a trigger */
    const struct supervisor_trigger *triggers;
    size_t n_triggers;
    unsigned categories;    /* bit per enum supervisor_category */
    uint64_t deadline_ns;   /* of the whole question, retries included */
    enum action on_failure; /* block, or allow: as if there were no supervisor */
    enum action action;     /* of its findings that no entry of `actions` applies to */
    enum hold_unit hold;    /* what of a stream waits for the answer, and is asked about as one */
    unsigned questions;     /* about one stream at most; the last is about all that is left of it */
    bool is_later; /* the answer does not wait; the verdict is recorded and posted */
    double sample; /* share of the other texts that is asked about later, for quality */
};

/* The value of a policy's key `supervisor`: a pointer to one in the arena. Its keys, and those of an entry of `when`. */
extern const struct field_type policy_supervisor_type;
extern const struct field policy_supervisor_fields[], supervisor_trigger_fields[];

#endif
