/* passkey.h - verification of passkeys: WebAuthn registrations and assertions (W3C Web Authentication Level 3, 7.1 and 7.2).
 *
 * Signatures and authenticator data are verified by libfido2; attestation is "none", so a registration proves possession of a new
 * key and user verification, not the make of the authenticator. Origin and challenge must be equal to the expected ones, the
 * RP ID hash must be that of the site, and user presence and user verification are required. All input is what a browser sent:
 * hostile. Pure but for OpenSSL's state. Any thread. */
#ifndef FILTERD_SIGNIN_PASSKEY_H
#define FILTERD_SIGNIN_PASSKEY_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum {
    PASSKEY_CHALLENGE = 32,
    PASSKEY_CHALLENGE_TEXT = 43, /* in base64url */
    PASSKEY_ID_MAX = 1023,       /* bytes of a credential id */
    PASSKEY_KEY_MAX = 259,       /* of a public key: RSA's modulus and exponent */
    PASSKEY_CLIENT_DATA_MAX = 4096,
    PASSKEY_AUTH_DATA_MAX = 4096,
    PASSKEY_SIGNATURE_MAX = 512,
    PASSKEY_HOST_MAX = 253,
    PASSKEY_ORIGIN_MAX = PASSKEY_HOST_MAX + 16,
};

/* The one origin whose pages may use passkeys; its host is the RP ID. */
struct passkey_site {
    char origin[PASSKEY_ORIGIN_MAX + 1]; /* "https://review.example:8443" */
    char rp_id[PASSKEY_HOST_MAX + 1];
};

/* Reads an origin as browsers serialize it: https, a domain in lower case, a port unless it is 443, nothing else; or
 * http://localhost with a port. Browsers accept no IP address as an RP ID. INVALID. */
MUST_CHECK bool passkey_site_read(const char *origin, struct passkey_site *out, struct error *err);

/* A public key credential. Keys are in libfido2's form: x and y of P-256, 32 bytes of Ed25519, n and e of RSA. */
struct passkey {
    int algorithm; /* COSE: -7 ES256, -8 EdDSA, -257 RS256 */
    size_t id_len, key_len;
    uint8_t id[PASSKEY_ID_MAX], key[PASSKEY_KEY_MAX];
    uint32_t count; /* signature counter; 0: the authenticator has none */
};

/* COSE numbers of the accepted algorithms, ended by 0, the preferred one first. */
extern const int passkey_algorithms[];

/* What a browser returned, as bytes. */
struct passkey_response {
    struct span client_data; /* clientDataJSON */
    struct span auth_data;   /* authenticator data */
    struct span signature;   /* of an assertion; empty for a registration */
};

/* The length of each value is valid, and the public key is a point or number of its algorithm. */
MUST_CHECK bool passkey_check(const struct passkey *k, struct error *err);

/* Verifies a registration for that challenge. DENIED; *out is untouched then. */
MUST_CHECK bool passkey_register(const struct passkey_site *site, const uint8_t challenge[PASSKEY_CHALLENGE],
                                 const struct passkey_response *r, struct passkey *out, struct error *err);
/* Verifies an assertion of that key for that challenge; *count is the authenticator's counter. DENIED. */
MUST_CHECK bool passkey_assert(const struct passkey_site *site, const uint8_t challenge[PASSKEY_CHALLENGE],
                               const struct passkey *k, const struct passkey_response *r, uint32_t *count, struct error *err);

#endif
