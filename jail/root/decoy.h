/* decoy.h - files that nobody has a reason to open, and the one who sees it when they are.
 *
 * They look like what they are named after, hold a canary that is made for each jail and stands nowhere else, and are
 * watched by inotify: made inside, read outside. The jail cannot see the watch, nor end it. */
#ifndef FILTERD_JAIL_ROOT_DECOY_H
#define FILTERD_JAIL_ROOT_DECOY_H

#include "jail/policy/event.h"
#include "jail/policy/policy.h"

enum { JAIL_CANARY = 24 };

/* Letters and digits, NUL-terminated. */
MUST_CHECK bool jail_canary_make(char canary[JAIL_CANARY + 1], struct error *err);

/* A watch without files; close-on-exec; -1 with err. */
int jail_decoys_new(struct error *err);
/* Writes the decoy `number` of the policy into its place below `root` and watches it. */
MUST_CHECK bool jail_decoy_put(int watch, int root, const struct jail_policy *p, size_t number, const char *canary,
                               struct error *err);
/* What covers denied names (names.h), as a decoy: `file` is O_PATH. After all others. */
MUST_CHECK bool jail_decoy_cover(int watch, int file, const struct jail_policy *p, const char *canary, struct error *err);

/* What was opened since. From outside, without waiting. */
void jail_decoys_take(int watch, const struct jail_policy *p, struct jail_events *events);

#endif
