/* policy.h - policies, which map findings to actions and redactions; and the snapshot of
 * rules and policies.
 *
 * A snapshot is immutable and reference-counted: an exchange holds one from start to finish, a
 * reload swaps a pointer. The same snapshot, text and budgets give the same verdict; no function here reads a
 * clock (the expiry of an exception is compared with the exchange's time). */
#ifndef FILTERD_POLICY_POLICY_H
#define FILTERD_POLICY_POLICY_H

#include "base/digest.h"
#include "formats/trace_context.h"
#include "policy/rule_set.h"
#include "policy/violations.h"

/* Strictest first: zeroed memory blocks, and the stricter of two is the smaller. */
enum action { ACTION_BLOCK, ACTION_REDACT, ACTION_ALLOW };
extern const char *const action_names[]; /* NULL-terminated */
const char *action_name(enum action action);

enum operator_kind {
    OPERATOR_LABEL,
    OPERATOR_MASK,
    OPERATOR_HASH,
    OPERATOR_REMOVE,
    OPERATOR_REPLACE,
    OPERATOR_ENCRYPT,
    OPERATOR_TEXT, /* of a link */
    /* of requests alone (request_policy.h) */
    OPERATOR_PSEUDONYM, /* of the exchange's masking */
    OPERATOR_WITHHOLD,  /* the label; prompt_judge.h withholds the whole text */
    OPERATOR_QUOTE,     /* unchanged; prompt_judge.h says before the text that it is data */
};

struct redaction_operator {
    enum operator_kind kind;
    uint32_t keep_last;   /* mask: characters not masked */
    uint32_t mask_char;   /* mask: code point, default '*' */
    struct span text;     /* replace */
};

/* The sender; every part may be empty. Borrowed. All members except `given` may be shown: a name that must not be shown is
 * replaced by a token, and `given` has the name itself, only for comparison in policies. */
struct identity {
    struct span tenant, app, route, agent, session;
    struct span user; /* the end user: always a token */
    struct {
        struct span tenant, app, agent; /* empty: the same */
    } given;
    unsigned caller; /* a number of the caller, for its share of the ledger; 0: none */
    struct trace_context trace; /* that the caller's request is part of */
};

static inline struct span identity_tenant(const struct identity *who)
{
    return who->given.tenant.len > 0 ? who->given.tenant : who->tenant;
}

static inline struct span identity_app(const struct identity *who)
{
    return who->given.app.len > 0 ? who->given.app : who->app;
}

static inline struct span identity_agent(const struct identity *who)
{
    return who->given.agent.len > 0 ? who->given.agent : who->agent;
}

/* All given members must match; a list matches when any item does. Zero means "any". */
struct policy_condition {
    unsigned categories, severities; /* bit per value; 0: any */
    unsigned roles;                  /* likewise, of enum text_role; a text whose role is not known meets each */
    struct span_list rules, tags, tenants, apps, routes, agents;
    double min_confidence, max_confidence; /* [min, max]; 0 and 1: any */
};

struct policy_action {
    struct policy_condition when;
    enum action action;
    struct redaction_operator with;
    bool is_shadow; /* recorded without any action */
};

/* The value of one token of the record. Without the key that made it no value has that token. */
struct policy_token {
    struct span text, key_id; /* "key-id:hex"; what is before the colon */
    bool has_key;             /* snapshot_give_key */
    uint8_t key[DIGEST_KEY];
};

struct policy_exception {
    struct policy_condition when;
    struct regex *matches; /* searched for in the finding's text; NULL: any text */
    struct policy_token *value; /* NULL: any value */
    int64_t until_s;                 /* UTC seconds, exclusive; INT64_MAX: no end */
    struct span why;
    struct span id; /* of a live exception (exceptions_file.h); empty: in the policy file */
};

/* The unit that a classifier judges, and until whose end a stream is held (view/segment.h). Strictest first. */
enum hold_unit { HOLD_ALL, HOLD_PARAGRAPH, HOLD_SENTENCE, HOLD_NONE };
extern const char *const hold_names[]; /* NULL-terminated */
const char *hold_name(enum hold_unit hold);

