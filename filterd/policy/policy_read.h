/* policy_read.h - the keys of a policy and of its entries; filterd-policy(5) says what they mean. For snapshot.c,
 * supervisor_read.c, seal_read.c, review_read.c, request_read.c and tests. */
#ifndef FILTERD_POLICY_POLICY_READ_H
#define FILTERD_POLICY_POLICY_READ_H

#include "base/fields.h"
#include "policy/policy.h"
#include "policy/text_role.h"

/* `context` of a reader of policies. */
struct policy_reader {
    const struct snapshot *snapshot; /* for names of its rules and of the policies read so far */
    struct span yaml;                /* the whole file, for digests */
    const char *path;                /* its name */
};

static inline const struct policy_reader *policy_reader(const struct field_reader *r)
{
    return r->context;
}

/* Types of a condition's keys that fields.h does not have. */
extern const struct field_type condition_confidence, condition_names, condition_rules;

/* The rows of a condition, for tables of structs that begin with one. */
#define CONDITION_AT(member) FIELD_AT(struct policy_condition, member)
#define CONDITION_NAMES(name, type, member)                                                                                \
    {name, &type, CONDITION_AT(member), .min = 1}, {name "s", &type, CONDITION_AT(member), .min = 1}
#define CONDITION_FIELDS                                                                                                   \
    {"category", &field_choices, CONDITION_AT(categories), .names = category_names},                                       \
        {"severity", &field_choices, CONDITION_AT(severities), .names = severity_names},                                   \
        {"confidence", &condition_confidence, FIELD_WHOLE, .initial = "0..1"},                                             \
        CONDITION_NAMES("rule", condition_rules, rules), CONDITION_NAMES("tag", condition_names, tags),                    \
        CONDITION_NAMES("tenant", condition_names, tenants), CONDITION_NAMES("app", condition_names, apps),                \
        CONDITION_NAMES("route", condition_names, routes), CONDITION_NAMES("agent", condition_names, agents)

/* Of the file, into struct snapshot and tenant_policy (snapshot.c); then into struct policy, policy_action,
 * policy_exception and redaction_operator (the arguments of mask). */
extern const struct field snapshot_fields[], tenant_fields[], policy_fields[], policy_action_fields[],
    policy_exception_fields[], policy_mask_fields[];

/* int64_t, UTC seconds: a calendar day's first moment. struct policy_token *. */
extern const struct field_type policy_date_type, policy_token_type;

/* Of `seal` (seal.h), into struct policy_seal and seal_trigger. */
extern const struct field_type policy_seal_type;
extern const struct field policy_seal_fields[], seal_trigger_fields[];

/* Of `review` (review.h), into struct policy_review, review_trigger, review_sample and review_due. */
extern const struct field_type policy_review_type;
extern const struct field policy_review_fields[], review_trigger_fields[], review_sample_fields[], review_due_fields[];

/* Of `links` (links.h), into struct policy_links. */
extern const struct field_type policy_links_type;
extern const struct field policy_links_fields[];

/* Of `system_prompt` (system_prompt_policy.h), into struct policy_system_prompt. */
extern const struct field_type policy_system_prompt_type;
extern const struct field policy_system_prompt_fields[];

/* A way to redact, into struct redaction_operator. */
extern const struct field_type policy_operator_type;
extern const char *const policy_operator_names[];

/* Of `request` (request_policy.h), into struct policy_request; and of its two lists, into struct policy_action. */
extern const struct field_type policy_request_type;
extern const struct field policy_request_fields[], request_action_fields[], request_result_fields[];
/* The default where the key is missing; and the copy of the policy that requests are judged by. Last of all keys. */
MUST_CHECK bool policy_request_complete(const struct field_reader *r, struct policy *policy, struct error *err);

/* Of an entry of `budgets`, into struct policy_budget; and the check of each. */
extern const struct field policy_budget_fields[];
field_check_fn policy_budget_check;

/* What the keys of a policy mean together: the rules it has, and its digest. */
field_check_fn policy_check;

#endif
