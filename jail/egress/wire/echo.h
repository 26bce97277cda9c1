/* echo.h - finds a secret in an answer, in the forms in which servers repeat what they were asked with.
 *
 * The forms are the secret as it is, in hexadecimal, and in base64, common or for links, at any offset in the bytes that were encoded. Each
 * character of a form may be percent-encoded, escaped as in JSON ("\u0041", "\/") or an HTML character reference. Encodings in each
 * other, and others, are not found. Pure. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_ECHO_H
#define FILTERD_JAIL_EGRESS_WIRE_ECHO_H

#include <stdbool.h>

#include "base/span.h"

enum { ECHO_UNIT_MAX = 9 /* bytes of a character: "&#x00041;" */, ECHO_FACTOR = 2 * ECHO_UNIT_MAX /* of a secret: hexadecimal */ };

/* `secret` has at least 8 bytes. */
bool echo_is_in(struct span secret, struct span text);
/* The length of the longest end of the text with which the secret may begin in one of the forms. */
size_t echo_begun(struct span secret, struct span text);

#endif
