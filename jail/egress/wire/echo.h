/* echo.h - finds a secret in an answer, in the forms in which servers repeat what they were asked with.
 *
 * The forms are the secret as it is, in any letter case, in hexadecimal, and in base64, common or for links, at any offset in the bytes that
 * were encoded; hexadecimal and base64 also in each other, twice. Each character of a form may be percent-encoded, escaped as in JSON
 * ("\u0041", "\/") or an HTML character reference, two of these in each other as well. Servers cut long values: a part is found, too, if it
 * has five eighths of the secret in a row, and nine bytes of a short one. Other encodings are not found. Immutable after init; any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_ECHO_H
#define FILTERD_JAIL_EGRESS_WIRE_ECHO_H

#include <stdbool.h>
#include <stdint.h>

#include "base/span.h"

enum {
    ECHO_LEAST = 8,   /* bytes of a secret that is looked for */
    ECHO_FACTOR = 36, /* bytes of a part of the secret, and of what repeats it, half of it: encodings and escapes in each other */
    ECHO_FORMS_MAX = 37,
    ECHO_PARTS_MAX = 9,
    ECHO_WAYS_MAX = ECHO_FORMS_MAX * ECHO_PARTS_MAX,
};

struct echo {
    struct span secret; /* borrowed */
    size_t part;        /* length of each part that is looked for */
    size_t step;        /* from the beginning of one part to the next */
    uint16_t ways[ECHO_WAYS_MAX]; /* a part in a form; in the order of their first characters */
    uint16_t from[257];           /* where in `ways` those with that first character begin */
    uint64_t pairs[1024];         /* a bit for each two characters with which a way begins */
};

/* Fewer than ECHO_LEAST bytes, as in a zeroed struct, are nowhere found. */
void echo_init(struct echo *e, struct span secret);

bool echo_is_in(const struct echo *e, struct span text);
/* The length of the longest end of the text with which a part of the secret may begin in one of the forms. */
size_t echo_begun(const struct echo *e, struct span text);

#endif
