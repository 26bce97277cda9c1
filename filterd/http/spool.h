/* spool.h - bytes that wait for their reader: the first SPOOL_CHUNK in memory, the rest in a file.
 *
 * A batch's answers cannot leave before its last line has arrived, and must not grow in memory. The
 * file has no name and every chunk is sealed (ChaCha20-Poly1305) with a key that lives in memory
 * and dies with the spool, so no text is ever on a disk in clear. Written first, then read once, in
 * order. One thread at a time. */
#ifndef FILTERD_HTTP_SPOOL_H
#define FILTERD_HTTP_SPOOL_H

#include <stdint.h>

#include "base/buf.h"

enum { SPOOL_CHUNK = 64 * 1024 };

struct spool;

/* `directory` is where the file would be made; `max` the most bytes it takes. */
struct spool *spool_new(const char *directory, uint64_t max, struct error *err);
void spool_free(struct spool *s);

MUST_CHECK bool spool_append(struct spool *s, struct span bytes, struct error *err);
uint64_t spool_size(const struct spool *s);
/* The next bytes, valid until the next call; empty at the end. */
MUST_CHECK bool spool_read(struct spool *s, size_t max, struct span *bytes, struct error *err);

#endif
