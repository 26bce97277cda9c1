/* exceptions_file.h - live exceptions: those that reviewers proposed and approved, in addition to those in the policy file.
 *
 * They are in <state>/exceptions.yaml, because filterd must not write the policy file. They apply to policies with
 * `review: {exceptions: live}`, each to one rule and one tenant. The file has a digest of its own, which is not part of the
 * policies' digests. filterd-policy(5), THE FILE OF LIVE EXCEPTIONS. */
#ifndef FILTERD_POLICY_EXCEPTIONS_FILE_H
#define FILTERD_POLICY_EXCEPTIONS_FILE_H

#include "base/buf.h"
#include "policy/policy.h"

enum {
    LIVE_EXCEPTIONS_MAX = 1000,
    LIVE_TEXT_MAX = 128,
    LIVE_FILE_MAX = LIVE_EXCEPTIONS_MAX * 8 * LIVE_TEXT_MAX,
};

/* One of value_tok, app and matches is set. */
struct live_exception {
    struct span id, rule, tenant; /* tenant empty: requests without a tenant */
    struct policy_token *value;   /* parsed */
    struct span value_tok;        /* as written in the file */
    struct span app, matches;
    int64_t until_s;              /* UTC, exclusive: the first moment of a day */
    struct span by, approver;
};

extern const struct field live_exceptions_fields[], live_exception_fields[];

/* Adds the exceptions of the file to a new snapshot, once, before it is shared. An exception of an unknown rule has no effect. err
 * is "file:line:column: what was expected". */
MUST_CHECK bool snapshot_add_exceptions(struct snapshot *s, const char *path, struct span yaml, struct error *err);

/* A policy of the snapshot has live exceptions. */
bool snapshot_takes_exceptions(const struct snapshot *s);

/* Appends the file's text; `out` needs a ceiling of LIVE_FILE_MAX. LIMIT: more than LIVE_EXCEPTIONS_MAX. */
MUST_CHECK bool exceptions_file_write(const struct live_exception *items, size_t n, struct buf *out, struct error *err);

#endif
