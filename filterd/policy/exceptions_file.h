/* exceptions_file.h - exceptions that reviewers proposed and approved, beside those that the policy file has.
 *
 * The file is filterd's own, <state>/exceptions.yaml: the policy file is not for filterd to write. Its exceptions apply to the
 * policies whose `review` has `exceptions: live`, each to one rule and one tenant, and are part of their digests.
 * filterd-policy(5), THE FILE OF LIVE EXCEPTIONS. */
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
    struct span id, rule, tenant; /* tenant empty: of requests without one */
    struct policy_token *value;   /* as read */
    struct span value_tok;        /* to be written */
    struct span app, matches;
    int64_t until_s;              /* UTC, exclusive: the first moment of a day */
    struct span by, approver;
};

extern const struct field live_exceptions_fields[], live_exception_fields[];

/* Adds those of the file to a new snapshot, before others have it; once. An exception of a rule that is not there does
 * nothing. err is "file:line:column: what was expected". */
MUST_CHECK bool snapshot_add_exceptions(struct snapshot *s, const char *path, struct span yaml, struct error *err);

/* Whether a policy of it takes them. */
bool snapshot_takes_exceptions(const struct snapshot *s);

/* Appends the file; its ceiling is LIVE_FILE_MAX. LIMIT: there are more than LIVE_EXCEPTIONS_MAX. */
MUST_CHECK bool exceptions_file_write(const struct live_exception *items, size_t n, struct buf *out, struct error *err);

#endif
