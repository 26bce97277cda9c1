/* age_read.c - reads age files, as strictly as the specification says: whatever this accepts has one writing. */
#include <sodium.h>

#include "record/base64_strict.h"
#include "seal/age_parts.h"

enum { BODY_COLUMNS = 64, BODY_LINE = 48 /* bytes */ };

struct header {
    struct span file; /* what is not read yet */
    const char *begin;
    uint8_t file_key[AGE_FILE_KEY];
    bool has_key;
    const struct age_identity *identities;
    size_t n_identities;
};

static bool is_malformed(struct error *err, const char *expected)
{
    return error_set(err, ERROR_MALFORMED, "age file: %s expected", expected);
}

static bool take_line(struct span *rest, struct span *line)
{
    const char *end = rest->len > 0 ? memchr(rest->ptr, '\n', rest->len) : NULL;

    if (end == NULL) {
        return false;
    }
    *line = span_slice(*rest, 0, (size_t)(end - rest->ptr));
    *rest = span_slice(*rest, line->len + 1, rest->len);
    return true;
}

/* Words of visible ASCII, one space between two. The first is the type. */
static bool next_argument(struct span *rest, struct span *word)
{
    size_t len = 0;

    while (len < rest->len && rest->ptr[len] > ' ' && rest->ptr[len] < 0x7f) {
        len++;
    }
    bool is_good = len > 0 && (len == rest->len || (rest->ptr[len] == ' ' && len + 1 < rest->len));
    *word = span_slice(*rest, 0, len);
    *rest = span_slice(*rest, len + (len < rest->len), rest->len);
    return is_good;
}

/* Full lines of 64 characters, and a shorter one that ends it. */
static bool read_body(struct span *file, uint8_t *body, size_t size, size_t *n)
{
    *n = 0;
    for (;;) {
        uint8_t bytes[BODY_LINE];
        struct span line;
        size_t len;
        if (!take_line(file, &line) || line.len > BODY_COLUMNS || !base64_strict_decode_bare(line, bytes, sizeof(bytes), &len)) {
            return false;
        }
        for (size_t i = 0; i < len; i++, (*n)++) {
            if (*n < size) {
                body[*n] = bytes[i];
            }
        }
        if (line.len < BODY_COLUMNS) {
            return true;
        }
    }
}

static void unwrap(struct header *h, const uint8_t share[AGE_KEY], const uint8_t wrapped[AGE_WRAPPED])
{
    static const uint8_t nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    uint8_t key[AGE_KEY];

    for (size_t i = 0; i < h->n_identities && !h->has_key; i++) {
        struct age_recipient recipient;
        age_identity_recipient(&h->identities[i], &recipient);
        h->has_key = age_wrap_key(h->identities[i].bytes, share, share, recipient.bytes, key) &&
                     crypto_aead_chacha20poly1305_ietf_decrypt(h->file_key, NULL, NULL, wrapped, AGE_WRAPPED, NULL, 0,
                                                               nonce, key) == 0;
    }
    sodium_memzero(key, sizeof(key));
}

static bool read_stanza(struct header *h, struct span line, struct error *err)
{
    struct age_recipient share;
    uint8_t body[AGE_WRAPPED];
    struct span type, argument = {0}, rest = span_slice(line, 3, line.len);
    size_t n_arguments = 0, n_body = 0, n_share = 0;

    if (!next_argument(&rest, &type)) {
        return is_malformed(err, "words with one space between them in a stanza");
    }
    for (; rest.len > 0; n_arguments++) {
        if (!next_argument(&rest, &argument)) {
            return is_malformed(err, "words with one space between them in a stanza");
        }
    }
    if (!read_body(&h->file, body, sizeof(body), &n_body)) {
        return is_malformed(err, "base64 in lines of 64 characters in a stanza");
    }
    if (!span_is(type, AGE_X25519)) {
        return true;
    }
    if (n_arguments != 1 || !base64_strict_decode_bare(argument, share.bytes, AGE_KEY, &n_share) || n_share != AGE_KEY ||
        n_body != AGE_WRAPPED || !age_recipient_is_usable(&share)) {
        return is_malformed(err, "one key and a body of 32 bytes in a stanza of X25519");
    }
    unwrap(h, share.bytes, body);
    return true;
}

/* "--- " and the MAC of all before the space. */
static bool check_mac(const struct header *h, struct span line, struct error *err)
{
    uint8_t mac[AGE_MAC], expected[AGE_MAC];
    size_t n = 0;

    if (line.len < 4 || line.ptr[3] != ' ' || !base64_strict_decode_bare(span_slice(line, 4, line.len), mac, sizeof(mac), &n) ||
        n != AGE_MAC) {
        return is_malformed(err, "a MAC of 32 bytes at the end of the header");
    }
    if (!h->has_key) {
        return error_set(err, ERROR_DENIED, "age file: none of the identities is a recipient");
    }
    age_header_mac(h->file_key, span_of(h->begin, (size_t)(line.ptr + 3 - h->begin)), expected);
    return sodium_memcmp(mac, expected, AGE_MAC) == 0 || is_malformed(err, "the header that was written");
}

