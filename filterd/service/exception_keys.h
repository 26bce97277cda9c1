/* exception_keys.h - the keys by which exceptions of a policy compare values with tokens of the record. */
#ifndef FILTERD_SERVICE_EXCEPTION_KEYS_H
#define FILTERD_SERVICE_EXCEPTION_KEYS_H

#include "keeping/token_keys.h"
#include "policy/policy.h"

/* Gives a new snapshot the key of each epoch, before others have it. A key that cannot be read is missing: its tokens match no
 * value, and the log says so. `current` is the service's own, which without a directory is the only one. */
void exception_keys_give(struct snapshot *s, const char *state_directory, struct token_keys *current);

#endif
