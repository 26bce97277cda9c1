/* age_parts.h - what writer and reader of age files share; for age_*.c alone. */
#ifndef FILTERD_SEAL_AGE_PARTS_H
#define FILTERD_SEAL_AGE_PARTS_H

#include "seal/age.h"

#define AGE_VERSION "age-encryption.org/v1\n"
#define AGE_X25519 "X25519"

enum {
    AGE_FILE_KEY = 16,
    AGE_TAG = 16,
    AGE_WRAPPED = AGE_FILE_KEY + AGE_TAG,
    AGE_NONCE = 16,
    AGE_CHUNK = 64 * 1024,
    AGE_MAC = 32,
    AGE_COUNTER = 12, /* the nonce of a chunk: its number, big-endian, and a byte that is 1 for the last */
};

/* HKDF-SHA-256 of 32 bytes (RFC 5869). */
void age_derive(struct span key, struct span salt, const char *info, uint8_t out[AGE_KEY]);
/* Of a header up to and with its "---". */
void age_header_mac(const uint8_t file_key[AGE_FILE_KEY], struct span header, uint8_t mac[AGE_MAC]);
/* The key that wraps the file key for a recipient. False for a public key of low order. */
MUST_CHECK bool age_wrap_key(const uint8_t own[AGE_KEY], const uint8_t other[AGE_KEY], const uint8_t share[AGE_KEY],
                             const uint8_t recipient[AGE_KEY], uint8_t key[AGE_KEY]);
/* Moves to the next chunk's nonce. */
void age_next_nonce(uint8_t nonce[AGE_COUNTER]);

/* Appends the header of a file key. */
MUST_CHECK bool age_write_header(const uint8_t file_key[AGE_FILE_KEY], const struct age_recipient *recipients, size_t n,
                                 struct buf *out, struct error *err);

#endif
