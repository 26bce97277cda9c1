#include <sodium.h>
#include <stdlib.h>

#include "testing.h"

#include "prompt/nh.h"

static struct nh_key key;

static void multiply_without_carries(uint64_t a, uint64_t b, uint64_t product[2])
{
    product[0] = product[1] = 0;
    for (unsigned i = 0; i < 64; i++) {
        if ((b >> i & 1) != 0) {
            product[0] ^= a << i;
            product[1] ^= i == 0 ? 0 : a >> (64 - i);
        }
    }
}

static uint64_t word_of(const uint32_t *words, size_t i)
{
    return words[2 * i] | (uint64_t)words[2 * i + 1] << 32;
}

/* The definitions, word by word: the block with zeros behind it. */
static void sum_of_products(const uint32_t *words, size_t n, uint64_t sums[NH_SUMS])
{
    for (size_t s = 0; s < NH_SUMS; s++) {
        for (size_t i = 0; i < n; i += 2) {
            uint32_t a = words[i] + key.words[i + 8 * s], b = words[i + 1] + key.words[i + 1 + 8 * s];
            sums[s] += (uint64_t)a * b;
        }
    }
}

static void sum_of_carryless_products(const uint32_t *words, size_t n, uint64_t sums[NH_SUMS])
{
    for (size_t s = 0; s < 2; s++) {
        for (size_t i = 0; i < n / 2; i += 2) {
            uint64_t product[2];
            multiply_without_carries(word_of(words, i) ^ word_of(key.words, i + 4 * s),
                                     word_of(words, i + 1) ^ word_of(key.words, i + 1 + 4 * s), product);
            sums[2 * s] ^= product[0];
            sums[2 * s + 1] ^= product[1];
        }
    }
}

static void sums_by_definition(enum nh_way way, struct span block, uint64_t sums[NH_SUMS])
{
    uint32_t words[NH_BLOCK / 4] = {0};
    const size_t n = (block.len + NH_GROUP - 1) / NH_GROUP * NH_GROUP / 4;

    memcpy(words, block.ptr, block.len);
    memset(sums, 0, NH_SUM);
    (way == NH_CARRYLESS ? sum_of_carryless_products : sum_of_products)(words, n, sums);
}

/* In each way that this processor can, of every length, and not a byte behind it is read. */
static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    randombytes_buf(&key, sizeof(key));
    for (size_t len = 1; len <= NH_BLOCK; len++) {
        char *block = malloc(len + 1); /* ASan's red zone is one byte behind the text */

        assert_non_null(block);
        randombytes_buf(block, len + 1);
        for (enum nh_way way = NH_PLAIN; way <= NH_CARRYLESS; way++) {
            uint64_t expected[NH_SUMS], sums[NH_SUMS];
            sums_by_definition(way, span_of(block + 1, len), expected);
            if (nh_can(way)) {
                nh_sums_by(way, &key, span_of(block + 1, len), sums);
                assert_memory_equal(sums, expected, sizeof(expected));
            }
        }
        free(block);
    }
}

static void the_quickest_way_is_taken(void **state)
{
    const enum nh_way way = nh_can(NH_CARRYLESS) ? NH_CARRYLESS : NH_PLAIN;
    const struct span text = span_str("a text of one block");
    uint64_t sums[NH_SUMS], expected[NH_SUMS];

    (void)state;
    nh_sums(&key, text, sums);
    sums_by_definition(way, text, expected);
    assert_memory_equal(sums, expected, sizeof(expected));
}

/* The blocks of a text one behind the other, the last one a begun one; an empty text has none. */
static void a_text_has_the_sums_of_its_blocks(void **state)
{
    char text[2 * NH_BLOCK + 33];
    uint64_t sums[3 * NH_SUMS + 1] = {0}, expected[NH_SUMS];

    (void)state;
    randombytes_buf(text, sizeof(text));
    assert_int_equal(nh_n_sums(span_of(text, sizeof(text))), 3 * NH_SUMS);
    nh_sums(&key, span_of(text, sizeof(text)), sums);
    for (size_t at = 0, i = 0; at < sizeof(text); at += NH_BLOCK, i += NH_SUMS) {
        size_t end = at + NH_BLOCK < sizeof(text) ? at + NH_BLOCK : sizeof(text);
        nh_sums(&key, span_of(text + at, end - at), expected);
        assert_memory_equal(sums + i, expected, sizeof(expected));
    }
    assert_int_equal(sums[COUNT(sums) - 1], 0);
    nh_sums(&key, span_of(text, 0), sums + COUNT(sums) - 1);
    assert_int_equal(sums[COUNT(sums) - 1], 0);
}

/* Each sum alone tells two texts apart that differ in one word, of either half of a product. */
static void each_sum_is_of_each_word(void **state)
{
    char block[NH_BLOCK] = {0};
    uint64_t whole[NH_SUMS], other[NH_SUMS];

    (void)state;
    for (size_t i = 0; i < NH_WORDS; i++) {
        key.words[i] = (uint32_t)(i * 2654435761U + 1); /* no word is 0 */
    }
    for (enum nh_way way = NH_PLAIN; way <= NH_CARRYLESS; way++) {
        const size_t len = way == NH_CARRYLESS ? 2 : 1; /* of a sum, in words of `whole` */
        for (size_t at = 0; at < sizeof(block) && nh_can(way); at++) {
            nh_sums_by(way, &key, span_of(block, sizeof(block)), whole);
            block[at] = 1;
            nh_sums_by(way, &key, span_of(block, sizeof(block)), other);
            block[at] = 0;
            for (size_t s = 0; s < NH_SUMS; s += len) {
                assert_memory_not_equal(whole + s, other + s, len * sizeof(whole[0]));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(the_quickest_way_is_taken),
        cmocka_unit_test(a_text_has_the_sums_of_its_blocks),
        cmocka_unit_test(each_sum_is_of_each_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
