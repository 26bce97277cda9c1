/* trusted_file.h - reads a file that only its owner (root or the caller) can change or replace.
 *
 * For files that grant permissions. The path has no symbolic link; the file is regular, belongs to root or the caller, and is
 * not writable by group or others; its folders belong to root or the caller and others cannot write them. One lookup excludes
 * links, and the checks use the opened file. */
#ifndef FILTERD_BASE_TRUSTED_FILE_H
#define FILTERD_BASE_TRUSTED_FILE_H

#include <limits.h>

#include "base/buf.h"

/* Appends the file's bytes, up to out's limit. DENIED says which condition is violated. */
MUST_CHECK bool trusted_file_read(const char *path, struct buf *out, struct error *err);
/* The same, but checks only the file, which must not be a link: for a folder that is known to be the caller's. It needs only
 * system calls that the sandboxed service has. */
MUST_CHECK bool trusted_file_read_alone(const char *path, struct buf *out, struct error *err);
/* Whether the folder and its parents belong to root or the caller and others cannot write them. A missing
 * folder is trusted if its nearest existing parent is. */
MUST_CHECK bool trusted_folder(const char *path, struct error *err);
/* The file's own folder, absolute, without links, "." and "..". */
MUST_CHECK bool trusted_file_folder(const char *path, char folder[PATH_MAX], struct error *err);

#endif
