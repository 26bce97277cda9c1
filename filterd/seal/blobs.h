/* blobs.h - the folder of sealed originals: one file each, named at random, `ab/abcd….age`.
 *
 * The calling thread writes a file; it is on disk when blobs_sync has returned true. The writer of the record calls that before
 * it writes the lines that name the files, so that a line on disk never names a file that is not. Any thread. */
#ifndef FILTERD_SEAL_BLOBS_H
#define FILTERD_SEAL_BLOBS_H

#include <limits.h>

#include "base/error.h"
#include "base/span.h"

#define BLOBS_FOLDER "seal"

enum { BLOB_ID = 32 };

struct blobs;

/* The folder is created with the first file. NULL: no memory. */
struct blobs *blobs_new(const char *folder, struct error *err);
void blobs_free(struct blobs *b);

/* Writes a file of mode 0600 and returns its name. A file that could not be written is removed. */
MUST_CHECK bool blobs_add(struct blobs *b, struct span content, char id[BLOB_ID + 1], struct error *err);
/* Syncs all files that were added before the call. */
MUST_CHECK bool blobs_sync(struct blobs *b, struct error *err);

/* "FOLDER/ab/abcd….age". False for an invalid id or a path that is too long. */
bool blobs_path(const char *folder, struct span id, char path[PATH_MAX]);

#endif
