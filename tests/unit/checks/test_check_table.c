/* The table of checks, what holds for all of them, and the word lists behind them. */
#include "check_case.h"

#include <sodium.h>

#include "formats/bip39_words.h"
#include "checks/checksum.h"
#include "lexical/english_words.h"

static void every_check_is_found_by_its_name_in_order(void **state)
{
    size_t n = 0;
    const struct check_type *const *all = check_all(&n);

    (void)state;
    assert_true(n > 80);
    for (size_t i = 0; i < n; i++) {
        assert_ptr_equal(check_find(span_str(all[i]->name)), all[i]);
        assert_true(i == 0 || strcmp(all[i - 1]->name, all[i]->name) < 0);
        assert_true(strncmp(all[i]->summary, "passes when ", 12) == 0);
        assert_non_null(all[i]->passes);
    }
    assert_null(check_find(span_str("luh")));
    assert_null(check_find(span_str("luhn2")));
    assert_null(check_find(span_str("")));
    assert_null(check_find(span_str("zzz")));
}

static void parameters_have_different_names(void **state)
{
    size_t n = 0;
    const struct check_type *const *all = check_all(&n);

    (void)state;
    for (size_t i = 0; i < n; i++) {
        const struct check_parameter *p = all[i]->parameters;
        for (size_t a = 0; p[a].name != NULL; a++) {
            for (size_t b = 0; b < a; b++) {
                assert_string_not_equal(p[a].name, p[b].name);
            }
        }
    }
}

/* Bytes at random, and bytes that drive parsers deep: letters, digits, brackets, base64. */
static void fill(char *text, size_t n, unsigned kind)
{
    static const char *const alphabets[] = {
        "0123456789",
        "abcdefghijklmnopqrstuvwxyz",
        "aeiouyst",
        "{}[]\":,1",
        "A",
        "1",
        "=",
        "a1",
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        ".-_/ ",
        "\xc2\xa0",
    };
    unsigned lot = 7 + kind;

    for (size_t i = 0; i < n; i++) {
        lot = lot * 1103515245u + 12345u;
        unsigned drawn = lot >> 16;
        const char *alphabet = kind < COUNT(alphabets) ? alphabets[kind] : NULL;
        text[i] =
            (char)(alphabet == NULL ? drawn : (unsigned char)alphabet[drawn % strlen(alphabet)]);
    }
}

static void every_check_bears_any_bytes_of_any_length(void **state)
{
    static const size_t lengths[] = {0, 1, 2, 3, 12, 17, 40, 64, 97, 300, CHECK_SPAN_MAX};
    char *text = malloc(CHECK_SPAN_MAX);
    size_t n = 0;
    const struct check_type *const *all = check_all(&n);

    (void)state;
    assert_non_null(text);
    for (unsigned kind = 0; kind < 12; kind++) {
        fill(text, CHECK_SPAN_MAX, kind);
        for (size_t i = 0; i < n * COUNT(lengths); i++) {
            struct check_args none = {.is_given = {false}};
            size_t len = lengths[i % COUNT(lengths)];
            /* At the end of the allocation, so that reading past it shows. */
            (void)all[i / COUNT(lengths)]->passes(span_of(text + CHECK_SPAN_MAX - len, len), &none);
            if (all[i / COUNT(lengths)]->passes_behind != NULL) {
                (void)all[i / COUNT(lengths)]->passes_behind(span_of(text, CHECK_BEFORE), span_of(text + CHECK_SPAN_MAX - len, len), &none);
            }
        }
    }
    free(text);
}

static void english_words_are_sorted_and_their_pairs_counted(void **state)
{
    unsigned counts[26][26] = {{0}};

    (void)state;
    for (size_t i = 0; i < english_words_n; i++) {
        const char *word = english_words[i];
        assert_true(i == 0 || strcmp(english_words[i - 1], word) < 0);
        assert_true(strlen(word) >= ENGLISH_WORD_MIN);
        for (size_t at = 1; word[at] != '\0'; at++) {
            counts[word[at - 1] - 'a'][word[at] - 'a']++;
        }
    }
    for (unsigned a = 0; a < 26; a++) {
        for (unsigned b = 0; b < 26; b++) {
            assert_true((english_pairs[a] >> b & 1u) == (counts[a][b] >= ENGLISH_PAIR_MIN));
        }
    }
}

static void bip39_words_are_those_of_the_standard(void **state)
{
    /* SHA-256 of bip-0039/english.txt */
    static const char expected[] =
        "2f5eed53a4727b4bf8880d8f3f199efc90e58503646d9ff8eff3a2ed3b24dbda";
    crypto_hash_sha256_state hash;
    unsigned char digest[crypto_hash_sha256_BYTES];
    char hex[2 * sizeof(digest) + 1];

    (void)state;
    crypto_hash_sha256_init(&hash);
    for (size_t i = 0; i < BIP39_WORDS; i++) {
        crypto_hash_sha256_update(&hash, (const unsigned char *)bip39_words[i],
                                  strlen(bip39_words[i]));
        crypto_hash_sha256_update(&hash, (const unsigned char *)"\n", 1);
    }
    crypto_hash_sha256_final(&hash, digest);
    assert_string_equal(sodium_bin2hex(hex, sizeof(hex), digest, sizeof(digest)), expected);
}

static void crc16_agrees_with_its_check_value(void **state)
{
    (void)state;
    assert_int_equal(checksum_crc16((const uint8_t *)"123456789", 9), 0x31c3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_check_is_found_by_its_name_in_order),
        cmocka_unit_test(parameters_have_different_names),
        cmocka_unit_test(every_check_bears_any_bytes_of_any_length),
        cmocka_unit_test(english_words_are_sorted_and_their_pairs_counted),
        cmocka_unit_test(bip39_words_are_those_of_the_standard),
        cmocka_unit_test(crc16_agrees_with_its_check_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
