#include "base/digest.h"

#include <nettle/hmac.h>
#include <stdlib.h>

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

bool digest_sha256(struct span bytes, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    uint8_t digest[SHA256_BYTES];
    struct sha256_ctx state;

    (void)err;
    sha256_init(&state);
    sha256_update(&state, bytes.len, (const uint8_t *)bytes.ptr);
    sha256_digest(&state, sizeof(digest), digest);
    put_hex(digest, sizeof(digest), hex);
    return true;
}

/* The key is in the state, too. */
static void finish_token(struct hmac_sha256_ctx *state, char hex[DIGEST_TOKEN_HEX + 1])
{
    uint8_t digest[DIGEST_TOKEN_HEX / 2];

    hmac_sha256_digest(state, sizeof(digest), digest);
    explicit_bzero(state, sizeof(*state));
    put_hex(digest, sizeof(digest), hex);
}

bool digest_token(const uint8_t key[DIGEST_KEY], struct span value, char hex[DIGEST_TOKEN_HEX + 1],
                  struct error *err)
{
    struct hmac_sha256_ctx state;

    (void)err;
    hmac_sha256_set_key(&state, DIGEST_KEY, key);
    hmac_sha256_update(&state, value.len, (const uint8_t *)value.ptr);
    finish_token(&state, hex);
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
    struct hmac_sha256_ctx *state = malloc(sizeof(*state));

    if (state == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "digest: no memory");
    }
    hmac_sha256_set_key(state, DIGEST_KEY, key);
    s->state = state;
    return true;
}

bool digest_stream_add(struct digest_stream *s, struct span part, struct error *err)
{
    (void)err;
    hmac_sha256_update(s->state, part.len, (const uint8_t *)part.ptr);
    return true;
}

void digest_stream_token(struct digest_stream *s, char hex[DIGEST_TOKEN_HEX + 1])
{
    finish_token(s->state, hex);
}

void digest_stream_deinit(struct digest_stream *s)
{
    if (s->state != NULL) {
        explicit_bzero(s->state, sizeof(struct hmac_sha256_ctx));
        free(s->state);
    }
    s->state = NULL;
}
