/* live_exceptions.h - what a snapshot gets from the state directory before others have it: the exceptions that reviewers made,
 * and the keys by which exceptions compare values with tokens of the record. */
#ifndef FILTERD_KEEPING_LIVE_EXCEPTIONS_H
#define FILTERD_KEEPING_LIVE_EXCEPTIONS_H

#include "keeping/token_keys.h"
#include "policy/exceptions_file.h"

/* Adds <state>/exceptions.yaml, if a policy takes exceptions; a file that is not there has none. */
MUST_CHECK bool live_exceptions_load(struct snapshot *s, const char *state_directory, struct error *err);

/* Writes the file, unless that is what it is: *is_changed. INVALID: there is no state directory. */
MUST_CHECK bool live_exceptions_save(const char *state_directory, const struct live_exception *items, size_t n, bool *is_changed,
                                     struct error *err);

/* Gives the snapshot the key of each epoch. A key that cannot be read is missing: its tokens match no value, and the log says
 * so. `current` is the service's own, which without a directory is the only one. */
void live_exceptions_give_keys(struct snapshot *s, const char *state_directory, struct token_keys *current);

#endif
