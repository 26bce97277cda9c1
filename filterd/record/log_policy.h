/* log_policy.h - the signatures that a valid checkpoint needs (C2SP tlog-policy): logs, witnesses, groups, a quorum.
 *
 * Lines "log <vkey> [<url>]", "witness <name> <vkey> [<url>]", "group <name> all|any|<k> <name>...",
 * "quorum <name>|none"; # begins a comment. Names are defined before they are used, each is a member of one group at most, and there is one
 * quorum. A log's key has type Ed25519 and its name is the origin; a witness's is of type cosignature. Parsed spans borrow
 * from the text. Errors are "line N: what was expected". Any thread. */
#ifndef FILTERD_RECORD_LOG_POLICY_H
#define FILTERD_RECORD_LOG_POLICY_H

#include "record/checkpoint.h"

enum { LOG_POLICY_MAX = 64 * 1024, LOG_POLICY_LOGS_MAX = 32, LOG_POLICY_MEMBERS_MAX = 64 };

struct log_policy_log {
    struct note_key key;
    struct span url; /* empty: none */
};

/* A witness, or a group of members before it in the list. A name is any bytes but blanks. */
struct log_policy_member {
    struct span name;
    bool is_group, is_used;      /* used: of a group already */
    struct note_key key;         /* of a witness */
    struct span url;             /* of a witness; empty: none */
    unsigned threshold;          /* of a group */
    uint64_t members;            /* of a group: a bit for each */
};

struct log_policy {
    struct log_policy_log logs[LOG_POLICY_LOGS_MAX];
    size_t n_logs;
    struct log_policy_member members[LOG_POLICY_MEMBERS_MAX]; /* witnesses and groups, in order */
    size_t n_members;
    bool has_quorum; /* false: `quorum none` */
    size_t quorum;   /* index of the member */
};

/* On failure *out is filled in part. */
MUST_CHECK bool log_policy_parse(struct span text, struct log_policy *out, struct error *err);

/* What was found of a valid checkpoint. */
struct log_policy_result {
    const struct log_policy_log *log;
    uint64_t witnesses; /* a bit for each member that has cosigned; groups too */
    uint64_t earliest;  /* of their times, in seconds since the epoch; 0: none has cosigned */
};
/* The witnesses alone: which of them have cosigned, for any log; out->log is NULL. *is_quorum: those are enough. */
MUST_CHECK bool log_policy_witnesses(const struct log_policy *policy, const struct checkpoint *checkpoint,
                                     struct log_policy_result *out, bool *is_quorum, struct error *err);
/* Signed by one of the logs, with the quorum's cosignatures; a signature of a known key that does not hold is INVALID
 * whatever the rest. With no logs in the policy INVALID likewise. */
MUST_CHECK bool log_policy_verify(const struct log_policy *policy, const struct checkpoint *checkpoint,
                                  struct log_policy_result *out, struct error *err);

#endif