struct policy {
    struct span name;
    struct span digest; /* "sha256:…": rules, this policy, the engine's version */
    struct span_list names, countries; /* packs and rules as written; countries empty: all */
    const bool *has_rule; /* per rule of the set */
    const uint64_t *held_rules; /* a bit for each pattern: streams hold text back for it (pipeline/held_rules.h); NULL: it depends on the identity */
    const struct policy_action *actions;
    size_t n_actions;
    const struct policy_exception *exceptions;
    size_t n_exceptions;
    enum hold_unit hold; /* NONE: classifiers do not judge streams, and judge other texts as a whole */
    bool has_classifiers; /* a rule uses one */
    bool is_shadow;
    struct span notice;
    const struct policy_supervisor *supervisor; /* NULL: none is asked (supervisor.h) */
    const struct policy_seal *seal;             /* NULL: nothing is kept for reviewers (seal.h) */
    unsigned withheld; /* bit per category: values of it that a request had masked are not restored in answers */
    const struct policy_review *review;         /* NULL: nothing is reviewed (review.h) */
    const struct policy_system_prompt *system_prompt; /* NULL: not looked for (system_prompt_policy.h) */
    const struct policy_links *links;           /* NULL: no host is permitted (links.h) */
    const struct policy_request *request;       /* never NULL (request_policy.h) */
    const struct policy_budget *budgets;        /* budget_policy.h */
    size_t n_budgets;
};

/* Whether the entry may lead to its action for findings of the rule: a rule that only reports, or that judges all of a text in a
 * policy that judges parts, is neither redacted nor blocked by an entry that meets it by category, severity or tag; `quote`, which
 * changes nothing, is permitted. An entry that names it is an error of the policy. */
static inline bool policy_action_is_for(const struct policy *policy, const struct policy_action *entry, const struct rule *rule)
{
    bool is_reliable = !rule->only_reports && (!rule->needs_all || policy->hold == HOLD_ALL);

    return is_reliable || entry->action == ACTION_ALLOW || entry->is_shadow || entry->with.kind == OPERATOR_QUOTE;
}

struct review_quota;

struct snapshot {
    atomic_uint references;
    struct rule_set *rules;
    struct arena memory;
    struct policy *policies;
    size_t n_policies;
    struct tenant_policy {
        struct span tenant;
        const struct policy *policy;
        bool is_supervised; /* its texts may be sent to a supervisor */
    } *tenants; /* sorted by tenant */
    size_t n_tenants;
    struct span text; /* the file that it was read from */
    struct violations violations;
    struct review_quota *quota; /* of the service, which gives it to each snapshot (judge/review_quota.h); NULL: none */
    struct span exceptions_digest; /* "sha256:…" of the file of live exceptions; empty: no file */
};

/* Takes its own reference to `rules`. The file is YAML (filterd-policy(5)); err is
 * "file:line:column: what was expected". */
struct snapshot *snapshot_load(struct rule_set *rules, const char *path, struct span yaml, struct error *err);
struct snapshot *snapshot_ref(struct snapshot *s);
void snapshot_unref(struct snapshot *s);

/* The policy for a request: the one of that name, otherwise the tenant's, otherwise "default". NULL when
 * the requested name does not exist. */
const struct policy *snapshot_policy(const struct snapshot *s, struct span name, struct span tenant);

/* For the one who made the snapshot, before others have it. A key of the record's tokens, which its exceptions compare values
 * by; all of them are asked for once for each key that is there. */
void snapshot_give_key(struct snapshot *s, struct span key_id, const uint8_t key[DIGEST_KEY]);

/* Whether a policy of it seals originals. */
bool snapshot_seals(const struct snapshot *s);

/* Whether the tenant lets its texts be shown to a supervisor; one that is not listed does. */
bool snapshot_may_supervise(const struct snapshot *s, struct span tenant);

#endif
