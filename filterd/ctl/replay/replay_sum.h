/* replay_sum.h - counts, lists and prints the verdicts that another policy changes. Never contains text.
 *
 * One thread at a time. */
#ifndef FILTERD_CTL_REPLAY_REPLAY_SUM_H
#define FILTERD_CTL_REPLAY_REPLAY_SUM_H

#include <stdint.h>

#include "base/buf.h"
#include "policy/policy.h"

enum { REPLAY_RULE_MAX = 96, REPLAY_CHANGES_MAX = 10000, REPLAY_RULES_MAX = 4096 };

struct replay_verdict {
    enum action action;
    char rule[REPLAY_RULE_MAX]; /* the rule that decided; "": none */
};

struct replay_change {
    uint64_t seq; /* of the decision's line */
    struct replay_verdict before, after;
};

/* Originals that were not judged again. */
enum replay_skip {
    REPLAY_IN_PART, /* of a stream, or only findings or channels */
    REPLAY_REMOVED, /* its file is missing: expired, or stored elsewhere */
    REPLAY_ERASED,  /* its key is deleted */
    REPLAY_OTHER,   /* decided without a policy, such as for a killed agent: nothing to compare */
    REPLAY_SKIPS
};

struct replay_sum {
    size_t n, n_changed;
    size_t n_by_policy;       /* of n: compared with --policy; the others with the record */
    size_t n_unlike_record;   /* of those: the verdict of --policy differs from the record */
    size_t skipped[REPLAY_SKIPS], n_failed;
    size_t moves[ACTION_ALLOW + 1][ACTION_ALLOW + 1]; /* of n, [from][to]; includes unchanged verdicts */
    struct replay_rule {
        char rule[REPLAY_RULE_MAX];
        size_t before, after; /* verdicts that it decided */
    } *rules;
    size_t n_rules;
    struct replay_change *changes; /* the first REPLAY_CHANGES_MAX */
    size_t n_changes;
};

struct replay_head {
    const char *candidate;        /* its file */
    struct span candidate_digest; /* "sha256:…" */
};

void replay_sum_deinit(struct replay_sum *s); /* of zeroed memory, too */

bool replay_is_change(const struct replay_verdict *before, const struct replay_verdict *after);
MUST_CHECK bool replay_sum_add(struct replay_sum *s, const struct replay_change *c, struct error *err);

/* "12: block (iban) -> allow". */
MUST_CHECK bool replay_append_change(struct buf *out, const struct replay_change *c, struct error *err);
/* The totals, printed after the list of changes. */
MUST_CHECK bool replay_append_text(struct buf *out, const struct replay_sum *s, struct error *err);
/* One JSON object on a line. */
MUST_CHECK bool replay_append_json(struct buf *out, const struct replay_head *head, const struct replay_sum *s, struct error *err);

#endif
