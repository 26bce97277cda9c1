/* contents.h - versions of files that were read a moment ago, by their blobs' ids, up to a number of bytes. Used by one thread;
 * a content itself may be held by others. */
#ifndef FILTERD_CTL_SOURCE_CONTENTS_H
#define FILTERD_CTL_SOURCE_CONTENTS_H

#include <stdatomic.h>

#include "base/error.h"
#include "base/span.h"

struct content {
    atomic_uint holders;
    size_t len;
    char bytes[];
};

struct content *content_new(struct span bytes, struct error *err); /* held by the caller */
struct content *content_hold(struct content *c);
void content_release(struct content *c); /* NULL: nothing */

struct contents {
    struct content_slot *slots;
    size_t bytes, max_bytes, hand;
};

MUST_CHECK bool contents_init(struct contents *c, size_t max_bytes, struct error *err);
void contents_deinit(struct contents *c);
/* It may displace others. */
void contents_put(struct contents *c, struct span id, struct content *content);
/* Held for the caller; NULL: it is not there, or not any more. */
struct content *contents_get(const struct contents *c, struct span id);

#endif
