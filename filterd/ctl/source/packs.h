/* packs.h - blobs, or trees, out of the packs of a Git repository's own folder of objects.
 *
 * Contents that others are deltas of are kept while there is room: versions of a file are deltas of later ones, which are read
 * after them. Trees are kept also when they were read. Not for several threads. */
#ifndef FILTERD_CTL_SOURCE_PACKS_H
#define FILTERD_CTL_SOURCE_PACKS_H

#include "ctl/source/bases.h"
#include "ctl/source/pack.h"

struct packs {
    struct pack *items;
    size_t n, id_bytes;
    enum pack_type type;
    size_t max;
    struct bases bases;
    struct buf deltas; /* of the chain that is being read, one behind the other */
    struct packs_link *links;
    size_t n_links, max_links;
    struct libdeflate_decompressor *inflater;
};

/* Zeroed, it has no packs. `folder` is the repository's folder `objects`. Left out are packs that are not intact, all when there are
 * many, and those of repositories that it shares. `type`: PACK_BLOB or PACK_TREE, what is read. It has at most `max` bytes. Fails when there is
 * no memory. */
MUST_CHECK bool packs_open(struct packs *p, const char *folder, size_t id_bytes, enum pack_type type, size_t max, struct error *err);
void packs_close(struct packs *p);
/* So many objects will be read. Packs that are not large for that are read as a whole: objects of one file are all over a pack. */
void packs_expect(struct packs *p, size_t objects);
/* `id` is hexadecimal. */
bool packs_find(const struct packs *p, struct span id, struct pack **pack, size_t *offset);
/* The same of its bytes. */
bool packs_find_bytes(const struct packs *p, const uint8_t *id, struct pack **pack, size_t *offset);
/* The bytes of a hexadecimal id, at most 32. False: it has another length than those of the packs. */
bool packs_id(const struct packs *p, struct span id, uint8_t *bytes);
/* Held by the caller. NULL: there is no memory (NO_MEMORY), or it is of another type, too large, or not intact. */
struct content *packs_read(struct packs *p, struct pack *pack, size_t offset, struct error *err);

#endif
