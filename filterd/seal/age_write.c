/* age_write.c - writes age files. */
#include <sodium.h>

#include "seal/age_parts.h"

enum { BASE64 = sodium_base64_VARIANT_ORIGINAL_NO_PADDING, BASE64_OF_32 = 43 };

_Static_assert(AGE_WRAPPED == 32 && AGE_MAC == 32 && AGE_KEY == 32, "BASE64_OF_32");

static bool append_base64(struct buf *out, const uint8_t bytes[32], struct error *err)
{
    char text[BASE64_OF_32 + 1];

    (void)sodium_bin2base64(text, sizeof(text), bytes, 32, BASE64);
    return buf_append(out, span_of(text, BASE64_OF_32), err);
}

static bool write_stanza(const uint8_t file_key[AGE_FILE_KEY], const struct age_recipient *recipient, struct buf *out,
                         struct error *err)
{
    static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    uint8_t ephemeral[AGE_KEY], share[AGE_KEY], key[AGE_KEY], wrapped[AGE_WRAPPED];

    randombytes_buf(ephemeral, sizeof(ephemeral));
    bool is_good = crypto_scalarmult_base(share, ephemeral) == 0 &&
                   age_wrap_key(ephemeral, recipient->bytes, share, recipient->bytes, key);
    sodium_memzero(ephemeral, sizeof(ephemeral));
    if (!is_good) {
        return error_set(err, ERROR_INVALID, "seal: a recipient's key is of low order");
    }
    (void)crypto_aead_chacha20poly1305_ietf_encrypt(wrapped, NULL, file_key, AGE_FILE_KEY, NULL, 0, NULL, nonce, key);
    sodium_memzero(key, sizeof(key));
    return buf_append_str(out, "-> " AGE_X25519 " ", err) && append_base64(out, share, err) &&
           buf_append_char(out, '\n', err) && append_base64(out, wrapped, err) && buf_append_char(out, '\n', err);
}

bool age_write_header(const uint8_t file_key[AGE_FILE_KEY], const struct age_recipient *recipients, size_t n,
                      struct buf *out, struct error *err)
{
    size_t from = out->len;
    uint8_t mac[AGE_MAC];

    if (n == 0 || n > AGE_STANZAS_MAX) {
        return error_set(err, ERROR_LIMIT, "seal: 1 to %d recipients expected", AGE_STANZAS_MAX);
    }
    if (!buf_append_str(out, AGE_VERSION, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if (!write_stanza(file_key, &recipients[i], out, err)) {
            return false;
        }
    }
    if (!buf_append_str(out, "---", err)) {
        return false;
    }
    age_header_mac(file_key, span_slice(buf_span(out), from, out->len), mac);
    return buf_append_char(out, ' ', err) && append_base64(out, mac, err) && buf_append_char(out, '\n', err);
}

static bool write_payload(const uint8_t file_key[AGE_FILE_KEY], struct span plain, struct buf *out, struct error *err)
{
    uint8_t start[AGE_NONCE], key[AGE_KEY], nonce[AGE_COUNTER] = {0};
    size_t n_chunks = plain.len == 0 ? 1 : (plain.len + AGE_CHUNK - 1) / AGE_CHUNK;

    randombytes_buf(start, sizeof(start));
    if (!buf_reserve(out, sizeof(start) + plain.len + n_chunks * AGE_TAG, err) ||
        !buf_append(out, span_of((const char *)start, sizeof(start)), err)) {
        return false;
    }
    age_derive(span_of((const char *)file_key, AGE_FILE_KEY), span_of((const char *)start, sizeof(start)), "payload", key);
    for (size_t i = 0; i < n_chunks; i++) {
        size_t from = i * AGE_CHUNK, len = plain.len - from < AGE_CHUNK ? plain.len - from : AGE_CHUNK;
        nonce[AGE_COUNTER - 1] = i + 1 == n_chunks;
        (void)crypto_aead_chacha20poly1305_ietf_encrypt((uint8_t *)out->data + out->len, NULL,
                                                        (const uint8_t *)plain.ptr + from, len, NULL, 0, NULL, nonce, key);
        out->len += len + AGE_TAG;
        age_next_nonce(nonce);
    }
    sodium_memzero(key, sizeof(key));
    return true;
}

bool age_seal(const struct age_recipient *recipients, size_t n, struct span plain, struct buf *out, struct error *err)
{
    uint8_t file_key[AGE_FILE_KEY];
    size_t before = out->len;

    randombytes_buf(file_key, sizeof(file_key));
    bool is_written = age_write_header(file_key, recipients, n, out, err) && write_payload(file_key, plain, out, err);
    sodium_memzero(file_key, sizeof(file_key));
    out->len = is_written ? out->len : before;
    return is_written;
}