/* Leaves the payload in h->file. */
static bool read_header(struct header *h, struct error *err)
{
    struct span line = {0};
    size_t n_stanzas = 0;

    if (!span_starts_with(h->file, span_str(AGE_VERSION))) {
        return is_malformed(err, "'age-encryption.org/v1'");
    }
    h->begin = h->file.ptr;
    const char *end = h->file.ptr + (h->file.len < AGE_HEADER_MAX ? h->file.len : AGE_HEADER_MAX);
    h->file = span_slice(h->file, strlen(AGE_VERSION), h->file.len);
    while (take_line(&h->file, &line) && line.ptr < end && span_starts_with(line, span_str("-> ")) &&
           n_stanzas++ < AGE_STANZAS_MAX) {
        if (!read_stanza(h, line, err)) {
            return false;
        }
    }
    if (n_stanzas == 0 || n_stanzas > AGE_STANZAS_MAX || !span_starts_with(line, span_str("---"))) {
        return is_malformed(err, "1 to 64 stanzas and a MAC in a header of at most 64 KiB");
    }
    return check_mac(h, line, err);
}

static bool open_header(const struct age_identity *identities, size_t n, struct span file, struct header *h,
                        struct error *err)
{
    *h = (struct header){.file = file, .identities = identities, .n_identities = n};
    bool is_read = read_header(h, err);
    if (!is_read) {
        sodium_memzero(h->file_key, sizeof(h->file_key));
    }
    return is_read;
}

/* All chunks; the last is the one that is not followed by another, and is empty only when the whole payload is. */
static bool open_chunks(const uint8_t key[AGE_KEY], struct span sealed, struct secret *out, struct error *err)
{
    uint8_t nonce[AGE_COUNTER] = {0};
    bool is_last = false;

    for (size_t at = 0; !is_last;) {
        size_t rest = sealed.len - at, len = rest < AGE_CHUNK + AGE_TAG ? rest : AGE_CHUNK + AGE_TAG;
        is_last = len == rest;
        nonce[AGE_COUNTER - 1] = is_last;
        if (len < AGE_TAG || (len == AGE_TAG && at > 0) ||
            crypto_aead_chacha20poly1305_ietf_decrypt(out->data + out->len, NULL, NULL, (const uint8_t *)sealed.ptr + at,
                                                      len, NULL, 0, nonce, key) != 0) {
            return is_malformed(err, "the payload that was written");
        }
        out->len += len - AGE_TAG;
        at += len;
        age_next_nonce(nonce);
    }
    return true;
}

static bool open_payload(const uint8_t file_key[AGE_FILE_KEY], struct span payload, struct secret *out, struct error *err)
{
    uint8_t key[AGE_KEY];

    if (payload.len < AGE_NONCE + AGE_TAG) {
        return is_malformed(err, "a payload");
    }
    if (!secret_init(out, payload.len, err)) {
        return false;
    }
    age_derive(span_of((const char *)file_key, AGE_FILE_KEY), span_slice(payload, 0, AGE_NONCE), "payload", key);
    bool is_open = open_chunks(key, span_slice(payload, AGE_NONCE, payload.len), out, err);
    sodium_memzero(key, sizeof(key));
    if (!is_open) {
        secret_deinit(out);
    }
    return is_open;
}

bool age_open(const struct age_identity *identities, size_t n, struct span file, struct secret *out, struct error *err)
{
    struct header h;
    struct secret opened = {0};

    if (!open_header(identities, n, file, &h, err)) {
        return false;
    }
    bool is_open = open_payload(h.file_key, h.file, &opened, err);
    sodium_memzero(h.file_key, sizeof(h.file_key));
    if (is_open) {
        *out = opened;
    }
    return is_open;
}

bool age_rewrap(const struct age_identity *identities, size_t n, struct span file,
                const struct age_recipient *recipients, size_t n_recipients, struct buf *out, struct error *err)
{
    struct header h;
    size_t before = out->len;

    if (!open_header(identities, n, file, &h, err)) {
        return false;
    }
    bool is_written = age_write_header(h.file_key, recipients, n_recipients, out, err) && buf_append(out, h.file, err);
    sodium_memzero(h.file_key, sizeof(h.file_key));
    out->len = is_written ? out->len : before;
    return is_written;
}
