#include "testing.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "jail/egress/wire/client_hello.h"

/* --- a hello of parts ----------------------------------------------------- */

static void put(struct buf *b, size_t n, size_t bytes)
{
    struct error err;

    for (size_t i = bytes; i-- > 0;) {
        assert_true(buf_append_char(b, (char)(n >> (8 * i)), &err));
    }
}

static void put_text(struct buf *b, struct span text)
{
    struct error err;

    assert_true(buf_append(b, text, &err));
}

static void put_extension(struct buf *b, size_t type, struct span content)
{
    put(b, type, 2);
    put(b, content.len, 2);
    put_text(b, content);
}

static void put_name(struct buf *b, size_t type, const char *name)
{
    struct buf content;

    buf_init(&content, 1024);
    put(&content, strlen(name) + 3, 2);
    put(&content, type, 1);
    put(&content, strlen(name), 2);
    put_text(&content, span_str(name));
    put_extension(b, 0, buf_span(&content));
    buf_deinit(&content);
}

/* Records of at most `piece` bytes. */
static void wrap(struct span extensions, size_t piece, struct buf *out)
{
    static const char zeros[32];
    struct buf m;

    buf_init(&m, 64 * 1024);
    put(&m, 1, 1);
    put(&m, 2 + 32 + 1 + 32 + 2 + 4 + 2 + 2 + extensions.len, 3);
    put(&m, 0x0303, 2);
    put_text(&m, span_of(zeros, 32));
    put(&m, 32, 1);
    put_text(&m, span_of(zeros, 32));
    put(&m, 4, 2);
    put(&m, 0x13011302, 4);
    put(&m, 0x0100, 2);
    put(&m, extensions.len, 2);
    put_text(&m, extensions);
    for (struct span rest = buf_span(&m); rest.len > 0;) {
        size_t n = rest.len < piece ? rest.len : piece;
        put(out, 22, 1);
        put(out, 0x0301, 2);
        put(out, n, 2);
        put_text(out, span_slice(rest, 0, n));
        rest = span_slice(rest, n, rest.len);
    }
    buf_deinit(&m);
}

static bool read_extensions(struct span extensions, struct egress_host *host, struct error *err)
{
    struct buf out CLEANUP(buf_deinit);
    bool is_whole = false;

    buf_init(&out, 64 * 1024);
    wrap(extensions, 16384, &out);
    bool is_read = egress_client_hello_read(buf_span(&out), &is_whole, host, err);
    assert_true(!is_read || is_whole);
    return is_read;
}

/* --- tests ---------------------------------------------------------------- */

static void the_name_is_found_however_it_is_cut(void **state)
{
    struct buf extensions, out;
    struct error err;

    (void)state;
    buf_init(&extensions, 1024);
    put_extension(&extensions, 43, span_of("\x02\x03\x04", 3));
    put_name(&extensions, 0, "WWW.Example.com");
    put_extension(&extensions, 16, span_of("\0\x03\x02h2", 5));
    for (size_t piece = 20; piece < 200; piece += 7) {
        buf_init(&out, 64 * 1024);
        wrap(buf_span(&extensions), piece, &out);
        put(&out, 23, 1); /* early data, none of ours */
        for (size_t n = 0; n <= out.len; n++) {
            struct egress_host host = {.text = "untouched"};
            bool is_whole = false;
            assert_true(egress_client_hello_read(span_of(out.data, n), &is_whole, &host, &err));
            assert_int_equal(is_whole, n + 1 >= out.len);
            assert_string_equal(host.text, is_whole ? "www.example.com" : "untouched");
        }
        buf_deinit(&out);
    }
    buf_deinit(&extensions);
}

