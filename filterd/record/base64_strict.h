/* base64_strict.h - Base64 (RFC 4648) in canonical form only: padded, no trailing bits, no characters outside the alphabet.
 *
 * libsodium 1.0.18 accepts some bytes above ASCII as characters of the alphabet, so they are checked here first. Any
 * thread. */
#ifndef FILTERD_RECORD_BASE64_STRICT_H
#define FILTERD_RECORD_BASE64_STRICT_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

/* All of the text, into at most `max` bytes; *n of them. */
MUST_CHECK bool base64_strict_decode(struct span text, uint8_t *out, size_t max, size_t *n);
/* The same without padding. */
MUST_CHECK bool base64_strict_decode_bare(struct span text, uint8_t *out, size_t max, size_t *n);
/* The alphabet of URLs, without padding. */
MUST_CHECK bool base64_strict_decode_url(struct span text, uint8_t *out, size_t max, size_t *n);

#endif
