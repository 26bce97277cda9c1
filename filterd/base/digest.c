#include "base/digest.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>

enum { SHA256_BYTES = 32 };

static void put_hex(const uint8_t *bytes, size_t n, char *hex)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[bytes[i] >> 4];
        hex[2 * i + 1] = digits[bytes[i] & 15];
    }
    hex[2 * n] = '\0';
}

static bool refused(int code, struct error *err)
{
    return error_set(err, ERROR_INTERNAL, "digest: %s", gnutls_strerror(code));
}

bool digest_sha256(struct span bytes, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    uint8_t digest[SHA256_BYTES];
    int code = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes.ptr, bytes.len, digest);

    if (code != 0) {
        return refused(code, err);
    }
    put_hex(digest, sizeof(digest), hex);
    return true;
}

bool digest_token(const uint8_t key[DIGEST_KEY], struct span value, char hex[DIGEST_TOKEN_HEX + 1],
                  struct error *err)
{
    uint8_t digest[SHA256_BYTES];
    int code = gnutls_hmac_fast(GNUTLS_MAC_SHA256, key, DIGEST_KEY, value.ptr, value.len, digest);

    if (code != 0) {
        return refused(code, err);
    }
    put_hex(digest, DIGEST_TOKEN_HEX / 2, hex);
    return true;
}

double digest_fraction(const char hex[DIGEST_TOKEN_HEX + 1])
{
    double value = 0, scale = 1;

    for (size_t i = 0; i < 13; i++) {
        scale /= 16;
        value += scale * (hex[i] <= '9' ? hex[i] - '0' : hex[i] - 'a' + 10);
    }
    return value;
}

bool digest_stream_init(struct digest_stream *s, const uint8_t key[DIGEST_KEY], struct error *err)
{
    gnutls_hmac_hd_t state;
    int code = gnutls_hmac_init(&state, GNUTLS_MAC_SHA256, key, DIGEST_KEY);

    if (code != 0) {
        return refused(code, err);
    }
    s->state = state;
    return true;
}

bool digest_stream_add(struct digest_stream *s, struct span part, struct error *err)
{
    int code = gnutls_hmac(s->state, part.ptr, part.len);

    return code == 0 || refused(code, err);
}

void digest_stream_token(struct digest_stream *s, char hex[DIGEST_TOKEN_HEX + 1])
{
    uint8_t digest[SHA256_BYTES];

    gnutls_hmac_output(s->state, digest);
    put_hex(digest, DIGEST_TOKEN_HEX / 2, hex);
}

void digest_stream_deinit(struct digest_stream *s)
{
    if (s->state != NULL) {
        gnutls_hmac_deinit(s->state, NULL);
        s->state = NULL;
    }
}
