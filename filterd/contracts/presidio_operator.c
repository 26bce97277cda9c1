#include "contracts/presidio_operator.h"

#include <gnutls/crypto.h>
#include <gnutls/gnutls.h>
#include <stdio.h>

#include "formats/base64.h"
#include "http/fault.h"

enum { SALT_MIN = 16, SALT_RANDOM = 32, BLOCK = 16, DIGEST_MAX = 64 };

typedef bool apply_fn(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                      struct span *out, struct filter_fault *fault);

struct presidio_operator_type {
    const char *name;
    apply_fn *apply;
    bool is_reverse;
};

/* --- parameters ----------------------------------------------------------- */

static bool missing(const char *name, struct filter_fault *fault)
{
    return fault_set(fault, 422, "", "Expected parameter %s", name);
}

static bool wrong_type(const char *name, const char *expected, struct json_value value, struct filter_fault *fault)
{
    static const char *const kinds[] = {[JSON_KIND_FALSE] = "boolean", [JSON_KIND_TRUE] = "boolean", [JSON_KIND_NUMBER] = "number",
                                        [JSON_KIND_STRING] = "string", [JSON_KIND_ARRAY] = "array"};
    bool is_named = value.kind < COUNT(kinds) && kinds[value.kind] != NULL && strcmp(kinds[value.kind], expected) != 0;

    return is_named ? fault_set(fault, 422, "", "Invalid parameter value for %s. Expecting '%s', but got '%s'.", name, expected, kinds[value.kind])
                    : fault_set(fault, 422, "", "Invalid parameter value for '%s'.", name);
}

/* Absent: `value` is empty and ptr NULL. */
static bool text_parameter(const struct contract_call *call, struct json_value config, const char *name, struct span *value,
                           struct filter_fault *fault)
{
    struct json_value json;
    const struct shape_member members[] = {{name, SHAPE_ANY, false, &json}, {0}};

    *value = (struct span){0};
    if (config.raw.ptr == NULL) {
        return true;
    }
    if (!shape_read(call, config, "", members, fault)) {
        return false;
    }
    if (json.raw.ptr == NULL) {
        return true;
    }
    return json.kind == JSON_KIND_STRING ? shape_text(call, json, value, fault) : wrong_type(name, "string", json, fault);
}

static struct span join(const struct contract_call *call, struct span a, struct span b, struct filter_fault *fault)
{
    struct error err;
    char *bytes = arena_alloc(call->arena, a.len + b.len, &err);

    if (bytes == NULL) {
        (void)fault_set_error(fault, &err);
        return (struct span){0};
    }
    memcpy(bytes, a.ptr, a.len);
    memcpy(bytes + a.len, b.ptr, b.len);
    return span_of(bytes, a.len + b.len);
}

/* --- operators ------------------------------------------------------------ */

static bool replace(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                    struct span *out, struct filter_fault *fault)
{
    struct error err;

    (void)value;
    if (!text_parameter(call, config, "new_value", out, fault) || out->len > 0) {
        return out->len > 0;
    }
    char *text = arena_alloc(call->arena, entity.len + 2, &err);
    if (text == NULL) {
        return fault_set_error(fault, &err);
    }
    text[0] = '<';
    memcpy(text + 1, entity.ptr, entity.len);
    text[entity.len + 1] = '>';
    *out = span_of(text, entity.len + 2);
    return true;
}

static bool redact(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                   struct span *out, struct filter_fault *fault)
{
    (void)call, (void)config, (void)entity, (void)value, (void)fault;
    *out = span_of("", 0);
    return true;
}

static bool keep(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                 struct span *out, struct filter_fault *fault)
{
    (void)call, (void)config, (void)entity, (void)fault;
    *out = value;
    return true;
}

static bool is_lead(char c)
{
    return ((unsigned char)c & 0xc0) != 0x80;
}

static size_t count_characters(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += is_lead(text.ptr[i]);
    }
    return n;
}

struct mask {
    struct span character;
    size_t n;
    bool from_end;
};

static bool read_mask(const struct contract_call *call, struct json_value config, struct mask *mask, struct filter_fault *fault)
{
    struct json_value character, n, from_end;
    const struct shape_member members[] = {
        {"masking_char", SHAPE_ANY, false, &character}, {"chars_to_mask", SHAPE_ANY, false, &n},
        {"from_end", SHAPE_ANY, false, &from_end}, {0}};

    if (!shape_read(call, config, "", members, fault)) {
        return false;
    }
    if (character.raw.ptr == NULL || n.raw.ptr == NULL || from_end.raw.ptr == NULL) {
        return missing(character.raw.ptr == NULL ? "masking_char" : n.raw.ptr == NULL ? "chars_to_mask" : "from_end", fault);
    }
    if (character.kind != JSON_KIND_STRING || !shape_text(call, character, &mask->character, fault)) {
        return wrong_type("masking_char", "string", character, fault);
    }
    if (!shape_count(n, &mask->n)) {
        return wrong_type("chars_to_mask", "number", n, fault);
    }
    mask->from_end = from_end.kind == JSON_KIND_TRUE;
    if (from_end.kind != JSON_KIND_TRUE && from_end.kind != JSON_KIND_FALSE) {
        return wrong_type("from_end", "boolean", from_end, fault);
    }
    return count_characters(mask->character) == 1 ||
           fault_set(fault, 422, "", "Invalid input, masking_char must be a character");
}

