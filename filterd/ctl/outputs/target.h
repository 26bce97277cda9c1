/* target.h - the folder that promoted files go to: each appears there whole, or not at all.
 *
 * No link below the folder is followed, so nothing that is there can lead a file elsewhere. A file
 * is written beside its place, synced, and put there by one rename. It is never executable. */
#ifndef FILTERD_CTL_OUTPUTS_TARGET_H
#define FILTERD_CTL_OUTPUTS_TARGET_H

#include "base/error.h"
#include "base/span.h"

enum target_state { TARGET_NEW, TARGET_SAME, TARGET_OTHER };

/* A descriptor of the folder; -1 with err. */
int target_open(const char *folder, struct error *err);
/* What is at `path` below it: nothing, these bytes, or something else. */
MUST_CHECK bool target_compare(int folder, const char *path, struct span bytes, enum target_state *state,
                               struct error *err);
/* Makes the folders above. Without `replace` what is there stays, and the answer is an error, also
 * when it appeared this very moment. */
MUST_CHECK bool target_write(int folder, const char *path, struct span bytes, bool replace, struct error *err);

/* True for names that tools obey where they find them: settings, hooks, instructions to agents. */
bool target_is_obeyed(const char *path);

#endif
