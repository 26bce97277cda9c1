/* violations.h - the weights of violations, the decay of scores, and the thresholds for actions.
 *
 * The section `violations` of a policy file (filterd-policy(5)), parsed strictly. Without it nothing is
 * counted. A score is a number without unit: the sum of weights, each halved per half-life
 * since its event. Immutable; any thread. */
#ifndef FILTERD_POLICY_VIOLATIONS_H
#define FILTERD_POLICY_VIOLATIONS_H

#include "base/fields.h"

/* Kinds of event: the first are categories of findings that a policy acted on, in the order of
 * enum category; then what a whole exchange, the egress proxy and the jail add. */
enum violation {
    VIOLATION_SECRET,
    VIOLATION_PII,
    VIOLATION_INJECTION,
    VIOLATION_CONTENT,
    VIOLATION_BLOCK,   /* an exchange was blocked */
    VIOLATION_EGRESS,  /* a request to leave the jail was refused */
    VIOLATION_NETWORK, /* a packet that no rule could have allowed: raw, UDP, another family */
    VIOLATION_DNS,     /* a name that no rule allows */
    VIOLATION_HONEYTOKEN, /* a bait file was opened */
    VIOLATION_PATH,    /* a denied file */
    VIOLATION_SYSCALL, /* a denied system call */
    VIOLATION_LIMIT,   /* a limit of the jail was reached */
    VIOLATION_OUTPUT,  /* an output file was refused */
    VIOLATION_COUNT
};
const char *violation_name(enum violation v);
/* False when there is no such kind. */
bool violation_find(struct span name, enum violation *v);

/* Bits, so that one threshold may have several. Later ones are stricter. */
enum reaction {
    REACTION_ALERT = 1,
    REACTION_THROTTLE = 2,
    REACTION_CUT_NETWORK = 4,
    REACTION_FREEZE = 8,
    REACTION_ASK = 16, /* freeze, and wait for an operator's decision */
    REACTION_KILL = 32,
    REACTION_REVOKE = 64, /* kill, and refuse the name until an operator revives it */
};
enum { REACTION_KINDS = 7 };
/* For a single bit. */
const char *reaction_name(enum reaction r);

enum { VIOLATION_THRESHOLDS_MAX = 16, VIOLATION_HOOKS_MAX = 32 };

struct violation_threshold {
    double at;
    unsigned reactions; /* bits of enum reaction */
};

/* A hook that ends agents outside a jail. Lists are NULL-terminated. */
struct violation_hook {
    const char *const *agents;  /* shell patterns */
    const char *const *command; /* absolute path and arguments; NULL: use the webhook */
    const char *webhook;        /* a URL for a POST */
    const char *const *verify;  /* exits 0 when the agent is gone; NULL: no verification */
    int64_t timeout_ns;
};

struct violations {
    bool is_on; /* false: the file has no such section */
    double weights[VIOLATION_COUNT];
    int64_t half_life_ns;
    struct violation_threshold thresholds[VIOLATION_THRESHOLDS_MAX]; /* by `at`, ascending */
    size_t n_thresholds;
    int64_t throttle_ns; /* between two exchanges of a throttled agent */
    int64_t ask_ns;      /* time for an operator to answer */
    bool ask_resumes;    /* without an answer resume; otherwise kill */
    const struct violation_hook *hooks;
    size_t n_hooks;
};

/* Reads the section. Values live in the arena. */
extern const struct field_type violations_type;
MUST_CHECK bool violations_read(struct arena *a, const struct yaml_node *node, struct violations *out, struct error *err);
/* Its keys, those of `ask` (both into struct violations), of an entry of `actions` and of a hook. */
extern const struct field violations_fields[], violation_ask_fields[], violation_threshold_fields[], violation_hook_fields[];

bool violation_hook_matches(const struct violation_hook *h, const char *agent);
bool violation_hooks_equal(const struct violations *a, const struct violations *b);

#endif
