#include "testing.h"

#include <zlib.h>

#include "ctl/file_text.h"

enum { MIB = 1024 * 1024 };

static void put(struct buf *b, size_t max, struct span bytes)
{
    struct error err;

    buf_init(b, max);
    assert_true(buf_append(b, bytes, &err));
}

static size_t gzip(struct span text, char *to, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)text.ptr, .avail_in = (unsigned)text.len,
                  .next_out = (unsigned char *)to, .avail_out = (unsigned)room};

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&z);
    return room - z.avail_out;
}

static void expect_text(struct span bytes, const char *text)
{
    struct buf b;
    struct error err;
    const char *skipped = "";

    put(&b, MIB, bytes);
    assert_true(file_text_decode(&b, &skipped, &err));
    assert_null(skipped);
    assert_true(span_is(buf_span(&b), text));
    buf_deinit(&b);
}

static void packed_and_wide_texts_are_read(void **state)
{
    char packed[1024];

    (void)state;
    expect_text(span_str("plain"), "plain");
    expect_text(span_of("", 0), "");
    expect_text(span_str("\xef\xbb\xbfmarked"), "marked");
    expect_text(span_of("\xff\xfe" "a\0\xac\x20", 6), "a\xe2\x82\xac");
    expect_text(span_of("\xfe\xff\0a\x20\xac", 6), "a\xe2\x82\xac");
    size_t n = gzip(span_str("one "), packed, sizeof(packed));
    expect_text(span_of(packed, n), "one ");
    n += gzip(span_str("two"), packed + n, sizeof(packed) - n);
    expect_text(span_of(packed, n), "one two");
    memset(packed + n, 0, 32);
    expect_text(span_of(packed, n + 32), "one two");
    n = gzip(span_of("\xff\xfe" "a\0b\0", 6), packed, sizeof(packed));
    expect_text(span_of(packed, n), "ab");
}

/* Whatever gzip data claims or hides: an error, or all of it. */
static void data_that_is_not_whole_is_no_text(void **state)
{
    char packed[1024];
    const char *skipped;
    struct error err;
    struct buf b;
    size_t n = gzip(span_str("some text that is long enough to be cut anywhere"), packed, sizeof(packed));

    (void)state;
    for (size_t len = 3; len < n; len++) {
        put(&b, MIB, span_of(packed, len));
        assert_false(file_text_decode(&b, &skipped, &err));
        buf_deinit(&b);
    }
    memcpy(packed + n, "hidden", 6);
    put(&b, MIB, span_of(packed, n + 6));
    assert_false(file_text_decode(&b, &skipped, &err));
    assert_non_null(strstr(err.text, "nothing behind the gzip data expected"));
    buf_deinit(&b);
}

static void a_bomb_stops_at_the_ceiling(void **state)
{
    static char zeroes[8 * MIB], packed[64 * 1024];
    const char *skipped;
    struct error err;
    struct buf b;
    size_t n;

    (void)state;
    memset(zeroes, 'a', sizeof(zeroes));
    n = gzip(span_of(zeroes, sizeof(zeroes)), packed, sizeof(packed));
    put(&b, MIB, span_of(packed, n));
    assert_false(file_text_decode(&b, &skipped, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_non_null(strstr(err.text, "at most 1 MiB expected, unpacked"));
    buf_deinit(&b);
}

static void what_is_no_text_is_said_to_be_none(void **state)
{
    static const struct {
        struct span bytes;
        const char *reason;
    } rows[] = {
        {{.ptr = "a\0b", .len = 3}, "binary file"},
        {{.ptr = "PK\3\4\0\0", .len = 6}, "a zip archive, which is not read"},
        {{.ptr = "\x28\xb5\x2f\xfd\x04\x00", .len = 6}, "packed by zstd, which is not read"},
        {{.ptr = "BZh91AY&SY\xff\xfe\xfd\xfc\xfb", .len = 15}, "packed by bzip2, which is not read"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        const char *skipped = NULL;
        struct error err;
        struct buf b;
        put(&b, MIB, rows[i].bytes);
        assert_true(file_text_decode(&b, &skipped, &err));
        assert_non_null(skipped);
        assert_string_equal(skipped, rows[i].reason);
        buf_deinit(&b);
    }
}

static void letters_in_front_do_not_hide_a_text(void **state)
{
    (void)state;
    expect_text(span_str("BZh is how it begins"), "BZh is how it begins");
    expect_text(span_str("PK\3\4 and text"), "PK\3\4 and text");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_and_wide_texts_are_read),     cmocka_unit_test(data_that_is_not_whole_is_no_text),
        cmocka_unit_test(a_bomb_stops_at_the_ceiling),        cmocka_unit_test(what_is_no_text_is_said_to_be_none),
        cmocka_unit_test(letters_in_front_do_not_hide_a_text),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
