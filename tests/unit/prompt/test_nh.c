#include <sodium.h>
#include <stdlib.h>

#include "testing.h"

#include "prompt/nh.h"

static struct nh_key key;

/* By the definition, word by word: the block with zeros behind it. */
static void sums_by_definition(struct span block, uint64_t sums[NH_SUMS])
{
    uint32_t words[NH_BLOCK / 4] = {0};

    memcpy(words, block.ptr, block.len);
    for (size_t s = 0; s < NH_SUMS; s++) {
        sums[s] = 0;
        for (size_t i = 0; i < (block.len + NH_GROUP - 1) / NH_GROUP * NH_GROUP / 4; i += 2) {
            uint32_t a = words[i] + key.words[i + 8 * s], b = words[i + 1] + key.words[i + 1 + 8 * s];
            sums[s] += (uint64_t)a * b;
        }
    }
}

/* With and without instructions of some processors, of every length, and not a byte behind it is read. */
static void sums_are_those_of_the_definition(void **state)
{
    (void)state;
    randombytes_buf(&key, sizeof(key));
    for (size_t len = 0; len <= NH_BLOCK; len++) {
        char *block = malloc(len + 1); /* ASan's red zone is one byte behind the text */
        uint64_t expected[NH_SUMS], plain[NH_SUMS], sums[NH_SUMS];

        assert_non_null(block);
        randombytes_buf(block, len + 1);
        sums_by_definition(span_of(block + 1, len), expected);
        nh_sums_plain(&key, span_of(block + 1, len), plain);
        nh_sums(&key, span_of(block + 1, len), sums);
        assert_memory_equal(plain, expected, sizeof(expected));
        assert_memory_equal(sums, expected, sizeof(expected));
        free(block);
    }
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
    nh_sums(&key, span_of(block, sizeof(block)), whole);
    for (size_t at = 0; at < sizeof(block); at++) {
        block[at] = 1;
        nh_sums(&key, span_of(block, sizeof(block)), other);
        block[at] = 0;
        for (size_t s = 0; s < NH_SUMS; s++) {
            assert_true(whole[s] != other[s]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_those_of_the_definition),
        cmocka_unit_test(each_sum_is_of_each_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
