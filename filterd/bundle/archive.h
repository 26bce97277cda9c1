/* archive.h - the archive of a policy bundle: a folder of rules and policies as a tar archive (evidence/ustar.h), zstd around it.
 *
 * Every archive of the same files is the same bytes with the same libzstd. Regular files alone; files and folders whose names begin
 * with a dot are left out, anything else that an archive cannot have is an error, so that nothing is left out in silence.
 * One thread for a call. */
#ifndef FILTERD_BUNDLE_ARCHIVE_H
#define FILTERD_BUNDLE_ARCHIVE_H

#include "base/buf.h"

enum {
    POLICY_BUNDLE_FILES_MAX = 4096,
    POLICY_BUNDLE_BYTES_MAX = 64 * 1024 * 1024, /* of the archive, and of what is in it */
};

/* Appends the archive of that folder. */
MUST_CHECK bool policy_bundle_pack(const char *folder, struct buf *out, struct error *err);
/* Writes the files, synced, into `folder`, which is new: DENIED when it is there. Nothing is taken away on failure. */
MUST_CHECK bool policy_bundle_unpack(struct span archive, const char *folder, struct error *err);
/* Removes a folder with all that is in it; one that is not there is removed. Links are not followed. */
MUST_CHECK bool policy_bundle_remove(const char *folder, struct error *err);

#endif
