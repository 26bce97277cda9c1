/* canary.h - searches outgoing traffic for the content of the jail's honeytokens, whose sender has opened one.
 *
 * A match is proof, because the canary is unique to the jail. The search uses pieces of eight letters and digits that begin at
 * every fourth, so that no eleven in a row can leave: a canary that is cut in two or three
 * and sent in as many requests is found in the first. Each piece is searched for as it is, all in upper or lower case, backwards, in
 * hexadecimal, in base64 at any offset, and percent-encoded. Other text contains a piece by chance
 * about once in 10^11 bytes. Immutable after init; any thread. */
#ifndef FILTERD_JAIL_EGRESS_CANARY_H
#define FILTERD_JAIL_EGRESS_CANARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum { EGRESS_CANARY_LONGEST = 32, EGRESS_CANARY_PIECE = 8, EGRESS_CANARY_FORMS = 80, EGRESS_CANARY_FORM_MAX = 3 * EGRESS_CANARY_PIECE };

struct egress_canary {
    char forms[EGRESS_CANARY_FORMS][EGRESS_CANARY_FORM_MAX];
    size_t lengths[EGRESS_CANARY_FORMS];
    size_t n;              /* 0: no canary, nothing is ever found */
    uint64_t starts[1024]; /* a bit for each pair of bytes with which a form begins */
};

/* `text`: 12 to EGRESS_CANARY_LONGEST letters and digits; anything else sets no canary. */
void egress_canary_init(struct egress_canary *c, const char *text);

bool egress_canary_is_in(const struct egress_canary *c, struct span text);

/* The same over pieces of a text. Zero it at the beginning. */
struct egress_canary_scan {
    char kept[2 * EGRESS_CANARY_FORM_MAX]; /* the end of what came before */
    size_t len;
};
bool egress_canary_is_in_next(const struct egress_canary *c, struct egress_canary_scan *s, struct span piece);

#endif
