/* scan_record.h - lines of type scan: that an archive was judged with libfilterd, with which rules, and what came of it, in
 * counts. The program that judged it says so; filterd did not see the texts. filterd-decision-log(5) describes the members. */
#ifndef FILTERD_DECISION_LOG_SCAN_RECORD_H
#define FILTERD_DECISION_LOG_SCAN_RECORD_H

#include "decision_log/decision_log.h"
#include "policy/policy.h"

enum { SCAN_RULES_MAX = 512 };

struct scan_rule {
    struct span id;
    uint64_t findings;
};

struct scan_event {
    struct span source, snapshot; /* of the archive: its name, and which state of it; may be shown */
    struct span digest;           /* "sha256:…" of rules, policy and engine */
    struct span engine;           /* version */
    uint64_t rows, nulls, unjudged, bytes;
    uint64_t actions[ACTION_ALLOW + 1];
    const struct scan_rule *rules;
    size_t n_rules;
    const char *by, *role;
    int64_t now_ns; /* UTC */
};

/* Replaces the content of `line`, which needs a ceiling of DECISION_RECORD_MAX. */
MUST_CHECK bool scan_record_format(const struct scan_event *e, struct buf *line, struct error *err);

#endif
