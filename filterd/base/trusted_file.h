/* trusted_file.h - a file that only its owner (root or the caller) can change or replace.
 *
 * For what says what is allowed: no symbolic link in its path, a regular file of root's or the caller's, not writable by
 * group or others, in folders of root's or the caller's that others cannot write. Links are ruled out in one lookup,
 * and what was opened is what is judged. */
#ifndef FILTERD_BASE_TRUSTED_FILE_H
#define FILTERD_BASE_TRUSTED_FILE_H

#include <limits.h>

#include "base/buf.h"

/* Appends the file's bytes, to out's ceiling. DENIED says what of the above does not hold. */
MUST_CHECK bool trusted_file_read(const char *path, struct buf *out, struct error *err);
/* The same of the file alone, which may not be a link: for a folder that is known to be the caller's. It needs no system
 * call that a locked-down service does not have. */
MUST_CHECK bool trusted_file_read_alone(const char *path, struct buf *out, struct error *err);
/* Whether the folder, and those above it, belong to root or the caller and others cannot put anything into it. One that is
 * not there yet is trusted as the nearest one above it is. */
MUST_CHECK bool trusted_folder(const char *path, struct error *err);
/* The file's own folder, absolute, without links, "." and "..". */
MUST_CHECK bool trusted_file_folder(const char *path, char folder[PATH_MAX], struct error *err);

#endif
