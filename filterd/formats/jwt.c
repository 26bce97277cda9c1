#include "formats/jwt.h"

#include "formats/base64.h"
#include "formats/json_shape.h"

enum { JWS_PARTS = 3, JWE_PARTS = 5, RSA_SIGNATURE_MIN = 171, UNKNOWN_SIGNATURE_MIN = 20 };
enum { HEADER_MAX = 96, HEADER_WORD_MAX = 12, HEADER_SYNTAX_MAX = 24 };
enum { HEADER_DECODED_MAX = HEADER_MAX / 4 * 3 };

/* Characters of a signature, without padding. RSA's have the length of the key: 0 here. */
struct algorithm {
    const char *name;
    size_t signature;
};

static const struct algorithm algorithms[] = {
    {"HS256", 43},  {"HS384", 64}, {"HS512", 86},   {"ES256", 86},  {"ES256K", 86}, {"ES384", 128},
    {"ES512", 176}, {"EdDSA", 86}, {"Ed25519", 86}, {"Ed448", 152}, {"RS256", 0},   {"RS384", 0},
    {"RS512", 0},   {"PS256", 0},  {"PS384", 0},    {"PS512", 0},
};

/* Splits at dots; the number of parts, at most JWE_PARTS + 1. */
static size_t split(struct span text, struct span parts[JWE_PARTS + 1])
{
    size_t n = 0;
    size_t from = 0;

    for (size_t i = 0; i <= text.len && n <= JWE_PARTS; i++) {
        if (i == text.len || text.ptr[i] == '.') {
            parts[n++] = span_slice(text, from, i);
            from = i + 1;
        }
    }
    return n;
}

static bool is_base64url(struct span part)
{
    return base64_run(part, BASE64_URL) == part.len && part.len % 4 != 1;
}

static bool signature_fits(struct span algorithm, struct span signature)
{
    if (span_is(algorithm, "none") || span_is(algorithm, "None") || span_is(algorithm, "NONE")) {
        return true; /* unsigned, or signed all the same to pass a weak verifier */
    }
    for (size_t i = 0; i < COUNT(algorithms); i++) {
        if (span_is(algorithm, algorithms[i].name)) {
            return algorithms[i].signature == 0 ? signature.len >= RSA_SIGNATURE_MIN
                                                : signature.len == algorithms[i].signature;
        }
    }
    return signature.len >= UNKNOWN_SIGNATURE_MIN;
}

static bool decode_object(struct span part, uint8_t *bytes, size_t room, struct span *object)
{
    size_t len = 0;

    if (!base64_decode(part, BASE64_URL, bytes, room, &len)) {
        return false;
    }
    *object = span_of((const char *)bytes, len);
    return json_is_object(*object);
}

static bool is_signed(const struct span parts[JWS_PARTS])
{
    uint8_t bytes[BASE64_DECODED_MAX];
    struct span object;
    struct span algorithm;

    if (!decode_object(parts[0], bytes, sizeof(bytes), &object) ||
        !json_member(object, span_str("alg"), &algorithm) || !is_base64url(parts[2]) ||
        !signature_fits(algorithm, parts[2])) {
        return false;
    }
    return decode_object(parts[1], bytes, sizeof(bytes), &object);
}

/* The key may be agreed on directly, and then its part is empty; the others are not. */
static bool is_encrypted(const struct span parts[JWE_PARTS])
{
    uint8_t bytes[BASE64_DECODED_MAX];
    struct span object;
    struct span ignored;

    for (size_t i = 1; i < JWE_PARTS; i++) {
        if (!is_base64url(parts[i]) || (i > 1 && parts[i].len == 0)) {
            return false;
        }
    }
    return decode_object(parts[0], bytes, sizeof(bytes), &object) &&
           json_member(object, span_str("alg"), &ignored) &&
           json_member(object, span_str("enc"), &ignored);
}

/* The value of a member of a few letters; empty when there is none. */
static struct span header_word(struct span object, const char *name)
{
    struct span value;

    return json_member(object, span_str(name), &value) && value.len <= HEADER_WORD_MAX ? value : span_of("", 0);
}

bool jwt_is_header(struct span text)
{
    uint8_t bytes[HEADER_DECODED_MAX]; /* asked of many texts, and what is on the stack is zeroed each time */
    struct span object;

    bool may_be_object = text.len > 0 && text.len <= HEADER_MAX && memchr("eICD", text.ptr[0], 4) != NULL; /* { or white space */
    if (!may_be_object || !is_base64url(text) || !decode_object(text, bytes, sizeof(bytes), &object)) {
        return false;
    }
    size_t words = header_word(object, "alg").len + header_word(object, "typ").len;
    return words > 0 && object.len <= words + HEADER_SYNTAX_MAX; /* there is no room for another member */
}

bool jwt_is_token(struct span text)
{
    struct span parts[JWE_PARTS + 1];
    size_t n = split(text, parts);

    return (n == JWS_PARTS && is_signed(parts)) || (n == JWE_PARTS && is_encrypted(parts));
}
