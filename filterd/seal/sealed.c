#include "seal/sealed.h"

#include <sodium.h>

enum {
    HEAD = sizeof(SEALED_FORMAT) - 1 + SHRED_ID + 1,
    NONCE = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES,
    TAG = crypto_aead_xchacha20poly1305_ietf_ABYTES,
};

_Static_assert(SHRED_KEY == crypto_aead_xchacha20poly1305_ietf_KEYBYTES, "the key's size");

static bool write_box(const struct shred_key *key, struct span plain, struct buf *out, struct error *err)
{
    uint8_t nonce[NONCE];
    unsigned long long n = 0;

    randombytes_buf(nonce, sizeof(nonce));
    if (!buf_reserve(out, HEAD + NONCE + plain.len + TAG, err) ||
        !buf_appendf(out, err, SEALED_FORMAT "%s\n", key->id) ||
        !buf_append(out, span_of((const char *)nonce, sizeof(nonce)), err)) {
        return false;
    }
    (void)crypto_aead_xchacha20poly1305_ietf_encrypt((uint8_t *)out->data + out->len, &n, (const uint8_t *)plain.ptr,
                                                     plain.len, (const uint8_t *)out->data, HEAD, NULL, nonce, key->key);
    out->len += (size_t)n;
    return true;
}

static bool write_layers(const struct sealed_readers *readers, struct span box, struct buf *out, struct error *err)
{
    struct buf inner;

    if (readers->n_also == 0) {
        return age_seal(readers->to, readers->n_to, box, out, err);
    }
    buf_init(&inner, out->max);
    bool is_written = age_seal(readers->also, readers->n_also, box, &inner, err) &&
                      age_seal(readers->to, readers->n_to, buf_span(&inner), out, err);
    buf_deinit(&inner);
    return is_written;
}

bool sealed_write(const struct shred_key *key, const struct sealed_readers *readers, struct span plain, struct buf *out,
                  struct error *err)
{
    struct buf box;

    buf_init(&box, plain.len + HEAD + NONCE + TAG + 1);
    bool is_written = write_box(key, plain, &box, err) && write_layers(readers, buf_span(&box), out, err);
    buf_deinit(&box);
    return is_written;
}

static bool is_age(struct span bytes)
{
    return span_starts_with(bytes, span_str("age-encryption.org/"));
}

bool sealed_open_layers(const struct age_identity *identities, size_t n, struct span file, struct secret *out,
                        struct error *err)
{
    struct secret opened = {0}, next = {0};

    if (!age_open(identities, n, file, &opened, err)) {
        return false;
    }
    struct error why;
    if (is_age(secret_span(&opened)) && age_open(identities, n, secret_span(&opened), &next, &why)) {
        secret_deinit(&opened);
        opened = next;
    }
    *out = opened;
    return true;
}

bool sealed_key_id(struct span box, char id[SHRED_ID + 1])
{
    size_t begin = sizeof(SEALED_FORMAT) - 1;

    if (box.len < HEAD + NONCE + TAG || !span_starts_with(box, span_str(SEALED_FORMAT)) || box.ptr[HEAD - 1] != '\n') {
        return false;
    }
    for (size_t i = 0; i < SHRED_ID; i++) {
        char c = box.ptr[begin + i];
        if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
            return false;
        }
    }
    memcpy(id, box.ptr + begin, SHRED_ID);
    id[SHRED_ID] = '\0';
    return true;
}

bool sealed_open_box(const struct shred_key *key, struct span box, struct secret *out, struct error *err)
{
    struct secret plain = {0};
    unsigned long long n = 0;
    char id[SHRED_ID + 1];

    if (!sealed_key_id(box, id) || strcmp(id, key->id) != 0) {
        return error_set(err, ERROR_MALFORMED, "sealed original: '" SEALED_FORMAT "' and the key's id expected");
    }
    if (!secret_init(&plain, box.len, err)) {
        return false;
    }
    const uint8_t *nonce = (const uint8_t *)box.ptr + HEAD;
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(plain.data, &n, NULL, nonce + NONCE, box.len - HEAD - NONCE,
                                                   (const uint8_t *)box.ptr, HEAD, nonce, key->key) != 0) {
        secret_deinit(&plain);
        return error_set(err, ERROR_MALFORMED, "sealed original: what was sealed under this key expected");
    }
    plain.len = (size_t)n;
    *out = plain;
    return true;
}
