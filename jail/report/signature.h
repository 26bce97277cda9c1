/* signature.h - Ed25519 signatures of reports, and the key that makes them.
 *
 * A key is a file of 64 hexadecimal digits, the seed, readable only by its owner; the public key is
 * in a world-readable file in the same folder. Missing files are created. A signed report is one
 * line: {"report":R,"key":"ed25519:…","signature":"ed25519:…"}; the signature is of the bytes of R, so no
 * canonical JSON is needed. Uses libsodium. */
#ifndef FILTERD_JAIL_REPORT_SIGNATURE_H
#define FILTERD_JAIL_REPORT_SIGNATURE_H

#include <stdint.h>

#include "base/buf.h"

enum { JAIL_PUBLIC_KEY = 32, JAIL_SECRET_KEY = 64 };

#define JAIL_KEY_FILE "report.key"
#define JAIL_PUBLIC_KEY_FILE "report.pub"

struct jail_signing_key {
    uint8_t public[JAIL_PUBLIC_KEY], secret[JAIL_SECRET_KEY];
};

/* Loads the key from the folder; creates missing files. Processes that do so concurrently get the same key. */
MUST_CHECK bool jail_signing_key_load(int folder, struct jail_signing_key *key, struct error *err);
void jail_signing_key_wipe(struct jail_signing_key *key);
/* Reads a file in the format of JAIL_PUBLIC_KEY_FILE. */
MUST_CHECK bool jail_public_key_read(const char *path, uint8_t key[JAIL_PUBLIC_KEY], struct error *err);

MUST_CHECK bool jail_sign(const struct jail_signing_key *key, struct span report, struct buf *out, struct error *err);
/* True when `line` is a report signed with that key; *report is the signed part. Ignores the key that the line
 * names. */
MUST_CHECK bool jail_verify(const uint8_t key[JAIL_PUBLIC_KEY], struct span line, struct span *report, struct error *err);

#endif
