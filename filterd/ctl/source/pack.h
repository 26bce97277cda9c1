/* pack.h - one pack of a Git repository: where its objects are, and what is stored for each.
 *
 * The formats are gitformat-pack(5): an index of version 2, a pack of version 2 or 3, ids of SHA-1 or SHA-256. Checksums over whole files
 * are not verified, as git itself does not when it reads an object; those over each object (RFC 1950) are. Files may be hostile, and may change
 * while they are read. Not for several threads. */
#ifndef FILTERD_CTL_SOURCE_PACK_H
#define FILTERD_CTL_SOURCE_PACK_H

#include <stdint.h>

#include "base/buf.h"

struct libdeflate_decompressor;

struct pack {
    int fd;
    size_t id_bytes;
    size_t end;       /* offset behind the last object */
    struct buf index;
    uint32_t n;       /* objects */
    struct buf window; /* bytes of the file from `window_from` on */
    size_t window_from;
};

/* For initialisers, before pack_open. */
#define PACK_NONE {.fd = -1}

enum pack_type { PACK_COMMIT = 1, PACK_TREE, PACK_BLOB, PACK_TAG, PACK_OFFSET_DELTA = 6, PACK_ID_DELTA };

struct pack_object {
    enum pack_type type;
    size_t size; /* bytes, inflated: of the object, or of the delta */
    size_t base; /* offset of a delta's base; else 0 */
    size_t data; /* offset of its deflated bytes */
};

/* `index` is the path of the .idx file; the pack is beside it. LIMIT: the index has more than `index_max` bytes. */
MUST_CHECK bool pack_open(struct pack *p, const char *index, size_t id_bytes, size_t index_max, struct error *err);
void pack_close(struct pack *p);
/* Reads all objects' bytes into memory, where there is some; else they are read as they are needed. */
void pack_read_whole(struct pack *p);
/* `id`: id_bytes of them. */
bool pack_find(const struct pack *p, const uint8_t *id, size_t *offset);
MUST_CHECK bool pack_head(struct pack *p, size_t offset, struct pack_object *o, struct error *err);
/* Fills to[0, o->size). One that is deflated to far more bytes than it has is refused. */
MUST_CHECK bool pack_inflate(struct pack *p, struct libdeflate_decompressor *d, const struct pack_object *o, char *to, struct error *err);

#endif
