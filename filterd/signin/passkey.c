#include "signin/passkey.h"

#include <fido.h>
#include <fido/eddsa.h>
#include <fido/es256.h>
#include <fido/rs256.h>
#include <sodium.h>
#include <stdio.h>

#include "base/arena.h"
#include "base/ascii.h"
#include "base/cleanup.h"
#include "http/members.h"

enum { FLAGS_PRESENT_AND_VERIFIED = 0x01 | 0x04, RP_ID_HASH = 32, MEMORY_MAX = 64 * 1024, LABEL_MAX = 63, PORT_DIGITS = 5 };

static bool deny(struct error *err, const char *what)
{
    return error_set(err, ERROR_DENIED, "passkey: %s", what);
}

/* --- the site --------------------------------------------------------------- */

/* Labels of lower-case letters, digits and hyphens; the last one has a letter, so the host is no IPv4 address. */
static bool is_domain(struct span host)
{
    size_t label = 0;
    bool has_letter = false;

    for (size_t i = 0; i < host.len; i++) {
        char c = host.ptr[i];
        bool is_letter = c >= 'a' && c <= 'z', is_dot = c == '.';
        bool is_edge = label == 0 || i + 1 == host.len || host.ptr[i + 1] == '.';
        if (!is_letter && !ascii_is_digit(c) && (is_dot ? label == 0 : c != '-' || is_edge)) {
            return false;
        }
        has_letter = is_dot ? false : has_letter || is_letter;
        label = is_dot ? 0 : label + 1;
        if (label > LABEL_MAX) {
            return false;
        }
    }
    return has_letter && label > 0 && host.len <= PASSKEY_HOST_MAX;
}

/* ":8443"; empty. Not the default port, which browsers leave out. */
static bool is_port(struct span text, unsigned standard)
{
    unsigned port = 0;

    if (text.len == 0) {
        return true;
    }
    for (size_t i = 1; i < text.len; i++) {
        if (!ascii_is_digit(text.ptr[i]) || i > PORT_DIGITS) {
            return false;
        }
        port = 10 * port + (unsigned)(text.ptr[i] - '0');
    }
    return text.len > 1 && text.ptr[1] != '0' && port <= 65535 && port != standard;
}

bool passkey_site_read(const char *origin, struct passkey_site *out, struct error *err)
{
    static const char secure[] = "https://", local[] = "http://";
    struct span text = span_str(origin == NULL ? "" : origin);
    bool is_secure = span_starts_with(text, span_str(secure)), is_plain = span_starts_with(text, span_str(local));
    size_t begin = is_secure ? sizeof(secure) - 1 : is_plain ? sizeof(local) - 1 : 0, end = begin;

    while (end < text.len && text.ptr[end] != ':') {
        end++;
    }
    struct span host = span_slice(text, begin, end), port = span_slice(text, end, text.len);
    bool is_good = begin > 0 && is_domain(host) && is_port(port, is_secure ? 443 : 80) && (is_secure || span_is(host, "localhost"));
    if (!is_good) {
        return error_set(err, ERROR_INVALID, "an origin such as https://review.example:8443, with a domain in lower case, expected "
                                             "(or http://localhost:PORT)");
    }
    (void)snprintf(out->origin, sizeof(out->origin), "%s", origin);
    (void)snprintf(out->rp_id, sizeof(out->rp_id), SPAN_FMT, SPAN_ARG(host));
    return true;
}

/* --- public keys ------------------------------------------------------------ */

/* Each allocates libfido2's form of a key and copies the bytes, whose length it verifies. NULL: not a key. */
static void *make_es256(const uint8_t *key, size_t len)
{
    es256_pk_t *pk = es256_pk_new();

    if (pk != NULL && es256_pk_from_ptr(pk, key, len) != FIDO_OK) {
        es256_pk_free(&pk);
    }
    return pk;
}

static void *make_eddsa(const uint8_t *key, size_t len)
{
    eddsa_pk_t *pk = eddsa_pk_new();

    if (pk != NULL && eddsa_pk_from_ptr(pk, key, len) != FIDO_OK) {
        eddsa_pk_free(&pk);
    }
    return pk;
}

static void *make_rs256(const uint8_t *key, size_t len)
{
    rs256_pk_t *pk = rs256_pk_new();

    if (pk != NULL && rs256_pk_from_ptr(pk, key, len) != FIDO_OK) {
        rs256_pk_free(&pk);
    }
    return pk;
}

static void free_es256(void *pk)
{
    es256_pk_t *key = pk;

    es256_pk_free(&key);
}

static void free_eddsa(void *pk)
{
    eddsa_pk_t *key = pk;

    eddsa_pk_free(&key);
}

