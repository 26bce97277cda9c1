/* snapshot.h - inputs as copies: the jail sees what was there once, and a digest says what that was.
 *
 * Copied are files, folders and links; a link as it is, never followed. Anything else, what the caller may not read, another
 * file system inside, or more than the policy's `snapshots` allow is an error, not a gap. Names that are denied are left out;
 * where they are honeytokens, an empty file keeps the place. When all is copied it is compared with the input again, content,
 * names, times of change: what is not as it was is an error, so the copy is what was there at one moment.
 *
 * The digest is the SHA-256 of a line for each entry, "KIND SIZE DIGEST PATH" and a NUL byte: KIND is f (file), x (file
 * that its owner may run), l (link) or d (folder); SIZE in bytes and DIGEST, SHA-256 in hexadecimal, are of the file or of
 * what the link says, 0 and - for folders; PATH is below the input, "." the input itself. A folder is before what
 * is in it, which is in the order of the names' bytes. */
#ifndef FILTERD_JAIL_ROOT_SNAPSHOT_H
#define FILTERD_JAIL_ROOT_SNAPSHOT_H

#include <stdint.h>

#include "jail/policy/policy.h"

enum { JAIL_SNAPSHOT_DIGEST = 32 };

struct jail_snapshot {
    size_t input;         /* which one of the policy's */
    int64_t files, bytes; /* files, folders and links; of all files together */
    uint8_t digest[JAIL_SNAPSHOT_DIGEST];
};

/* Where copies are made, and what room there is left for more. */
struct jail_snapshot_store {
    const struct jail_policy *policy;
    int folder; /* the caller's own; O_PATH will do */
    struct jail_copy_limits left;
};

/* Copies what `source` (O_PATH) is to `name` in the store's folder. The copy belongs to the calling process and is made without
 * its capabilities, so it holds what the command could have read. Needs /proc. After a failure a part is left there. */
MUST_CHECK bool jail_snapshot_take(struct jail_snapshot_store *store, int source, const char *name, struct jail_snapshot *out,
                                   struct error *err);

#endif
