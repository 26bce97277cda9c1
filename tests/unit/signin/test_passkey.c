/* Registrations and assertions as a browser and an authenticator make them: keys and signatures are OpenSSL's, and every member of
 * what is signed can be changed. */
#include "testing.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <sodium.h>

#include "signin/passkey.h"

static struct error err;
static const uint8_t challenge[PASSKEY_CHALLENGE] = {1, 2, 3}, other_challenge[PASSKEY_CHALLENGE] = {3, 2, 1};
static struct passkey_site site;

enum { PRESENT = 1, VERIFIED = 4, ATTESTED = 64, GOOD = PRESENT | VERIFIED };

/* What a test changes; zeroed: nothing. */
struct ceremony {
    const char *type, *origin, *rp_id, *json; /* json: more members of the client data */
    const uint8_t *challenge;
    unsigned flags; /* of the authenticator data; 0: GOOD */
    uint32_t count;
    size_t cut; /* bytes that the authenticator data lacks at its end */
};

struct made {
    char client_data[1024];
    uint8_t auth_data[1024], signature[256];
    size_t auth_len, signature_len;
    struct passkey_response response;
};

struct authenticator {
    EVP_PKEY *key;
    uint8_t id[16], x[32], y[32];
};

static struct authenticator anna, ben;

static void make_key(struct authenticator *a, uint8_t id)
{
    uint8_t point[65];
    size_t len = 0;

    memset(a->id, id, sizeof(a->id));
    a->key = EVP_EC_gen("P-256");
    assert_non_null(a->key);
    assert_int_equal(EVP_PKEY_get_octet_string_param(a->key, "pub", point, sizeof(point), &len), 1);
    assert_int_equal(len, sizeof(point));
    memcpy(a->x, point + 1, 32);
    memcpy(a->y, point + 33, 32);
}

static int begin(void **state)
{
    (void)state;
    make_key(&anna, 0xa0);
    make_key(&ben, 0xb0);
    return !passkey_site_read("https://review.example:8443", &site, &err);
}

static int end(void **state)
{
    (void)state;
    EVP_PKEY_free(anna.key);
    EVP_PKEY_free(ben.key);
    return 0;
}

static void put(struct made *m, const void *bytes, size_t len)
{
    memcpy(m->auth_data + m->auth_len, bytes, len);
    m->auth_len += len;
}

