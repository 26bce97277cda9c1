#include "testing.h"

#include "envoy/wire.h"

static struct error err;

static void every_number_comes_back(void **state)
{
    (void)state;
    static const uint64_t numbers[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX / 2 + 1, UINT64_MAX};
    struct wire_field f;
    struct buf b;

    for (size_t i = 0; i < COUNT(numbers); i++) {
        buf_init(&b, 64);
        assert_true(wire_put_number(&b, 15 + (uint32_t)i * 1000, numbers[i], &err));
        struct span rest = buf_span(&b);
        assert_int_equal(WIRE_FIELD, wire_next(&rest, &f));
        assert_int_equal(15 + i * 1000, f.number);
        assert_true(f.type == WIRE_VARINT && f.value == numbers[i]);
        assert_int_equal(WIRE_END, wire_next(&rest, &f));
        buf_deinit(&b);
    }
}

static void messages_nest(void **state)
{
    (void)state;
    char text[300];
    size_t outer = 0, inner = 0;
    struct wire_field f;
    struct buf b;

    memset(text, 'x', sizeof(text));
    buf_init(&b, 1024);
    assert_true(wire_begin(&b, 1, &outer, &err) && wire_begin(&b, 2, &inner, &err) &&
                wire_put_bytes(&b, 3, span_of(text, sizeof(text)), &err) && wire_end(&b, inner, &err) &&
                wire_end(&b, outer, &err));
    struct span rest = buf_span(&b);
    for (uint32_t number = 1; number <= 3; number++) {
        assert_int_equal(WIRE_FIELD, wire_next(&rest, &f));
        assert_int_equal(number, f.number);
        assert_int_equal(0, rest.len);
        rest = f.bytes;
    }
    assert_true(span_equal(rest, span_of(text, sizeof(text))));
    buf_deinit(&b);
}

static void what_is_cut_off_or_impossible_is_malformed(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t len;
    } bad[] = {
        {"\x08", 1},                                             /* no value */
        {"\x08\x80", 2},                                         /* half of one */
        {"\x0a\x05" "abcd", 6},                                  /* longer than what follows */
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},    /* by far */
        {"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11},    /* more than 64 bits */
        {"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 12}, /* more than ten bytes */
        {"\x0b", 1},                                             /* a group */
        {"\x0f\x00", 2},                                         /* a type that does not exist */
        {"\x00\x00", 2},                                         /* field 0 */
        {"\x80\x80\x80\x80\x10\x00", 6},                         /* a field number of more than 29 bits */
        {"\x09" "1234567", 8},
        {"\x0d" "123", 4},
    };
    struct wire_field f;

    for (size_t i = 0; i < COUNT(bad); i++) {
        struct span rest = span_of(bad[i].bytes, bad[i].len);
        if (wire_next(&rest, &f) != WIRE_MALFORMED) {
            fail_msg("row %zu", i);
        }
    }
}

static void a_limit_is_an_error(void **state)
{
    (void)state;
    size_t start = 0;
    struct buf b;

    buf_init(&b, 8);
    assert_true(wire_begin(&b, 1, &start, &err));
    assert_false(wire_put_bytes(&b, 1, span_str("12345678"), &err));
    buf_deinit(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_comes_back),
        cmocka_unit_test(messages_nest),
        cmocka_unit_test(what_is_cut_off_or_impossible_is_malformed),
        cmocka_unit_test(a_limit_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
