/* age_keys.c - keys of age as text, and what is derived from them. */
#include <sodium.h>

#include "base/ascii.h"
#include "seal/age_parts.h"

static const char recipient_prefix[] = "age", identity_prefix[] = "age-secret-key-";

bool age_recipient_read(struct span text, struct age_recipient *out)
{
    struct age_recipient read;

    /* Written in lower case alone; upper case is for identities. */
    if (text.len == 0 || text.ptr[0] != 'a' || !bech32_decode(text, recipient_prefix, read.bytes, AGE_KEY)) {
        return false;
    }
    *out = read;
    return true;
}

/* Of a point of low order every shared secret is zero, and crypto_scalarmult refuses it. */
bool age_recipient_is_usable(const struct age_recipient *r)
{
    static const uint8_t any[AGE_KEY] = {8, 1};
    uint8_t shared[AGE_KEY];

    return crypto_scalarmult(shared, any, r->bytes) == 0;
}

void age_recipient_write(const struct age_recipient *r, char text[AGE_RECIPIENT_TEXT + 1])
{
    bech32_encode(recipient_prefix, r->bytes, AGE_KEY, text);
}

bool age_identity_read(struct span text, struct age_identity *out)
{
    struct age_identity read;
    bool is_read = text.len > 0 && text.ptr[0] == 'A' && bech32_decode(text, identity_prefix, read.bytes, AGE_KEY);

    if (is_read) {
        *out = read;
    }
    sodium_memzero(&read, sizeof(read));
    return is_read;
}

void age_identity_make(struct age_identity *out, char text[AGE_IDENTITY_TEXT + 1])
{
    randombytes_buf(out->bytes, sizeof(out->bytes));
    bech32_encode(identity_prefix, out->bytes, AGE_KEY, text);
    for (char *c = text; *c != '\0'; c++) {
        *c = (char)(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c);
    }
}

void age_identity_recipient(const struct age_identity *identity, struct age_recipient *out)
{
    (void)crypto_scalarmult_base(out->bytes, identity->bytes);
}

struct span age_take_line(struct span *text)
{
    const char *end = memchr(text->ptr, '\n', text->len);
    size_t len = end == NULL ? text->len : (size_t)(end - text->ptr);
    struct span line = span_slice(*text, 0, len);

    *text = span_slice(*text, end == NULL ? len : len + 1, text->len);
    while (line.len > 0 && ascii_is(line.ptr[line.len - 1], ASCII_SPACE)) {
        line.len--;
    }
    return line;
}

bool age_identities_read(const char *file, struct span text, struct age_identity *out, size_t *n, struct error *err)
{
    size_t found = 0;

    for (size_t number = 1; text.len > 0; number++) {
        struct span line = age_take_line(&text);
        if (line.len == 0 || line.ptr[0] == '#') {
            continue;
        }
        if (found == AGE_IDENTITIES_MAX) {
            return error_set(err, ERROR_LIMIT, "%s: at most %d identities expected", file, AGE_IDENTITIES_MAX);
        }
        if (!age_identity_read(line, &out[found])) {
            return error_set(err, ERROR_INVALID, "%s:%zu:1: an identity expected, AGE-SECRET-KEY-1…", file, number);
        }
        found++;
    }
    if (found == 0) {
        return error_set(err, ERROR_INVALID, "%s: an identity expected, AGE-SECRET-KEY-1…", file);
    }
    *n = found;
    return true;
}

/* --- derivation ------------------------------------------------------------------ */

void age_derive(struct span key, struct span salt, const char *info, uint8_t out[AGE_KEY])
{
    crypto_auth_hmacsha256_state state;
    uint8_t extracted[crypto_auth_hmacsha256_BYTES];
    const uint8_t first = 1;

    (void)crypto_auth_hmacsha256_init(&state, (const uint8_t *)(salt.ptr != NULL ? salt.ptr : ""), salt.len);
    (void)crypto_auth_hmacsha256_update(&state, (const uint8_t *)key.ptr, key.len);
    (void)crypto_auth_hmacsha256_final(&state, extracted);
    (void)crypto_auth_hmacsha256_init(&state, extracted, sizeof(extracted));
    (void)crypto_auth_hmacsha256_update(&state, (const uint8_t *)info, strlen(info));
    (void)crypto_auth_hmacsha256_update(&state, &first, 1);
    (void)crypto_auth_hmacsha256_final(&state, out);
    sodium_memzero(extracted, sizeof(extracted));
    sodium_memzero(&state, sizeof(state));
}

void age_header_mac(const uint8_t file_key[AGE_FILE_KEY], struct span header, uint8_t mac[AGE_MAC])
{
    crypto_auth_hmacsha256_state state;
    uint8_t key[AGE_KEY];

    age_derive(span_of((const char *)file_key, AGE_FILE_KEY), span_of(NULL, 0), "header", key);
    (void)crypto_auth_hmacsha256_init(&state, key, sizeof(key));
    (void)crypto_auth_hmacsha256_update(&state, (const uint8_t *)header.ptr, header.len);
    (void)crypto_auth_hmacsha256_final(&state, mac);
    sodium_memzero(key, sizeof(key));
    sodium_memzero(&state, sizeof(state));
}

bool age_wrap_key(const uint8_t own[AGE_KEY], const uint8_t other[AGE_KEY], const uint8_t share[AGE_KEY],
                  const uint8_t recipient[AGE_KEY], uint8_t key[AGE_KEY])
{
    uint8_t shared[AGE_KEY], salt[2 * AGE_KEY];

    if (crypto_scalarmult(shared, own, other) != 0) {
        return false;
    }
    memcpy(salt, share, AGE_KEY);
    memcpy(salt + AGE_KEY, recipient, AGE_KEY);
    age_derive(span_of((const char *)shared, sizeof(shared)), span_of((const char *)salt, sizeof(salt)),
               "age-encryption.org/v1/X25519", key);
    sodium_memzero(shared, sizeof(shared));
    return true;
}

void age_next_nonce(uint8_t nonce[AGE_COUNTER])
{
    for (size_t i = AGE_COUNTER - 1; i-- > 0 && ++nonce[i] == 0;) {
        /* the byte wrapped: the one before it counts on */
    }
}
