/* snapshot.h - copies of inputs: the jail sees the state of one moment, and a digest identifies it.
 *
 * Files, folders and links are copied; links are not followed. Anything else, a file that the caller may not read, another
 * file system inside, or more than the policy's `snapshots` allow is an error. Denied names are not copied;
 * if they are honeytokens, an empty file takes their place. After copying, content, names and times of change are compared
 * with the input again: any difference is an error, so the copy is consistent.
 *
 * The digest is the SHA-256 of a line for each entry, "KIND SIZE DIGEST PATH" and a NUL byte: KIND is f (file), x (file
 * that its owner may run), l (link) or d (folder); SIZE in bytes and DIGEST, SHA-256 in hexadecimal, are those of the file or
 * of the link's target text, 0 and - for folders; PATH is below the input, "." the input itself. A folder precedes its
 * entries, which are in the order of the bytes of their names. */
#ifndef FILTERD_JAIL_ROOT_SNAPSHOT_H
#define FILTERD_JAIL_ROOT_SNAPSHOT_H

#include <stdint.h>

#include "jail/policy/policy.h"

enum { JAIL_SNAPSHOT_DIGEST = 32 };

struct jail_snapshot {
    size_t input;         /* index in the policy */
    int64_t files, bytes; /* files includes folders and links; bytes of all files together */
    uint8_t digest[JAIL_SNAPSHOT_DIGEST];
};

/* Where copies are made, and the remaining limits. */
struct jail_snapshot_store {
    const struct jail_policy *policy;
    int folder; /* owned by the calling user; may be O_PATH */
    struct jail_copy_limits left;
};

/* Copies `source` (O_PATH) to `name` in the store's folder. The copy belongs to the calling process and is made without
 * its capabilities, so it has only what the command could have read. Needs /proc. A failure leaves a partial copy. */
MUST_CHECK bool jail_snapshot_take(struct jail_snapshot_store *store, int source, const char *name, struct jail_snapshot *out,
                                   struct error *err);

#endif
