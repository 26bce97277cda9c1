/* local_keys.h - the key files of a log's own signer: log.key, and log.next while one key follows the other.
 *
 * Rotation begins with local_keys_prepare, which makes log.next; a signer that starts then signs with both keys; local_keys_retire
 * renames log.next to log.key. Each of these is one rename, so that a crash leaves the state before or after it. One thread. */
#ifndef FILTERD_WITNESS_LOCAL_KEYS_H
#define FILTERD_WITNESS_LOCAL_KEYS_H

#include "witness/cosign.h"

/* Reads the keys in `folder`, which w->keys borrows; log.key is made where it is missing. */
MUST_CHECK bool local_keys_open(struct witness *w, const char *folder, struct error *err);
/* Makes log.next, owned as log.key is; one that is there stays, so that it can be repeated. NOT_FOUND: there is no log.key. */
MUST_CHECK bool local_keys_prepare(const char *folder, uint8_t next[NOTE_SEED], struct error *err);
/* The next key is the key, on disk and here. On failure both still sign. */
MUST_CHECK bool local_keys_retire(struct witness *w, struct error *err);

#endif
