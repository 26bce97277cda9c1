/* spool.h - a queue of bytes: the first SPOOL_CHUNK in memory, the rest in an encrypted file.
 *
 * A batch's answers cannot leave before its last line has arrived, and must not accumulate in memory. The
 * file has no name, and every chunk is sealed (ChaCha20-Poly1305) with a key that exists only in memory
 * for the life of the spool, so text is never on disk in clear. Write everything first, then read it once, in
 * order. One thread at a time. */
#ifndef FILTERD_HTTP_SPOOL_H
#define FILTERD_HTTP_SPOOL_H

#include <stdint.h>

#include "base/buf.h"

enum { SPOOL_CHUNK = 64 * 1024 };

struct spool;

/* `directory` is for the file; `max` is the maximum number of bytes. */
struct spool *spool_new(const char *directory, uint64_t max, struct error *err);
void spool_free(struct spool *s);

MUST_CHECK bool spool_append(struct spool *s, struct span bytes, struct error *err);
uint64_t spool_size(const struct spool *s);
/* The next bytes, valid until the next call; empty at the end. */
MUST_CHECK bool spool_read(struct spool *s, size_t max, struct span *bytes, struct error *err);

#endif
