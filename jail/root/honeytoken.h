/* honeytoken.h - bait files that no task needs, and the inotify watch that reports their opening.
 *
 * A honeytoken looks like what its name promises and contains a canary: random letters that are unique to the jail. The watch
 * is created inside the jail and read outside; the jail can neither see nor remove it. */
#ifndef FILTERD_JAIL_ROOT_HONEYTOKEN_H
#define FILTERD_JAIL_ROOT_HONEYTOKEN_H

#include "jail/policy/event.h"
#include "jail/policy/policy.h"

enum { JAIL_CANARY = 24 };

/* Letters and digits, NUL-terminated. */
MUST_CHECK bool jail_canary_make(char canary[JAIL_CANARY + 1], struct error *err);

/* A watch without files; close-on-exec; -1 with err. */
int jail_honeytokens_new(struct error *err);
/* Writes honeytoken `number` of the policy to its place below `root` and watches it. */
MUST_CHECK bool jail_honeytoken_put(int watch, int root, const struct jail_policy *p, size_t number, const char *canary,
                               struct error *err);
/* Makes the cover of denied names (names.h) a honeytoken; `file` is O_PATH. Call it after all others. */
MUST_CHECK bool jail_honeytoken_cover(int watch, int file, const struct jail_policy *p, const char *canary, struct error *err);

/* Reports the honeytokens opened since the last call. For use outside the jail; does not block. */
void jail_honeytokens_take(int watch, const struct jail_policy *p, struct jail_events *events);

#endif