static bool mask(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                 struct span *out, struct filter_fault *fault)
{
    struct mask m;
    struct error err;

    (void)entity;
    if (!read_mask(call, config, &m, fault)) {
        return false;
    }
    size_t all = count_characters(value), at = 0, len = 0;
    size_t from = m.from_end && all > m.n ? all - m.n : 0, to = m.from_end ? all : (m.n < all ? m.n : all);
    char *text = arena_alloc(call->arena, value.len + all * m.character.len, &err);
    if (text == NULL) {
        return fault_set_error(fault, &err);
    }
    for (size_t i = 0; i < value.len; i++) {
        at += is_lead(value.ptr[i]);
        bool is_masked = at > from && at <= to;
        if (is_masked && is_lead(value.ptr[i])) {
            memcpy(text + len, m.character.ptr, m.character.len);
            len += m.character.len;
        } else if (!is_masked) {
            text[len++] = value.ptr[i];
        }
    }
    *out = span_of(text, len);
    return true;
}

static bool hash(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                 struct span *out, struct filter_fault *fault)
{
    static const char digits[] = "0123456789abcdef";
    struct span type, salt;
    uint8_t random[SALT_RANDOM], digest[DIGEST_MAX];
    struct error err;

    (void)entity;
    if (!text_parameter(call, config, "hash_type", &type, fault) || !text_parameter(call, config, "salt", &salt, fault)) {
        return false;
    }
    bool is_long = span_is(type, "sha512");
    if (type.ptr != NULL && !is_long && !span_is(type, "sha256")) {
        return fault_set(fault, 422, "", "Parameter hash_type value is not in range of values ['sha256', 'sha512']");
    }
    if (salt.ptr != NULL && salt.len == 0) {
        return fault_set(fault, 422, "", "Salt parameter cannot be empty. Either omit the salt parameter to auto-generate a random salt, "
                                         "or provide a salt of at least 16 bytes (128 bits).");
    }
    if (salt.ptr != NULL && salt.len < SALT_MIN) {
        return fault_set(fault, 422, "", "Salt must be at least %d bytes (128 bits). Provided salt is %zu bytes.", SALT_MIN, salt.len);
    }
    if (salt.ptr == NULL && gnutls_rnd(GNUTLS_RND_KEY, random, sizeof(random)) != 0) {
        return fault_set(fault, 500, "", "Internal server error");
    }
    struct span salted = join(call, value, salt.ptr != NULL ? salt : span_of((const char *)random, sizeof(random)), fault);
    size_t len = is_long ? 64 : 32;
    char *text = arena_alloc(call->arena, 2 * len, &err);
    if (salted.ptr == NULL || text == NULL ||
        gnutls_hash_fast(is_long ? GNUTLS_DIG_SHA512 : GNUTLS_DIG_SHA256, salted.ptr, salted.len, digest) != 0) {
        return fault_set(fault, 500, "", "Internal server error");
    }
    for (size_t i = 0; i < len; i++) {
        text[2 * i] = digits[digest[i] >> 4];
        text[2 * i + 1] = digits[digest[i] & 15];
    }
    *out = span_of(text, 2 * len);
    return true;
}

static bool read_key(const struct contract_call *call, struct json_value config, struct span *key, struct filter_fault *fault)
{
    if (!text_parameter(call, config, "key", key, fault)) {
        return false;
    }
    if (key->ptr == NULL) {
        return missing("key", fault);
    }
    return key->len == 16 || key->len == 24 || key->len == 32 ||
           fault_set(fault, 422, "", "Invalid input, key must be of length 128, 192 or 256 bits");
}

/* AES of the key's length. */
static bool cipher_open(struct span key, uint8_t iv[BLOCK], gnutls_cipher_hd_t *cipher, struct filter_fault *fault)
{
    gnutls_cipher_algorithm_t algorithm = key.len == 16   ? GNUTLS_CIPHER_AES_128_CBC
                                          : key.len == 24 ? GNUTLS_CIPHER_AES_192_CBC
                                                          : GNUTLS_CIPHER_AES_256_CBC;
    gnutls_datum_t k = {.data = (unsigned char *)(uintptr_t)key.ptr, .size = (unsigned)key.len}, v = {.data = iv, .size = BLOCK};

    return gnutls_cipher_init(cipher, algorithm, &k, &v) == 0 || fault_set(fault, 500, "", "Internal server error");
}