static void put_client_data(struct made *m, const struct ceremony *c, const char *type)
{
    char text[PASSKEY_CHALLENGE_TEXT + 1];

    sodium_bin2base64(text, sizeof(text), c->challenge == NULL ? challenge : c->challenge, PASSKEY_CHALLENGE,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    (void)snprintf(m->client_data, sizeof(m->client_data), "{\"type\":\"%s\",\"challenge\":\"%s\",\"origin\":\"%s\"%s}",
                   c->type == NULL ? type : c->type, text, c->origin == NULL ? site.origin : c->origin,
                   c->json == NULL ? ",\"crossOrigin\":false,\"new_member\":{\"a\":[1]}" : c->json);
}

static void put_head(struct made *m, const struct ceremony *c, unsigned flags)
{
    const char *rp_id = c->rp_id == NULL ? site.rp_id : c->rp_id;
    uint8_t hash[crypto_hash_sha256_BYTES], byte = (uint8_t)((c->flags == 0 ? GOOD : c->flags) | flags);
    const uint8_t count[] = {(uint8_t)(c->count >> 24), (uint8_t)(c->count >> 16), (uint8_t)(c->count >> 8), (uint8_t)c->count};

    (void)crypto_hash_sha256(hash, (const uint8_t *)rp_id, strlen(rp_id));
    put(m, hash, sizeof(hash));
    put(m, &byte, 1);
    put(m, count, sizeof(count));
}

static void finish(struct made *m, const struct ceremony *c)
{
    m->response = (struct passkey_response){.client_data = span_str(m->client_data),
                                            .auth_data = span_of((const char *)m->auth_data, m->auth_len - c->cut),
                                            .signature = span_of((const char *)m->signature, m->signature_len)};
}

/* Authenticator data with an attested credential: AAGUID, id, COSE key. */
static void make_registration(struct made *m, const struct authenticator *a, const struct ceremony *c)
{
    static const uint8_t aaguid[16], id_len[] = {0, 16}, cose[] = {0xa5, 1, 2, 3, 0x26, 0x20, 1, 0x21, 0x58, 32}, y[] = {0x22, 0x58, 32};

    *m = (struct made){0};
    put_client_data(m, c, "webauthn.create");
    put_head(m, c, ATTESTED);
    put(m, aaguid, sizeof(aaguid));
    put(m, id_len, sizeof(id_len));
    put(m, a->id, sizeof(a->id));
    put(m, cose, sizeof(cose));
    put(m, a->x, sizeof(a->x));
    put(m, y, sizeof(y));
    put(m, a->y, sizeof(a->y));
    finish(m, c);
}

static void make_assertion(struct made *m, const struct authenticator *a, const struct ceremony *c)
{
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    uint8_t hash[crypto_hash_sha256_BYTES];

    *m = (struct made){.signature_len = sizeof(m->signature)};
    put_client_data(m, c, "webauthn.get");
    put_head(m, c, 0);
    (void)crypto_hash_sha256(hash, (const uint8_t *)m->client_data, strlen(m->client_data));
    assert_int_equal(EVP_DigestSignInit(context, NULL, EVP_sha256(), NULL, a->key), 1);
    assert_int_equal(EVP_DigestSignUpdate(context, m->auth_data, m->auth_len), 1);
    assert_int_equal(EVP_DigestSignUpdate(context, hash, sizeof(hash)), 1);
    assert_int_equal(EVP_DigestSignFinal(context, m->signature, &m->signature_len), 1);
    EVP_MD_CTX_free(context);
    finish(m, c);
}

static bool registers(const struct ceremony *c)
{
    struct passkey key = {.count = 77};
    struct made m;

    make_registration(&m, &anna, c);
    bool is_good = passkey_register(&site, challenge, &m.response, &key, &err);
    assert_true(is_good || key.count == 77);
    return is_good;
}

static struct passkey key_of(const struct authenticator *a)
{
    struct passkey key;
    struct made m;

    make_registration(&m, a, &(struct ceremony){0});
    assert_true(passkey_register(&site, challenge, &m.response, &key, &err));
    return key;
}

static bool asserts(const struct ceremony *c)
{
    struct passkey key = key_of(&anna);
    uint32_t count = 77;
    struct made m;

    make_assertion(&m, &anna, c);
    bool is_good = passkey_assert(&site, challenge, &key, &m.response, &count, &err);
    assert_int_equal(count, is_good ? c->count : 77);
    return is_good;
}

static void an_origin_is_read_as_browsers_write_it(void **state)
{
    static const char *const good[][2] = {{"https://review.example", "review.example"},
                                          {"https://a-b.review.example:8443", "a-b.review.example"},
                                          {"http://localhost:8471", "localhost"},
                                          {"http://localhost", "localhost"},
                                          {"https://localhost", "localhost"}};
    static const char *const bad[] = {"", "review.example", "http://review.example", "https://Review.example", "https://review.example/",
                                      "https://review.example:443", "http://localhost:80", "https://10.0.0.1", "https://[::1]",
                                      "https://review.example:", "https://review.example:0", "https://review.example:65536",
                                      "https://review.example:84430000000000000001", "https://a@review.example", "https://.example",
                                      "https://review..example", "https://review.example.", "https://-a.example", "https://a-.example",
                                      "https://", "null", "https://review.example:8443x", "https://review.ex_ample"};
    struct passkey_site read;

    (void)state;
    for (size_t i = 0; i < COUNT(good); i++) {
        assert_true(passkey_site_read(good[i][0], &read, &err));
        assert_string_equal(read.origin, good[i][0]);
        assert_string_equal(read.rp_id, good[i][1]);
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(passkey_site_read(bad[i], &read, &err));
    }
    assert_false(passkey_site_read(NULL, &read, &err));
}

static void a_registration_gives_the_key_and_its_counter(void **state)
{
    struct passkey key;
    struct made m;

    (void)state;
    make_registration(&m, &anna, &(struct ceremony){.count = 5});
    assert_true(passkey_register(&site, challenge, &m.response, &key, &err));
    assert_int_equal(key.algorithm, -7);
    assert_int_equal(key.id_len, sizeof(anna.id));
    assert_memory_equal(key.id, anna.id, sizeof(anna.id));
    assert_int_equal(key.key_len, 64);
    assert_memory_equal(key.key, anna.x, 32);
    assert_memory_equal(key.key + 32, anna.y, 32);
    assert_int_equal(key.count, 5);
    assert_true(passkey_check(&key, &err));
}

/* For registrations and assertions alike. */
static const struct ceremony bad[] = {
    {.origin = "https://evil.example:8443"},
    {.origin = "https://review.example"},
    {.origin = "https://review.example:8443.evil.example"},
    {.origin = "http://review.example:8443"},
    {.rp_id = "evil.example"},
    {.rp_id = "example"},
    {.challenge = other_challenge},
    {.type = "payment.get"},
    {.type = ""},
    {.flags = PRESENT},
    {.flags = VERIFIED},
    {.flags = 16},
    {.json = ",\"crossOrigin\":true"},
    {.json = ",\"topOrigin\":\"https://evil.example\""},
    {.json = ",\"origin\":\"https://review.example:8443\""},
    {.json = ",\"challenge\":\"AQIDAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\""},
    {.json = ",\"crossOrigin\":\"no\""},
    {.json = ","},
};

static void a_registration_of_anything_else_is_refused(void **state)
{
    (void)state;
    assert_true(registers(&(struct ceremony){0}));
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(registers(&bad[i]));
        assert_int_equal(err.kind, ERROR_DENIED);
    }
    assert_false(registers(&(struct ceremony){.type = "webauthn.get"}));
}

