#include "testing.h"

#include <zlib.h>

#include "jail/egress/wire/decode.h"

static const char text[] = "what leaves is read before it leaves, whatever it is packed in";

/* Bytes of one stream with zlib's window bits: 31 gzip, 15 zlib, -15 bare. */
static size_t pack(int window_bits, struct span in, char *out, size_t room)
{
    z_stream z = {.next_in = (unsigned char *)(uintptr_t)in.ptr,
                  .avail_in = (unsigned)in.len,
                  .next_out = (unsigned char *)out,
                  .avail_out = (unsigned)room};

    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, window_bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    size_t n = room - z.avail_out;
    (void)deflateEnd(&z);
    return n;
}

static bool decode(const char *coding, const char *bytes, size_t len, size_t max, struct buf *out, struct error *err)
{
    buf_deinit(out);
    buf_init(out, max);
    return egress_decode(span_str(coding), span_of(bytes, len), out, err);
}

static void known_codings_are_undone(void **state)
{
    static const struct {
        const char *name;
        int window_bits;
    } codings[] = {{"gzip", 31}, {"GZIP", 31}, {"x-gzip", 31}, {"deflate", 15}, {"deflate", -15}};
    char packed[1024];
    struct error err = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < COUNT(codings); i++) {
        size_t n = pack(codings[i].window_bits, span_str(text), packed, sizeof(packed));
        assert_true(decode(codings[i].name, packed, n, 1000, &out, &err));
        assert_true(span_is(buf_span(&out), text));
        assert_true(decode(codings[i].name, packed, n, strlen(text), &out, &err));
        assert_false(decode(codings[i].name, packed, n, strlen(text) - 1, &out, &err));
        assert_int_equal(err.kind, ERROR_LIMIT);
        assert_false(decode(codings[i].name, packed, n - 1, 1000, &out, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    assert_true(decode("", text, strlen(text), 1000, &out, &err));
    assert_true(span_is(buf_span(&out), text));
    assert_true(decode("Identity", text, strlen(text), 1000, &out, &err));
    buf_deinit(&out);
}

static void members_of_gzip_are_joined(void **state)
{
    char packed[2048];
    struct error err = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    size_t n = pack(31, span_str("one "), packed, sizeof(packed));
    n += pack(31, span_str("two"), packed + n, sizeof(packed) - n);
    assert_true(decode("gzip", packed, n, 1000, &out, &err));
    assert_true(span_is(buf_span(&out), "one two"));
    memcpy(packed + n, "rest", 4);
    assert_false(decode("gzip", packed, n + 4, 1000, &out, &err));
    n = pack(15, span_str("one"), packed, sizeof(packed));
    packed[n] = 'x';
    assert_false(decode("deflate", packed, n + 1, 1000, &out, &err));
    buf_deinit(&out);
}

static void other_codings_are_refused(void **state)
{
    static const char *const names[] = {"br", "zstd", "compress", "gzip, gzip", "gzip,", "aes128gcm"};
    struct error err = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    for (size_t i = 0; i < COUNT(names); i++) {
        assert_false(decode(names[i], text, strlen(text), 1000, &out, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
    }
    assert_false(decode("gzip", text, strlen(text), 1000, &out, &err));
    assert_false(decode("deflate", text, strlen(text), 1000, &out, &err));
    assert_false(decode("gzip", "", 0, 1000, &out, &err));
    buf_deinit(&out);
}

static void bombs_end_at_the_ceiling(void **state)
{
    enum { SIZE = 8 * 1024 * 1024, ROOM = 64 * 1024, CEILING = 100000 };
    char *zeros = calloc(1, SIZE);
    static char packed[ROOM];
    struct error err = {0};
    struct buf out;

    (void)state;
    buf_init(&out, 0);
    assert_non_null(zeros);
    size_t n = pack(31, span_of(zeros, SIZE), packed, sizeof(packed));
    assert_false(decode("gzip", packed, n, CEILING, &out, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(out.cap <= CEILING);
    free(zeros);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_codings_are_undone),
        cmocka_unit_test(members_of_gzip_are_joined),
        cmocka_unit_test(other_codings_are_refused),
        cmocka_unit_test(bombs_end_at_the_ceiling),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
