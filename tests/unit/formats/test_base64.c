#include "testing.h"

#include "base/ascii.h"
#include "formats/base64.h"

enum { LENGTH_MAX = 40 };

static const char standard[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void decodes_the_vectors_of_rfc_4648(void **state)
{
    (void)state;
    static const char *const vectors[][2] = {{"", ""},           {"Zg==", "f"},        {"Zm8=", "fo"},        {"Zm9v", "foo"},
                                             {"Zm9vYg==", "foob"}, {"Zm9vYmE=", "fooba"}, {"Zm9vYmFy", "foobar"}};

    for (size_t i = 0; i < COUNT(vectors); i++) {
        uint8_t out[8];
        size_t len = 99;
        assert_true(base64_decode(span_str(vectors[i][0]), BASE64_STANDARD, out, sizeof(out), &len));
        assert_int_equal(len, strlen(vectors[i][1]));
        assert_memory_equal(out, vectors[i][1], len);
    }
}

/* The run behind `n` characters: of each length all 64 values have been at each place. */
static struct span run_of(char text[LENGTH_MAX], size_t n, size_t turn)
{
    for (size_t i = 0; i < n; i++) {
        text[i] = standard[(turn + i * 7) % 64];
    }
    return span_of(text, n);
}

/* Bit by bit, as the RFC defines it. */
static size_t decode_slowly(struct span run, uint8_t *out)
{
    size_t n = 0, n_bits = 0;
    uint32_t bits = 0;

    for (size_t i = 0; i < run.len; i++) {
        bits = bits << 6 | (uint32_t)(strchr(standard, run.ptr[i]) - standard);
        for (n_bits += 6; n_bits >= 8; n_bits -= 8) {
            out[n++] = (uint8_t)(bits >> (n_bits - 8));
        }
    }
    return n;
}

static void a_run_decodes_to_its_bits_whatever_its_length(void **state)
{
    (void)state;
    char text[LENGTH_MAX], out[LENGTH_MAX];
    uint8_t expected[LENGTH_MAX];

    for (size_t n = 0; n < LENGTH_MAX; n++) {
        for (size_t turn = 0; turn < 64; turn++) {
            struct span run = run_of(text, n, turn);
            size_t len = decode_slowly(run, expected);
            assert_int_equal(ascii_base64_decode(run, out), n * 3 / 4);
            assert_memory_equal(out, expected, len);
            assert_true(len <= n * 3 / 4);
        }
    }
}

static void both_decoders_agree_where_a_length_is_possible(void **state)
{
    (void)state;
    char text[LENGTH_MAX], run_out[LENGTH_MAX];
    uint8_t out[LENGTH_MAX];

    for (size_t n = 0; n < LENGTH_MAX; n++) {
        struct span run = run_of(text, n, n);
        size_t len = 99, run_len = ascii_base64_decode(run, run_out);
        bool is_decoded = base64_decode(run, BASE64_STANDARD, out, sizeof(out), &len);
        assert_int_equal(is_decoded, n % 4 != 1);
        assert_int_equal(len, is_decoded ? run_len : 99);
        if (is_decoded) {
            assert_memory_equal(out, run_out, len);
        }
    }
}

static void a_run_may_mix_the_alphabets(void **state)
{
    (void)state;
    char out[6];

    assert_int_equal(ascii_base64_decode(span_str("+-/_-+_/"), out), 6);
    assert_memory_equal(out, "\xfb\xef\xff\xfb\xef\xff", 6);
}

static void refuses_other_characters_lengths_and_padding(void **state)
{
    (void)state;
    static const char *const refused[] = {"Zm9v!", "Zm9 v", "Zm9vY", "Zg=", "Zg===", "Z===", "Zm9v=", "=", "Zm-v", "Zg=v"};

    for (size_t i = 0; i < COUNT(refused); i++) {
        uint8_t out[8];
        size_t len = 99;
        assert_false(base64_decode(span_str(refused[i]), BASE64_STANDARD, out, sizeof(out), &len));
        assert_int_equal(len, 99);
    }
}

static void writes_no_more_than_there_is_room(void **state)
{
    (void)state;
    uint8_t out[3] = {0};
    size_t len;

    assert_false(base64_decode(span_str("Zm9vYg"), BASE64_STANDARD, out, 3, &len));
    assert_int_equal(out[0], 0);
    assert_true(base64_decode(span_str("Zm9v"), BASE64_STANDARD, out, 3, &len));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(decodes_the_vectors_of_rfc_4648),
        cmocka_unit_test(a_run_decodes_to_its_bits_whatever_its_length),
        cmocka_unit_test(both_decoders_agree_where_a_length_is_possible),
        cmocka_unit_test(a_run_may_mix_the_alphabets),
        cmocka_unit_test(refuses_other_characters_lengths_and_padding),
        cmocka_unit_test(writes_no_more_than_there_is_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
