/* path.h - paths of requests, and the patterns of paths that rules allow.
 *
 * An ambiguous path is refused before any pattern is matched: dot segments,
 * also with parameters or percent-encoded once or twice, empty segments, encoded slashes,
 * backslashes, NULs and control bytes, bytes that are not printable ASCII. Patterns are compared with
 * the bytes as sent, so an encoding that a pattern does not spell does not match. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_PATH_H
#define FILTERD_JAIL_EGRESS_WIRE_PATH_H

#include "base/error.h"
#include "base/span.h"

enum { EGRESS_PATH_MAX = 8192 };

/* "/path?query", without a fragment. INVALID with what is wrong, quoting nothing. */
MUST_CHECK bool egress_path_check(struct span target, struct error *err);
/* What is before the '?'. */
struct span egress_path_only(struct span target);

/* '/' and segments: one alone may be '*', any one segment; the last may be '**', any rest. */
MUST_CHECK bool egress_path_pattern_check(struct span pattern, struct error *err);
/* `path` has no query and has been checked. */
bool egress_path_matches(struct span pattern, struct span path);

#endif