static void free_rs256(void *pk)
{
    rs256_pk_t *key = pk;

    rs256_pk_free(&key);
}

static const struct algorithm {
    int cose;
    size_t key_len; /* from_ptr accepts longer ones */
    void *(*make)(const uint8_t *key, size_t len);
    void (*free)(void *pk);
} algorithms[] = {
    {COSE_EDDSA, 32, make_eddsa, free_eddsa},
    {COSE_ES256, 64, make_es256, free_es256},
    {COSE_RS256, PASSKEY_KEY_MAX, make_rs256, free_rs256},
};

const int passkey_algorithms[] = {COSE_EDDSA, COSE_ES256, COSE_RS256, 0};

static const struct algorithm *find_algorithm(const struct passkey *k)
{
    for (size_t i = 0; i < COUNT(algorithms); i++) {
        if (algorithms[i].cose == k->algorithm && algorithms[i].key_len == k->key_len) {
            return &algorithms[i];
        }
    }
    return NULL;
}

bool passkey_check(const struct passkey *k, struct error *err)
{
    const struct algorithm *a = find_algorithm(k);
    void *pk = a == NULL || k->id_len == 0 || k->id_len > PASSKEY_ID_MAX ? NULL : a->make(k->key, k->key_len);

    if (pk == NULL) {
        return error_set(err, ERROR_INVALID, "passkey: a credential id and a public key of its algorithm expected");
    }
    a->free(pk);
    return true;
}

/* --- client data ------------------------------------------------------------- */

struct client_data {
    struct span type, challenge, origin, top_origin;
    bool is_cross_origin;
};

static const struct member client_data_members[] = {
    {"type", &member_text, offsetof(struct client_data, type), 0},
    {"challenge", &member_text, offsetof(struct client_data, challenge), 0},
    {"origin", &member_text, offsetof(struct client_data, origin), 0},
    {"crossOrigin", &member_flag, offsetof(struct client_data, is_cross_origin), 0},
    {"topOrigin", &member_text, offsetof(struct client_data, top_origin), 0},
    {0},
};

