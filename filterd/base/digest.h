/* digest.h - SHA-256 of bytes, and keyed tokens that represent a value without revealing it.
 *
 * A token is HMAC-SHA256 under a key, truncated to 128 bits: equal values have equal tokens, and without
 * the key a short value cannot be found by brute force. Use a plain digest only for values that are not secret. Uses
 * Nettle, which has the processor's SHA instructions. All results are lower-case hexadecimal,
 * NUL-terminated. Thread-safe, except for the same stream. */
#ifndef FILTERD_BASE_DIGEST_H
#define FILTERD_BASE_DIGEST_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { DIGEST_KEY = 32, DIGEST_TOKEN_HEX = 32, DIGEST_SHA256_HEX = 64 };

MUST_CHECK bool digest_sha256(struct span bytes, char hex[DIGEST_SHA256_HEX + 1],
                              struct error *err);
MUST_CHECK bool digest_token(const uint8_t key[DIGEST_KEY], struct span value,
                             char hex[DIGEST_TOKEN_HEX + 1], struct error *err);

/* The first 52 bits of a token as a number of [0, 1), for draws that take the key to foresee. */
double digest_fraction(const char hex[DIGEST_TOKEN_HEX + 1]);

/* The token of bytes in parts; equal to that of the concatenation. */
struct digest_stream {
    void *state;
};
MUST_CHECK bool digest_stream_init(struct digest_stream *s, const uint8_t key[DIGEST_KEY],
                                   struct error *err);
MUST_CHECK bool digest_stream_add(struct digest_stream *s, struct span part, struct error *err);
void digest_stream_token(struct digest_stream *s, char hex[DIGEST_TOKEN_HEX + 1]);
void digest_stream_deinit(struct digest_stream *s);

#endif
