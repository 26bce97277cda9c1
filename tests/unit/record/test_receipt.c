#include "testing.h"

#include "record/receipt.h"

#define HASH "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"

static void a_receipt_is_what_it_was(void **state)
{
    static const uint64_t numbers[] = {1, 7, 10, 20852163, UINT64_MAX};
    char text[RECEIPT_TEXT + 1];
    struct tree_hash leaf, read;
    struct error err;
    uint64_t seq;
    (void)state;

    for (unsigned i = 0; i < TREE_HASH; i++) {
        leaf.bytes[i] = (uint8_t)i;
    }
    receipt_format(7, &leaf, text);
    assert_string_equal(text, "7." HASH);
    for (size_t i = 0; i < COUNT(numbers); i++) {
        for (unsigned fill = 0; fill < 256; fill++) {
            memset(leaf.bytes, (int)fill, TREE_HASH);
            receipt_format(numbers[i], &leaf, text);
            assert_true(strlen(text) <= RECEIPT_TEXT);
            assert_true(receipt_parse(span_str(text), &seq, &read, &err));
            assert_true(seq == numbers[i]);
            assert_true(tree_hash_equal(&leaf, &read));
        }
    }
}

static void what_is_no_receipt_is_refused(void **state)
{
    static const char *const texts[] = {
        "", ".", "1", "1.", "." HASH, "0." HASH, "01." HASH, "-1." HASH, "+1." HASH, " 1." HASH, "1." HASH " ", "1." HASH "=",
        "1." HASH "A", "1.." HASH, "1.1." HASH, "18446744073709551616." HASH, "x." HASH, "1:" HASH,
        "1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh9",  /* bits left over */
        "1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh+",  /* the other alphabet */
        "1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh/", "1.AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh\xC3",
    };
    struct tree_hash leaf;
    struct error err;
    uint64_t seq;
    (void)state;

    for (size_t i = 0; i < COUNT(texts); i++) {
        if (receipt_parse(span_str(texts[i]), &seq, &leaf, &err)) {
            fail_msg("receipt %zu was accepted", i);
        }
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_receipt_is_what_it_was),
        cmocka_unit_test(what_is_no_receipt_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
