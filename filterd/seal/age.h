/* age.h - complete age v1 files (C2SP age.md) for X25519 recipients: what `age -d -i KEY FILE` opens.
 *
 * A file is a header, with one stanza per recipient and a MAC, and a payload in chunks of 64 KiB. Any single recipient
 * can open it. No payload is returned before all of it is authenticated: a truncated, extended or changed file is refused.
 * Stanzas of other types (passphrases, SSH keys) are ignored. No state: any thread. */
#ifndef FILTERD_SEAL_AGE_H
#define FILTERD_SEAL_AGE_H

#include "base/buf.h"
#include "seal/bech32.h"
#include "seal/secret.h"

enum {
    AGE_KEY = 32,
    AGE_STANZAS_MAX = 64,
    AGE_HEADER_MAX = 64 * 1024,
    AGE_RECIPIENT_TEXT = BECH32_TEXT(3, AGE_KEY),   /* age1…, without NUL */
    AGE_IDENTITY_TEXT = BECH32_TEXT(15, AGE_KEY),   /* AGE-SECRET-KEY-1… */
    AGE_IDENTITIES_MAX = 64,
};

/* The public key that a file is written to, and the private one that opens it. */
struct age_recipient {
    uint8_t bytes[AGE_KEY];
};
struct age_identity {
    uint8_t bytes[AGE_KEY];
};

/* "age1…", "AGE-SECRET-KEY-1…". */
bool age_recipient_read(struct span text, struct age_recipient *out);
void age_recipient_write(const struct age_recipient *r, char text[AGE_RECIPIENT_TEXT + 1]);
/* Whether a file can be encrypted to it: not of low order. */
bool age_recipient_is_usable(const struct age_recipient *r);
bool age_identity_read(struct span text, struct age_identity *out);
/* NUL-terminated; a new random one, and the recipient that it belongs to. */
void age_identity_make(struct age_identity *out, char text[AGE_IDENTITY_TEXT + 1]);
void age_identity_recipient(const struct age_identity *identity, struct age_recipient *out);

/* Removes the first line of a text that is not empty, and returns it without trailing white space. */
struct span age_take_line(struct span *text);
/* The identities of a file as age-keygen writes it: one a line, empty lines and comments (#). `out` has room for
 * AGE_IDENTITIES_MAX. An error names file and line, never what is there. */
MUST_CHECK bool age_identities_read(const char *file, struct span text, struct age_identity *out, size_t *n,
                                    struct error *err);

/* Appends the file of `plain` for 1 to AGE_STANZAS_MAX recipients. */
MUST_CHECK bool age_seal(const struct age_recipient *recipients, size_t n, struct span plain, struct buf *out,
                         struct error *err);

/* The payload, into a secret that the call makes. DENIED when none of the identities is a recipient; MALFORMED when it is
 * no age file, or not as it was written. */
MUST_CHECK bool age_open(const struct age_identity *identities, size_t n, struct span file, struct secret *out,
                         struct error *err);

/* Appends the same payload, byte for byte, under a new header for these recipients. Whether the payload is whole is not
 * looked at. */
MUST_CHECK bool age_rewrap(const struct age_identity *identities, size_t n, struct span file,
                           const struct age_recipient *recipients, size_t n_recipients, struct buf *out,
                           struct error *err);

#endif
