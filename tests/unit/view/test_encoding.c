#include "testing.h"

#include "view/encoding.h"

static const uint32_t code_points[] = {'a', 0xe9, 0x20ac, 0x1f511, '\n', 0x10ffff, 0xfeff, 'z'};
static const char utf8[] = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x91\n\xf4\x8f\xbf\xbf\xef\xbb\xbfz";

static size_t put_unit(uint32_t value, unsigned unit, bool is_big, char *to)
{
    for (unsigned i = 0; i < unit; i++) {
        to[i] = (char)(value >> 8 * (is_big ? unit - 1 - i : i));
    }
    return unit;
}

/* The sample with its mark. */
static size_t encode(unsigned unit, bool is_big, char *to)
{
    size_t n = put_unit(0xfeff, unit, is_big, to);

    for (size_t i = 0; i < COUNT(code_points); i++) {
        uint32_t c = code_points[i];
        if (unit == 2 && c > 0xffff) {
            n += put_unit(0xd800 + ((c - 0x10000) >> 10), unit, is_big, to + n);
            c = 0xdc00 + ((c - 0x10000) & 0x3ff);
        }
        n += put_unit(c, unit, is_big, to + n);
    }
    return n;
}

static void every_encoding_in_every_cutting_is_the_same_text(void **state)
{
    static const struct {
        unsigned unit;
        bool is_big;
    } forms[] = {{2, false}, {2, true}, {4, false}, {4, true}};

    (void)state;
    for (size_t f = 0; f < COUNT(forms); f++) {
        char bytes[128];
        size_t n = encode(forms[f].unit, forms[f].is_big, bytes);
        for (size_t step = 1; step <= n; step++) {
            struct encoding e;
            struct error err;
            struct buf out;
            buf_init(&out, 1024);
            for (size_t at = encoding_detect(span_of(bytes, n), &e); at < n; at += step) {
                size_t len = n - at < step ? n - at : step;
                assert_true(encoding_append(&e, span_of(bytes + at, len), &out, &err));
            }
            assert_true(encoding_end(&e, &out, &err));
            assert_int_equal(e.unit, forms[f].unit);
            assert_true(span_is(buf_span(&out), utf8));
            buf_deinit(&out);
        }
    }
}

static void what_is_no_code_point_is_seen_to_be_none(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *text;
    } rows[] = {
        {"\xff\xfe\x00\xd8\x61\x00", 6, "\xef\xbf\xbd" "a"},  /* a high surrogate alone */
        {"\xff\xfe\x00\xdc\x61\x00", 6, "\xef\xbf\xbd" "a"},  /* a low one */
        {"\xff\xfe\x61\x00\x00\xd8", 6, "a\xef\xbf\xbd"},     /* at the end */
        {"\xfe\xff\x00\x61\x00", 5, "a\xef\xbf\xbd"},         /* half a unit */
        {"\xff\xfe\0\0\0\0\x11\0\0\xd8\0\0", 12, "\xef\xbf\xbd\xef\xbf\xbd"}, /* UTF-32 past the last, and a surrogate */
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        struct encoding e;
        struct error err;
        struct buf out;
        buf_init(&out, 1024);
        size_t mark = encoding_detect(span_of(rows[i].bytes, rows[i].len), &e);
        assert_true(encoding_append(&e, span_of(rows[i].bytes + mark, rows[i].len - mark), &out, &err));
        assert_true(encoding_end(&e, &out, &err));
        assert_true(span_is(buf_span(&out), rows[i].text));
        buf_deinit(&out);
    }
}

static void a_text_without_a_mark_is_as_it_is(void **state)
{
    struct encoding e;

    (void)state;
    assert_int_equal(encoding_detect(span_str("plain"), &e), 0);
    assert_int_equal(e.unit, 1);
    assert_int_equal(encoding_detect(span_of("", 0), &e), 0);
    assert_int_equal(encoding_detect(span_str("\xef\xbb\xbfplain"), &e), 3);
    assert_int_equal(e.unit, 1);
    assert_false(encoding_needs_more(span_str("{")));
    assert_false(encoding_needs_more(span_of("", 0)));
    assert_true(encoding_needs_more(span_str("\xef\xbb")));
    assert_true(encoding_needs_more(span_str("\xff\xfe")));
    assert_false(encoding_needs_more(span_str("\xff\xfe" "ab")));
}

static void a_ceiling_is_kept(void **state)
{
    struct encoding e;
    struct error err;
    struct buf out;

    (void)state;
    buf_init(&out, 2);
    assert_int_equal(encoding_detect(span_of("\xff\xfe" "a\0b\0c\0", 8), &e), 2);
    assert_false(encoding_append(&e, span_of("a\0b\0c\0", 6), &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_encoding_in_every_cutting_is_the_same_text),
        cmocka_unit_test(what_is_no_code_point_is_seen_to_be_none),
        cmocka_unit_test(a_text_without_a_mark_is_as_it_is),
        cmocka_unit_test(a_ceiling_is_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