/* Of this ceremony, this challenge and this site, not within a frame of another. Browsers may add members. */
static bool check_client_data(const struct passkey_site *site, const uint8_t challenge[PASSKEY_CHALLENGE], struct span text,
                              const char *type, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct client_data data = {0};
    struct filter_fault fault;
    struct member_reader reader = {
        .arena = &memory, .members = client_data_members, .out = &data, .fault = &fault, .is_open = true};
    char expected[PASSKEY_CHALLENGE_TEXT + 1];

    _Static_assert(sodium_base64_ENCODED_LEN(PASSKEY_CHALLENGE, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == sizeof(expected),
                   "the text of a challenge");
    arena_init(&memory, 0, MEMORY_MAX);
    if (text.len == 0 || text.len > PASSKEY_CLIENT_DATA_MAX || !members_read(&reader, text)) {
        return deny(err, "client data: a JSON object expected");
    }
    (void)sodium_bin2base64(expected, sizeof(expected), challenge, PASSKEY_CHALLENGE, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    if (!span_is(data.type, type)) {
        return deny(err, "client data: another type of ceremony");
    }
    if (data.challenge.len != PASSKEY_CHALLENGE_TEXT || sodium_memcmp(data.challenge.ptr, expected, PASSKEY_CHALLENGE_TEXT) != 0) {
        return deny(err, "client data: another challenge");
    }
    if (!span_is(data.origin, site->origin) || data.is_cross_origin || members_has(&reader, "topOrigin")) {
        return deny(err, "client data: another origin");
    }
    return true;
}

/* --- registration ------------------------------------------------------------- */

static const uint8_t *bytes_of(struct span s)
{
    return (const uint8_t *)s.ptr;
}

/* libfido2 accepts authenticator data of the expected algorithm only. NULL: of another, or malformed. */
static fido_cred_t *read_credential(struct span auth_data, int algorithm)
{
    fido_cred_t *cred = fido_cred_new();

    if (cred != NULL && (fido_cred_set_type(cred, algorithm) != FIDO_OK ||
                         fido_cred_set_authdata_raw(cred, bytes_of(auth_data), auth_data.len) != FIDO_OK)) {
        fido_cred_free(&cred);
    }
    return cred;
}

/* Without an attestation there is no signature; the site and the flags are verified here. */
static bool check_credential(const fido_cred_t *cred, const struct passkey_site *site, struct span auth_data, struct error *err)
{
    uint8_t hash[RP_ID_HASH];

    _Static_assert((int)RP_ID_HASH == (int)crypto_hash_sha256_BYTES, "a SHA-256");
    (void)crypto_hash_sha256(hash, (const uint8_t *)site->rp_id, strlen(site->rp_id));
    if (auth_data.len < RP_ID_HASH || sodium_memcmp(auth_data.ptr, hash, RP_ID_HASH) != 0) {
        return deny(err, "authenticator data: another RP ID");
    }
    if ((fido_cred_flags(cred) & FLAGS_PRESENT_AND_VERIFIED) != FLAGS_PRESENT_AND_VERIFIED) {
        return deny(err, "authenticator data: user presence and user verification expected");
    }
    return true;
}

static bool take_credential(const fido_cred_t *cred, int algorithm, struct passkey *out, struct error *err)
{
    struct passkey k = {.algorithm = algorithm, .id_len = fido_cred_id_len(cred), .key_len = fido_cred_pubkey_len(cred),
                        .count = fido_cred_sigcount(cred)};

    if (k.id_len == 0 || k.id_len > PASSKEY_ID_MAX || k.key_len > PASSKEY_KEY_MAX || fido_cred_pubkey_ptr(cred) == NULL) {
        return deny(err, "authenticator data: a credential expected");
    }
    memcpy(k.id, fido_cred_id_ptr(cred), k.id_len);
    memcpy(k.key, fido_cred_pubkey_ptr(cred), k.key_len);
    if (!passkey_check(&k, err)) {
        return deny(err, "authenticator data: a valid public key expected");
    }
    *out = k;
    return true;
}

bool passkey_register(const struct passkey_site *site, const uint8_t challenge[PASSKEY_CHALLENGE], const struct passkey_response *r,
                      struct passkey *out, struct error *err)
{
    fido_cred_t *cred = NULL;
    size_t i = 0;

    fido_init(0);
    if (!check_client_data(site, challenge, r->client_data, "webauthn.create", err)) {
        return false;
    }
    for (; r->auth_data.len <= PASSKEY_AUTH_DATA_MAX && i < COUNT(algorithms); i++) {
        if ((cred = read_credential(r->auth_data, algorithms[i].cose)) != NULL) {
            break;
        }
    }
    bool is_good = cred == NULL ? deny(err, "authenticator data: a credential of a known algorithm expected")
                                : check_credential(cred, site, r->auth_data, err) &&
                                      take_credential(cred, algorithms[i].cose, out, err);
    fido_cred_free(&cred);
    return is_good;
}

/* --- assertion ----------------------------------------------------------------- */

/* fido_assert_verify compares the RP ID's hash and the flags, and verifies the signature. */
static bool verify(fido_assert_t *assert, const struct passkey_site *site, const struct algorithm *a, const void *pk,
                   const struct passkey_response *r)
{
    return fido_assert_set_clientdata(assert, bytes_of(r->client_data), r->client_data.len) == FIDO_OK &&
           fido_assert_set_rp(assert, site->rp_id) == FIDO_OK && fido_assert_set_up(assert, FIDO_OPT_TRUE) == FIDO_OK &&
           fido_assert_set_uv(assert, FIDO_OPT_TRUE) == FIDO_OK && fido_assert_set_count(assert, 1) == FIDO_OK &&
           fido_assert_set_authdata_raw(assert, 0, bytes_of(r->auth_data), r->auth_data.len) == FIDO_OK &&
           fido_assert_set_sig(assert, 0, bytes_of(r->signature), r->signature.len) == FIDO_OK &&
           fido_assert_verify(assert, 0, a->cose, pk) == FIDO_OK;
}

bool passkey_assert(const struct passkey_site *site, const uint8_t challenge[PASSKEY_CHALLENGE], const struct passkey *k,
                    const struct passkey_response *r, uint32_t *count, struct error *err)
{
    const struct algorithm *a = find_algorithm(k);

    fido_init(0);
    if (!check_client_data(site, challenge, r->client_data, "webauthn.get", err)) {
        return false;
    }
    bool is_sized = r->auth_data.len > 0 && r->auth_data.len <= PASSKEY_AUTH_DATA_MAX && r->signature.len > 0 &&
                    r->signature.len <= PASSKEY_SIGNATURE_MAX;
    void *pk = a == NULL || !is_sized ? NULL : a->make(k->key, k->key_len);
    fido_assert_t *assert = pk == NULL ? NULL : fido_assert_new();
    bool is_good = assert != NULL && verify(assert, site, a, pk, r);
    if (is_good) {
        *count = fido_assert_sigcount(assert, 0);
    }
    fido_assert_free(&assert);
    if (pk != NULL) {
        a->free(pk);
    }
    return is_good || deny(err, "a signature of this key, with user verification, for this site expected");
}
