/* Keys of notes and their text, the vkey. */
#include "record/note.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <sodium.h>
#include <stdio.h>

#include "base/buf.h"
#include "record/note_text.h"

enum { SHA256_BYTES = 32, KEY_BYTES = 1 + NOTE_PUBLIC, KEY_TEXT = 44, ID_TEXT = 2 * NOTE_KEY_ID };

static bool set_id(struct note_key *key, struct error *err)
{
    uint8_t bytes[NOTE_NAME_MAX + 1 + KEY_BYTES], digest[SHA256_BYTES];
    size_t n = strlen(key->name);

    memcpy(bytes, key->name, n);
    bytes[n++] = '\n';
    bytes[n++] = (uint8_t)key->type;
    memcpy(bytes + n, key->public, NOTE_PUBLIC);
    int code = gnutls_hash_fast(GNUTLS_DIG_SHA256, bytes, n + NOTE_PUBLIC, digest);
    if (code != 0) {
        return error_set(err, ERROR_INTERNAL, "key: %s", gnutls_strerror(code));
    }
    memcpy(key->id, digest, NOTE_KEY_ID);
    return true;
}

bool note_key_make(struct span name, enum note_key_type type, const uint8_t public[NOTE_PUBLIC], struct note_key *out,
                   struct error *err)
{
    struct note_key key = {.type = type};

    if (!note_name_is_valid(name)) {
        return error_set(err, ERROR_INVALID, "key: a name of 1 to %d bytes without spaces and plus signs expected",
                         NOTE_NAME_MAX);
    }
    memcpy(key.name, name.ptr, name.len);
    memcpy(key.public, public, NOTE_PUBLIC);
    if (!set_id(&key, err)) {
        return false;
    }
    *out = key;
    return true;
}

static bool malformed(struct error *err)
{
    return error_set(err, ERROR_INVALID, "key: <name>+<8 hex digits>+<Base64 of type and key> expected");
}

/* The part before the first plus sign, which is taken off, too. */
static bool take_part(struct span *rest, struct span *part)
{
    const char *plus = rest->len == 0 ? NULL : memchr(rest->ptr, '+', rest->len);

    if (plus == NULL) {
        return false;
    }
    *part = span_of(rest->ptr, (size_t)(plus - rest->ptr));
    *rest = span_slice(*rest, part->len + 1, rest->len);
    return true;
}

bool note_key_parse(struct span vkey, struct note_key *out, struct error *err)
{
    struct span name, id_text, rest = vkey;
    uint8_t bytes[KEY_BYTES], id[NOTE_KEY_ID];
    struct note_key key;
    size_t n = 0;

    if (!take_part(&rest, &name) || !take_part(&rest, &id_text) || id_text.len != ID_TEXT ||
        sodium_hex2bin(id, sizeof(id), id_text.ptr, id_text.len, NULL, &n, NULL) != 0 || n != sizeof(id)) {
        return malformed(err);
    }
    if (sodium_base642bin(bytes, sizeof(bytes), rest.ptr, rest.len, NULL, &n, NULL, sodium_base64_VARIANT_ORIGINAL) != 0 ||
        n != sizeof(bytes)) {
        return malformed(err);
    }
    if (bytes[0] != NOTE_ED25519 && bytes[0] != NOTE_COSIGNATURE) {
        return error_set(err, ERROR_INVALID, "key: type 1 (Ed25519) or 4 (cosignature) expected");
    }
    if (!note_key_make(name, (enum note_key_type)bytes[0], bytes + 1, &key, err)) {
        return false;
    }
    if (memcmp(key.id, id, sizeof(id)) != 0) {
        return error_set(err, ERROR_INVALID, "key: the id of its name and key expected");
    }
    *out = key;
    return true;
}

void note_key_format(const struct note_key *key, char vkey[NOTE_VKEY_MAX + 1])
{
    uint8_t bytes[KEY_BYTES];
    char id[ID_TEXT + 1], text[KEY_TEXT + 1];

    bytes[0] = (uint8_t)key->type;
    memcpy(bytes + 1, key->public, NOTE_PUBLIC);
    (void)sodium_bin2hex(id, sizeof(id), key->id, NOTE_KEY_ID);
    (void)sodium_bin2base64(text, sizeof(text), bytes, sizeof(bytes), sodium_base64_VARIANT_ORIGINAL);
    (void)snprintf(vkey, NOTE_VKEY_MAX + 1, "%s+%s+%s", key->name, id, text);
}

bool note_key_same(const struct note_key *a, const struct note_key *b)
{
    return memcmp(a->public, b->public, NOTE_PUBLIC) == 0;
}

void note_public(const uint8_t seed[NOTE_SEED], uint8_t public[NOTE_PUBLIC])
{
    uint8_t secret[crypto_sign_SECRETKEYBYTES];

    (void)crypto_sign_seed_keypair(public, secret, seed);
    sodium_memzero(secret, sizeof(secret));
}
