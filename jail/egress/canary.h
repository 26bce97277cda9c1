/* canary.h - searches outgoing traffic for the content of the jail's honeytokens: its sender has opened one.
 *
 * A match is proof, as the canary is unique to the jail. It is searched for by pieces of eight letters and digits that begin at
 * every fourth, so that no eleven of them in a row leave, whatever the rest was: a canary that is cut in two or three
 * and sent in as many requests is found in the first. Each piece as it is, in either letter case alone, backwards, in
 * hexadecimal, in base64 wherever it begins, and percent-encoded. That eight of them occur in other text by chance
 * is expected once in 10^11 bytes. Immutable after init; any thread. */
#ifndef FILTERD_JAIL_EGRESS_CANARY_H
#define FILTERD_JAIL_EGRESS_CANARY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum { EGRESS_CANARY_LONGEST = 32, EGRESS_CANARY_PIECE = 8, EGRESS_CANARY_FORMS = 80, EGRESS_CANARY_FORM_MAX = 3 * EGRESS_CANARY_PIECE };

struct egress_canary {
    char forms[EGRESS_CANARY_FORMS][EGRESS_CANARY_FORM_MAX];
    size_t lengths[EGRESS_CANARY_FORMS];
    size_t n;              /* 0: there is none, and nothing is ever found */
    uint64_t starts[1024]; /* a bit for each pair of bytes that some form begins with */
};

/* Letters and digits, 12 to EGRESS_CANARY_LONGEST of them; anything else is no canary. */
void egress_canary_init(struct egress_canary *c, const char *text);

bool egress_canary_is_in(const struct egress_canary *c, struct span text);

/* The same over pieces of a text. Zeroed at the beginning. */
struct egress_canary_scan {
    char kept[2 * EGRESS_CANARY_FORM_MAX]; /* the end of what came before */
    size_t len;
};
bool egress_canary_is_in_next(const struct egress_canary *c, struct egress_canary_scan *s, struct span piece);

#endif
