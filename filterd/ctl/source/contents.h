/* contents.h - versions of files that others replace, by their blobs' ids: each from when it was read until the last one that
 * replaces it was, or until later ones need its room. Used by one thread; a content itself may be held by others.
 *
 * What is kept depends on the order of the calls alone, so that a scan finds the same each time. */
#ifndef FILTERD_CTL_SOURCE_CONTENTS_H
#define FILTERD_CTL_SOURCE_CONTENTS_H

#include <stdatomic.h>
#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

struct content {
    atomic_uint holders;
    atomic_int form; /* for its users, who may note what they found out about the bytes; 0 at first */
    size_t len;
    char bytes[];
};

/* Held by the caller. content_alloc: its bytes are not set yet. */
struct content *content_alloc(size_t len, struct error *err);
struct content *content_new(struct span bytes, struct error *err);
struct content *content_hold(struct content *c);
void content_release(struct content *c); /* NULL: nothing */

enum { CONTENTS_SECRET = 16 };

struct contents {
    uint8_t secret[CONTENTS_SECRET]; /* of the hash of ids */
    struct content_slot *slots;      /* a power of two of them */
    size_t n, n_slots;
    size_t bytes, max_bytes;
    size_t oldest, newest; /* of those that are kept; slots from 1 on, 0: none */
};

void contents_init(struct contents *c, size_t max_bytes);
void contents_deinit(struct contents *c);
/* One version more replaces this blob. Before the first contents_put; the id is borrowed. */
MUST_CHECK bool contents_expect(struct contents *c, struct span id, struct error *err);
/* Keeps it if a version that replaces it is still to come. It may displace older ones. */
void contents_put(struct contents *c, struct span id, struct content *content);
/* For one of the versions that replace it. Held for the caller; NULL: it is not there, or not any more. */
struct content *contents_take(struct contents *c, struct span id);

#endif
