/* session.h - rules, policy and who speaks: what a command needs before it can judge.
 *
 * Immutable once open, so threads may share it. */
#ifndef FILTERD_CTL_SESSION_H
#define FILTERD_CTL_SESSION_H

#include "ctl/options.h"
#include "state/keys.h"
#include "pipeline/load.h"
#include "pipeline/pipeline.h"

struct session {
    struct snapshot *snapshot;
    const struct policy *policy;
    struct identity who;
    int64_t now_ns;
    struct redaction_keys keys; /* those of --keys, else random */
};

/* Loads rules and policy as the options say. The shipped and the given rules' examples are not run:
 * filterctl rules test does that. */
MUST_CHECK bool session_open(struct session *s, const struct arguments *args, struct error *err);
/* The same for judging or reading rules: those that no policy uses are not compiled (rule_set_options.only_used). */
MUST_CHECK bool session_open_judge(struct session *s, const struct arguments *args, struct error *err);
/* The same as session_open with another policy file; NULL: the one beside the rules. */
MUST_CHECK bool session_open_policy(struct session *s, const struct arguments *args,
                                    const char *policy_path, struct error *err);
/* A session like `like` under the policy of another file, with the same rules and keys. */
MUST_CHECK bool session_open_beside(struct session *s, const struct session *like,
                                    const struct arguments *args, const char *policy_path,
                                    struct error *err);
void session_close(struct session *s);

/* The rule of that id; NULL with err, which names ids that may have been meant. */
const struct rule *session_find_rule(const struct session *s, const char *id, struct error *err);

#endif
