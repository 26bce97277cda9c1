/* A row has what it was packed from, and excludes no key of its line. */
#include "testing.h"

#include "index/index_row.h"
#include "support/random.h"

static struct random chance = {3};
static uint8_t packed[INDEX_ROW];
static struct error err;

static uint64_t bits(unsigned n)
{
    return random_next(&chance) >> (64 - n);
}

static struct index_row random_row(void)
{
    struct index_row row = {.seq = bits(40), .ts_ms = (int64_t)bits(44) - (INT64_C(1) << 43), .type = (unsigned)bits(4), .severity = (unsigned)bits(2),
                            .action = (int)bits(2) - 1, .has_req = bits(1) == 1, .req = (int64_t)bits(64), .file = (int64_t)bits(32),
                            .offset = bits(48), .len = 1 + bits(15)};

    for (unsigned i = 0; i < INDEX_WORDS; i++) {
        row.words[i] = (int64_t)bits(32);
    }
    return row;
}

static void what_is_packed_is_unpacked(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        struct index_row row = random_row(), out;
        assert_true(index_row_pack(&row, NULL, 0, packed, &err));
        assert_true(index_row_unpack(packed, row.seq, &out));
        assert_true(out.seq == row.seq && out.ts_ms == row.ts_ms && out.type == row.type && out.severity == row.severity &&
                    out.action == row.action && out.has_req == row.has_req && out.req == row.req && out.file == row.file &&
                    out.offset == row.offset && out.len == row.len && memcmp(out.words, row.words, sizeof(row.words)) == 0);
        assert_true(index_row_has_word(packed, INDEX_AGENT, row.words[INDEX_AGENT]));
        assert_false(index_row_has_word(packed, INDEX_AGENT, row.words[INDEX_AGENT] ^ 1));
        assert_true(index_row_has_req(packed, row.req) == row.has_req);
        assert_false(index_row_has_req(packed, row.req ^ 1));
    }
}

static void zeroes_are_no_line(void **state)
{
    static const uint8_t none[INDEX_ROW];
    struct index_row out;

    (void)state;
    assert_false(index_row_unpack(none, 7, &out));
}

static void no_key_of_a_line_is_excluded(void **state)
{
    unsigned others = 0;

    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        struct index_row row = random_row();
        uint64_t keys[INDEX_KEYS_MAX];
        size_t n = random_below(&chance, COUNT(keys) + 1);
        for (size_t k = 0; k < n; k++) {
            keys[k] = i % 5 == 0 ? bits(40) << 24 : bits(64); /* the bits that are kept may be 0 */
        }
        assert_true(index_row_pack(&row, keys, n, packed, &err));
        for (size_t k = 0; k < n; k++) {
            assert_true(index_row_may_have_key(packed, keys[k]));
        }
        others += n <= INDEX_ROW_KEYS && index_row_may_have_key(packed, bits(64));
    }
    assert_true(others < 5);
}

static void numbers_that_do_not_fit_are_refused(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 4; i++) {
        struct index_row row = random_row();
        row.file = i == 0 ? INT64_C(1) << 32 : row.file;
        row.words[INDEX_RULE] = i == 1 ? INT64_C(1) << 32 : row.words[INDEX_RULE];
        row.offset = i == 2 ? UINT64_C(1) << 48 : row.offset;
        row.len = i == 3 ? 65536 : row.len;
        assert_false(index_row_pack(&row, NULL, 0, packed, &err));
        assert_int_equal(err.kind, ERROR_LIMIT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_packed_is_unpacked),
        cmocka_unit_test(zeroes_are_no_line),
        cmocka_unit_test(no_key_of_a_line_is_excluded),
        cmocka_unit_test(numbers_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
