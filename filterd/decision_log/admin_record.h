/* admin_record.h - lines of type admin: what of the service was changed, from which digest to which, by whom.
 * filterd-decision-log(5) describes the members. */
#ifndef FILTERD_DECISION_LOG_ADMIN_RECORD_H
#define FILTERD_DECISION_LOG_ADMIN_RECORD_H

#include "decision_log/decision_log.h"

enum { ADMIN_RECORD_MAX = 2048 };

struct admin_change {
    const char *what;          /* static word: policy, tokens, recipients, keys, retention, exceptions, signer */
    const char *before, *after; /* "sha256:…"; NULL or empty: there was, or is, none */
    const char *by;            /* start, SIGHUP, or who asked for it */
    const char *vkey;          /* of signer: the key that is announced; NULL: none */
    int64_t now_ns;            /* UTC */
};

/* Into `line`, in place of what that holds; it needs a ceiling of ADMIN_RECORD_MAX. */
MUST_CHECK bool admin_record_format(const struct admin_change *c, struct buf *line, struct error *err);

#endif