static void a_registration_that_is_cut_anywhere_is_refused(void **state)
{
    struct made m;

    (void)state;
    make_registration(&m, &anna, &(struct ceremony){0});
    for (size_t cut = 1; cut <= m.auth_len; cut++) {
        assert_false(registers(&(struct ceremony){.cut = cut}));
    }
}

static void a_point_off_the_curve_is_no_key(void **state)
{
    struct authenticator broken = anna;
    struct passkey key = key_of(&anna);
    struct made m;

    (void)state;
    broken.y[31] ^= 1;
    make_registration(&m, &broken, &(struct ceremony){0});
    assert_false(passkey_register(&site, challenge, &m.response, &key, &err));
    key.key[63] ^= 1;
    assert_false(passkey_check(&key, &err));
    key.key[63] ^= 1;
    key.algorithm = -8;
    assert_false(passkey_check(&key, &err));
}

static void an_assertion_of_the_key_is_accepted(void **state)
{
    (void)state;
    assert_true(asserts(&(struct ceremony){.count = 9}));
    assert_true(asserts(&(struct ceremony){.flags = GOOD | 8 | 16})); /* a key that is backed up */
}

static void an_assertion_of_anything_else_is_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_false(asserts(&bad[i]));
        assert_int_equal(err.kind, ERROR_DENIED);
    }
    assert_false(asserts(&(struct ceremony){.type = "webauthn.create"}));
    for (size_t cut = 1; cut <= 37; cut++) {
        assert_false(asserts(&(struct ceremony){.cut = cut}));
    }
}

static void an_assertion_of_another_key_is_refused(void **state)
{
    struct passkey key = key_of(&anna);
    uint32_t count = 0;
    struct made m;

    (void)state;
    make_assertion(&m, &ben, &(struct ceremony){0});
    assert_false(passkey_assert(&site, challenge, &key, &m.response, &count, &err));
}

static void every_changed_byte_of_what_is_signed_is_found(void **state)
{
    struct passkey key = key_of(&anna);
    uint32_t count = 0;
    struct made m;

    (void)state;
    make_assertion(&m, &anna, &(struct ceremony){0});
    for (size_t i = 0; i < m.auth_len; i++) {
        m.auth_data[i] ^= 2;
        assert_false(passkey_assert(&site, challenge, &key, &m.response, &count, &err));
        m.auth_data[i] ^= 2;
    }
    for (size_t i = 0; i < m.signature_len; i++) {
        m.signature[i] ^= 1;
        assert_false(passkey_assert(&site, challenge, &key, &m.response, &count, &err));
        m.signature[i] ^= 1;
    }
    for (size_t i = 0; i < strlen(m.client_data); i++) {
        m.client_data[i] ^= 1;
        assert_false(passkey_assert(&site, challenge, &key, &m.response, &count, &err));
        m.client_data[i] ^= 1;
    }
    assert_true(passkey_assert(&site, challenge, &key, &m.response, &count, &err));
}

static void lengths_are_limited(void **state)
{
    static char long_text[PASSKEY_CLIENT_DATA_MAX + 2];
    struct passkey key = key_of(&anna);
    uint32_t count = 0;
    struct made m;

    (void)state;
    memset(long_text, ' ', sizeof(long_text) - 1);
    make_assertion(&m, &anna, &(struct ceremony){0});
    struct passkey_response response = m.response;
    response.client_data = span_str(long_text);
    assert_false(passkey_assert(&site, challenge, &key, &response, &count, &err));
    response = m.response;
    response.signature = span_of(long_text, PASSKEY_SIGNATURE_MAX + 1);
    assert_false(passkey_assert(&site, challenge, &key, &response, &count, &err));
    response = (struct passkey_response){0};
    assert_false(passkey_assert(&site, challenge, &key, &response, &count, &err));
    assert_false(passkey_register(&site, challenge, &response, &key, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_origin_is_read_as_browsers_write_it),
        cmocka_unit_test(a_registration_gives_the_key_and_its_counter),
        cmocka_unit_test(a_registration_of_anything_else_is_refused),
        cmocka_unit_test(a_registration_that_is_cut_anywhere_is_refused),
        cmocka_unit_test(a_point_off_the_curve_is_no_key),
        cmocka_unit_test(an_assertion_of_the_key_is_accepted),
        cmocka_unit_test(an_assertion_of_anything_else_is_refused),
        cmocka_unit_test(an_assertion_of_another_key_is_refused),
        cmocka_unit_test(every_changed_byte_of_what_is_signed_is_found),
        cmocka_unit_test(lengths_are_limited),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
