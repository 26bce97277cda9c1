/* database_cache.h - compiled pattern databases in files of one folder, named by their keys.
 *
 * A file that a user other than its owner (root or the caller) could have written is not read: a database decides where rules
 * look. A digest without a key guards against accidents. Only the newest are kept, so that a folder does not grow with each
 * change of a rule. A folder that cannot be used costs the next start its time, nothing else: no errors. */
#ifndef FILTERD_SCAN_DATABASE_CACHE_H
#define FILTERD_SCAN_DATABASE_CACHE_H

#include <stdint.h>

#include "base/buf.h"

enum { DATABASE_CACHE_KEY = 32, DATABASE_CACHE_FILE_MAX = 256 * 1024 * 1024, DATABASE_CACHE_FILES_MAX = 8 };

/* The form of the files; part of every key. */
extern const char database_cache_magic[8];

/* *body lies in `file`, which the caller has initialised. False whenever anything is not as it was written. */
bool database_cache_read(const char *directory, const uint8_t key[DATABASE_CACHE_KEY], struct buf *file,
                         struct span *body);
void database_cache_write(const char *directory, const uint8_t key[DATABASE_CACHE_KEY], struct span body);

#endif
