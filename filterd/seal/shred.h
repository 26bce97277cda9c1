/* shred.h - keys that make sealed originals unreadable when they are deleted: one per tenant and month.
 *
 * The content of a sealed file is encrypted under one of these keys before it is sealed to its recipients, so deleting the key
 * erases every copy and every backup of those files. The store is a separate SQLite file, `shred.db` in a folder of mode 0700,
 * whose backups should be kept for days and not for years. Deleted rows are overwritten, in the database's journal as well.
 *
 * Several threads and several processes may use one store. */
#ifndef FILTERD_SEAL_SHRED_H
#define FILTERD_SEAL_SHRED_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

#define SHRED_FOLDER "shred"
#define SHRED_FILE "shred.db"

enum { SHRED_KEY = 32, SHRED_ID = 16, SHRED_MONTH = 7 };

struct shred_key {
    char id[SHRED_ID + 1]; /* random hexadecimal, NUL-terminated */
    uint8_t key[SHRED_KEY];
};

struct shred_store;

/* For the service: creates missing folder and file. NULL with what was expected. */
struct shred_store *shred_open(const char *folder, struct error *err);
/* For readers of a store, and for erasure: `path` is that of the file, which must be there. */
struct shred_store *shred_open_file(const char *path, struct error *err);
void shred_close(struct shred_store *s);

/* "2026-11", of UTC. */
void shred_month(int64_t utc_ns, char month[SHRED_MONTH + 1]);

/* The key of the tenant and the month, made and on disk when there was none. */
MUST_CHECK bool shred_key_for(struct shred_store *s, struct span tenant, const char *month, struct shred_key *out,
                              struct error *err);
/* NOT_FOUND: it was deleted, or belongs to another store. */
MUST_CHECK bool shred_find(struct shred_store *s, const char *id, struct shred_key *out, struct error *err);

/* Deletes a key irrecoverably. */
MUST_CHECK bool shred_delete(struct shred_store *s, const char *id, struct error *err);

/* Calls `found` for each key, oldest month first; the texts are valid during the call. */
typedef void shred_found_fn(void *context, const char *id, struct span tenant, const char *month);
MUST_CHECK bool shred_each(struct shred_store *s, shred_found_fn *found, void *context, struct error *err);

#endif
