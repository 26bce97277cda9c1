/* admin.h - the record of what the service runs with: an "admin" line for each thing that is not what is on record already.
 *
 * The digests that the record has last are kept in <state>/admin, so that a start knows what was changed while the service
 * was stopped. A line is on disk before the change takes effect; when it cannot be, there is no change. Without a state
 * directory each start writes all of them anew, without `before`. One thread at a time. */
#ifndef FILTERD_SERVICE_ADMIN_H
#define FILTERD_SERVICE_ADMIN_H

#include <limits.h>

#include "base/digest.h"
#include "decision_log/decision_log.h"

enum admin_what { ADMIN_POLICY, ADMIN_TOKENS, ADMIN_RECIPIENTS, ADMIN_KEYS, ADMIN_RETENTION, ADMIN_EXCEPTIONS, ADMIN_COUNT };

enum { ADMIN_DIGEST = sizeof("sha256:") + DIGEST_SHA256_HEX };

/* "sha256:…", NUL-terminated; empty: there is none of it. */
struct admin_digests {
    char of[ADMIN_COUNT][ADMIN_DIGEST];
};

/* Of a text that is not secret; of none, none. */
MUST_CHECK bool admin_digest(struct span text, char out[ADMIN_DIGEST], struct error *err);

struct admin {
    struct decision_log *log;
    char path[PATH_MAX]; /* empty: no state directory */
    struct admin_digests recorded;
};

/* Reads what is on record. A file that is missing or cannot be read means that nothing is. */
void admin_open(struct admin *a, struct decision_log *log, const char *state_directory);

/* Records what differs from `now`, by "start", "SIGHUP" or who asked, and waits until it is on disk. */
MUST_CHECK bool admin_record(struct admin *a, const struct admin_digests *now, const char *by, struct error *err);

#endif
