/* base64.h - base64 and base64url (RFC 4648), decoded into the caller's bytes.
 *
 * Padding may be left out. Bits left over at the end are not checked: encoders differ. */
#ifndef FILTERD_FORMATS_BASE64_H
#define FILTERD_FORMATS_BASE64_H

#include <stdint.h>

#include "base/span.h"

enum base64_alphabet { BASE64_STANDARD, BASE64_URL, BASE64_EITHER };

/* Room for what 64 KiB of text decode to: as much as a check may get (checks/check.h). */
enum { BASE64_DECODED_MAX = 64 * 1024 / 4 * 3 };

/* Value of a character, 0 to 63, or -1. */
int base64_value(char c, enum base64_alphabet alphabet);
char base64_character(unsigned value, enum base64_alphabet alphabet);
/* Length of the run of the alphabet at the front, padding not counted. */
size_t base64_run(struct span text, enum base64_alphabet alphabet);
/* All of text; *len bytes. False on a foreign character, an impossible length, or more than max. */
bool base64_decode(struct span text, enum base64_alphabet alphabet, uint8_t *out, size_t max,
                   size_t *len);

#endif