static void a_hello_without_a_plain_name_is_refused(void **state)
{
    static const char *const names[] = {"", "1.2.3.4", "a_b.example", "example.com.", "a b", "[::1]"};
    struct egress_host host;
    struct error err;
    struct buf e;

    (void)state;
    buf_init(&e, 4096);
    assert_false(read_extensions(buf_span(&e), &host, &err));
    for (size_t i = 0; i < COUNT(names); i++) {
        buf_clear(&e);
        put_name(&e, 0, names[i]);
        assert_false(read_extensions(buf_span(&e), &host, &err));
    }
    buf_clear(&e);
    put_name(&e, 1, "example.com");
    assert_false(read_extensions(buf_span(&e), &host, &err));
    buf_clear(&e);
    put_name(&e, 0, "example.com");
    put_name(&e, 0, "example.com");
    assert_false(read_extensions(buf_span(&e), &host, &err));
    buf_clear(&e);
    put_extension(&e, 0, span_of("\0\x08\0\0\x01" "a\0\0\x01" "b", 10)); /* two names in one list */
    assert_false(read_extensions(buf_span(&e), &host, &err));
    buf_deinit(&e);
}

static void an_encrypted_hello_is_refused(void **state)
{
    struct egress_host host;
    struct error err;
    struct buf e;

    (void)state;
    buf_init(&e, 4096);
    put_name(&e, 0, "example.com");
    put_extension(&e, 0xfe0d, span_str("anything"));
    assert_false(read_extensions(buf_span(&e), &host, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    buf_deinit(&e);
}

static void lengths_that_lie_are_refused(void **state)
{
    struct egress_host host;
    struct error err;
    bool is_whole = false;
    struct buf e, out;

    (void)state;
    buf_init(&e, 4096);
    buf_init(&out, 64 * 1024);
    put_name(&e, 0, "example.com");
    wrap(buf_span(&e), 16384, &out);
    /* Every byte of the lengths in the message, changed by one. */
    static const size_t places[] = {8, 43, 77, 82, 84, 85, 88, 89, 90, 93};
    for (size_t i = 0; i < COUNT(places); i++) {
        for (int change = -1; change <= 1; change += 2) {
            out.data[places[i]] = (char)(out.data[places[i]] + change);
            bool is_read = egress_client_hello_read(buf_span(&out), &is_whole, &host, &err);
            assert_true(!is_read || !is_whole || strcmp(host.text, "example.com") != 0 || places[i] == 43);
            out.data[places[i]] = (char)(out.data[places[i]] - change);
        }
    }
    assert_true(egress_client_hello_read(buf_span(&out), &is_whole, &host, &err) && is_whole);
    buf_deinit(&e);
    buf_deinit(&out);
}

static void what_is_no_hello_is_refused_early(void **state)
{
    static const char *const wrong[] = {"S", "SSH-2.0-OpenSSH_9.2\r\n", "GET / HTTP/1.1\r\n", "\x80\x2e\x01",
                                        "\x15\x03\x01", "\x16\x02", "\x16\x03\x01\x40\x01", "\x16\x03\x01\x01\x01\x02"};
    struct egress_host host;
    struct error err;
    bool is_whole = false;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(egress_client_hello_read(span_str(wrong[i]), &is_whole, &host, &err));
    }
    assert_false(egress_client_hello_read(span_of("\x16\x03\x01\0\0", 5), &is_whole, &host, &err));
}

static void a_hello_is_bounded(void **state)
{
    static char zeros[EGRESS_HELLO_MAX];
    struct egress_host host;
    struct error err;
    bool is_whole = false;
    struct buf e, out;

    (void)state;
    buf_init(&e, 64 * 1024);
    put_name(&e, 0, "example.com");
    put_extension(&e, 21, span_of(zeros, sizeof(zeros)));
    assert_false(read_extensions(buf_span(&e), &host, &err));
    buf_clear(&e);
    buf_init(&out, 64 * 1024);
    put_name(&e, 0, "example.com");
    wrap(buf_span(&e), 1, &out); /* a record for every byte */
    assert_false(egress_client_hello_read(buf_span(&out), &is_whole, &host, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&e);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_name_is_found_however_it_is_cut),
        cmocka_unit_test(a_hello_without_a_plain_name_is_refused),
        cmocka_unit_test(an_encrypted_hello_is_refused),
        cmocka_unit_test(lengths_that_lie_are_refused),
        cmocka_unit_test(what_is_no_hello_is_refused_early),
        cmocka_unit_test(a_hello_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
