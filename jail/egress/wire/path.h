/* path.h - paths of requests, and patterns of permitted paths.
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

/* Checks "/path?query", without a fragment. INVALID with the reason, without quoting input. */
MUST_CHECK bool egress_path_check(struct span target, struct error *err);
/* The part before the '?'. */
struct span egress_path_only(struct span target);

/* A pattern is '/' and segments: '*' matches any one segment; '**' as the last one matches any rest. */
MUST_CHECK bool egress_path_pattern_check(struct span pattern, struct error *err);
/* `path` has no query and has been checked. */
bool egress_path_matches(struct span pattern, struct span path);

#endif
