/* live_exceptions.h - loads into a new snapshot, before it is shared, what the state directory has: live exceptions, and the keys
 * with which exceptions compare values with tokens. */
#ifndef FILTERD_STATE_LIVE_EXCEPTIONS_H
#define FILTERD_STATE_LIVE_EXCEPTIONS_H

#include "state/token_keys.h"
#include "policy/exceptions_file.h"

/* Adds <state>/exceptions.yaml if a policy has live exceptions; a missing file has none. */
MUST_CHECK bool live_exceptions_load(struct snapshot *s, const char *state_directory, struct error *err);

/* Writes the file if its content changes: *is_changed. INVALID: no state directory. */
MUST_CHECK bool live_exceptions_save(const char *state_directory, const struct live_exception *items, size_t n, bool *is_changed,
                                     struct error *err);

/* Adds the key of each epoch to the snapshot. If a key cannot be read, its tokens match no value, and a warning is logged.
 * `current` is the service's own key, the only one without a state directory. */
void live_exceptions_give_keys(struct snapshot *s, const char *state_directory, struct token_keys *current);

#endif
