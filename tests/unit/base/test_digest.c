#include "testing.h"

#include <sodium.h>

#include "base/digest.h"

static void sha256_is_that_of_the_standard(void **state)
{
    char hex[DIGEST_SHA256_HEX + 1];
    struct error err;
    (void)state;
    assert_true(digest_sha256(span_str("abc"), hex, &err));
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_true(digest_sha256(span_of(NULL, 0), hex, &err));
    assert_string_equal(hex, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

static void a_token_is_the_first_half_of_hmac_sha256(void **state)
{
    uint8_t key[DIGEST_KEY], value[300], full[crypto_auth_hmacsha256_BYTES];
    char hex[DIGEST_TOKEN_HEX + 1], expected[2 * sizeof(full) + 1];
    struct error err;
    (void)state;
    memset(value, 'v', sizeof(value));
    for (size_t len = 0; len < sizeof(value); len++) {
        memset(key, (int)len, sizeof(key));
        crypto_auth_hmacsha256(full, value, len, key);
        sodium_bin2hex(expected, sizeof(expected), full, sizeof(full));
        assert_true(digest_token(key, span_of((const char *)value, len), hex, &err));
        assert_int_equal(strlen(hex), DIGEST_TOKEN_HEX);
        assert_memory_equal(hex, expected, DIGEST_TOKEN_HEX);
    }
}

static void another_key_makes_another_token(void **state)
{
    uint8_t one[DIGEST_KEY] = {1}, two[DIGEST_KEY] = {2};
    char a[DIGEST_TOKEN_HEX + 1], b[DIGEST_TOKEN_HEX + 1];
    struct error err;
    (void)state;
    assert_true(digest_token(one, span_str("same"), a, &err));
    assert_true(digest_token(two, span_str("same"), b, &err));
    assert_string_not_equal(a, b);
}

static void parts_have_the_token_of_the_whole(void **state)
{
    static const uint8_t key[DIGEST_KEY] = {7};
    char whole[DIGEST_TOKEN_HEX + 1], parts[DIGEST_TOKEN_HEX + 1];
    struct digest_stream stream;
    struct error err;
    (void)state;
    assert_true(digest_token(key, span_str("one text"), whole, &err));
    assert_true(digest_stream_init(&stream, key, &err));
    assert_true(digest_stream_add(&stream, span_str("one "), &err));
    assert_true(digest_stream_add(&stream, span_of("", 0), &err));
    assert_true(digest_stream_add(&stream, span_str("text"), &err));
    digest_stream_token(&stream, parts);
    digest_stream_deinit(&stream);
    digest_stream_deinit(&stream);
    assert_string_equal(whole, parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sha256_is_that_of_the_standard),
        cmocka_unit_test(a_token_is_the_first_half_of_hmac_sha256),
        cmocka_unit_test(another_key_makes_another_token),
        cmocka_unit_test(parts_have_the_token_of_the_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
