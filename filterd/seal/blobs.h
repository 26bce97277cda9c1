/* blobs.h - the folder of sealed originals: one file each, named at random, `ab/abcd….age`.
 *
 * A file is written by the thread that asks, and is on disk when blobs_sync has returned true: the writer of the record
 * calls it before it writes the lines that name files, so that a line on disk never names a file that is not. Any thread. */
#ifndef FILTERD_SEAL_BLOBS_H
#define FILTERD_SEAL_BLOBS_H

#include <limits.h>

#include "base/error.h"
#include "base/span.h"

#define BLOBS_FOLDER "seal"

enum { BLOB_ID = 32 };

struct blobs;

/* The folder is made with the first file. NULL when memory is out. */
struct blobs *blobs_new(const char *folder, struct error *err);
void blobs_free(struct blobs *b);

/* Writes a file of that content, mode 0600, and says its name. A file that could not be written is removed. */
MUST_CHECK bool blobs_add(struct blobs *b, struct span content, char id[BLOB_ID + 1], struct error *err);
/* Of all that was added before the call: on disk when this returns true. */
MUST_CHECK bool blobs_sync(struct blobs *b, struct error *err);

/* "FOLDER/ab/abcd….age". False for an invalid id or a path that is too long. */
bool blobs_path(const char *folder, struct span id, char path[PATH_MAX]);

#endif
