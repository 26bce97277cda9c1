/* addresses.h - the addresses in a prompt, which answers may give: links, hosts, mail and telephone numbers.
 *
 * A link may be given without its scheme and its "www."; another link of the same host, too. A part of an address is none. Addresses are ASCII, compared without regard
 * to case; kept are hashes of 64 bits. Immutable once it is used: any number of threads may read it. */
#ifndef FILTERD_DISCLOSURE_ADDRESSES_H
#define FILTERD_DISCLOSURE_ADDRESSES_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

/* Zeroed: without addresses. */
struct addresses {
    uint64_t *slots; /* open addressing; 0: empty */
    size_t n_slots, n;
};

void addresses_deinit(struct addresses *a);
/* Adds all addresses in the text. */
MUST_CHECK bool addresses_add(struct addresses *a, struct span text, struct error *err);
/* The text begins where what was copied begins, which ends at `to`. The end of the address that begins at `at`, punctuation around
 * it included, when it may be given; else `at`. */
size_t addresses_end(const struct addresses *a, struct span text, size_t at, size_t to);

#endif