static bool encode(const struct contract_call *call, struct span bytes, struct span *out, struct filter_fault *fault)
{
    struct error err;
    size_t len = (bytes.len + 2) / 3 * 4;
    char *text = arena_alloc(call->arena, len, &err);

    if (text == NULL) {
        return fault_set_error(fault, &err);
    }
    for (size_t i = 0, o = 0; i < bytes.len; i += 3, o += 4) {
        unsigned word = 0;
        for (size_t k = 0; k < 3; k++) {
            word = word << 8 | (i + k < bytes.len ? (unsigned char)bytes.ptr[i + k] : 0U);
        }
        for (size_t k = 0; k < 4; k++) {
            text[o + k] = i + k > bytes.len ? '=' : base64_character(word >> (18 - 6 * k) & 63, BASE64_URL);
        }
    }
    *out = span_of(text, len);
    return true;
}

static bool encrypt(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                    struct span *out, struct filter_fault *fault)
{
    gnutls_cipher_hd_t cipher;
    struct span key;
    struct error err;
    size_t padding = BLOCK - value.len % BLOCK, len = value.len + padding;
    uint8_t *bytes = arena_alloc(call->arena, BLOCK + len, &err);

    (void)entity;
    if (bytes == NULL) {
        return fault_set_error(fault, &err);
    }
    if (!read_key(call, config, &key, fault)) {
        return false;
    }
    if (gnutls_rnd(GNUTLS_RND_NONCE, bytes, BLOCK) != 0) {
        return fault_set(fault, 500, "", "Internal server error");
    }
    if (!cipher_open(key, bytes, &cipher, fault)) {
        return false;
    }
    memcpy(bytes + BLOCK, value.ptr, value.len);
    memset(bytes + BLOCK + value.len, (int)padding, padding); /* PKCS #7 */
    bool is_done = gnutls_cipher_encrypt(cipher, bytes + BLOCK, len) == 0;
    gnutls_cipher_deinit(cipher);
    return is_done ? encode(call, span_of((const char *)bytes, BLOCK + len), out, fault)
                   : fault_set(fault, 500, "", "Internal server error");
}

static bool remove_padding(const uint8_t *bytes, size_t *len)
{
    size_t padding = bytes[*len - 1];

    if (padding == 0 || padding > BLOCK || padding > *len) {
        return false;
    }
    for (size_t i = 0; i < padding; i++) {
        if (bytes[*len - 1 - i] != padding) {
            return false;
        }
    }
    *len -= padding;
    return true;
}

static bool decrypt(const struct contract_call *call, struct json_value config, struct span entity, struct span value,
                    struct span *out, struct filter_fault *fault)
{
    gnutls_cipher_hd_t cipher;
    struct span key;
    struct error err;
    size_t len = 0;
    uint8_t *bytes = arena_alloc(call->arena, value.len + 1, &err);

    (void)entity;
    if (bytes == NULL) {
        return fault_set_error(fault, &err);
    }
    if (!read_key(call, config, &key, fault)) {
        return false;
    }
    if (!base64_decode(value, BASE64_EITHER, bytes, value.len, &len) || len < 2 * (size_t)BLOCK || len % BLOCK != 0) {
        return fault_set(fault, 500, "", "Internal server error");
    }
    if (!cipher_open(key, bytes, &cipher, fault)) {
        return false;
    }
    len -= BLOCK;
    bool is_done = gnutls_cipher_decrypt(cipher, bytes + BLOCK, len) == 0 && remove_padding(bytes + BLOCK, &len);
    gnutls_cipher_deinit(cipher);
    *out = span_of((const char *)bytes + BLOCK, len);
    return is_done || fault_set(fault, 500, "", "Internal server error");
}

static const struct presidio_operator_type types[] = {
    {"replace", replace, false}, {"redact", redact, false}, {"mask", mask, false},     {"hash", hash, false},
    {"encrypt", encrypt, false}, {"keep", keep, false},     {"decrypt", decrypt, true}, {"deanonymize_keep", keep, true},
};

/* --- interface ------------------------------------------------------------ */

struct presidio_operator presidio_operator_default(bool is_reverse)
{
    return (struct presidio_operator){.type = is_reverse ? &types[COUNT(types) - 1] : &types[0]};
}

const char *presidio_operator_name(const struct presidio_operator *op)
{
    return op->type->name;
}

bool presidio_operator_read(const struct contract_call *call, struct json_value config, bool is_reverse,
                            struct presidio_operator *out, struct filter_fault *fault)
{
    struct span name;

    out->config = config;
    if (!text_parameter(call, config, "type", &name, fault)) {
        return false;
    }
    if (name.ptr == NULL) {
        return fault_set(fault, 422, "", "Invalid input, operator config must contain operator_name");
    }
    if (span_is(name, "custom")) {
        return fault_set(fault, 400, "", "Custom type anonymizer is not supported");
    }
    for (size_t i = 0; i < COUNT(types); i++) {
        if (types[i].is_reverse == is_reverse && span_is(name, types[i].name)) {
            out->type = &types[i];
            return true;
        }
    }
    return fault_set(fault, 422, "", "Invalid operator class.");
}

bool presidio_operator_apply(const struct contract_call *call, const struct presidio_operator *op, struct span entity,
                             struct span value, struct span *out, struct filter_fault *fault)
{
    return op->type->apply(call, op->config, entity, value, out, fault);
}
