#include "testing.h"

#include "jail/egress/wire/body.h"

/* Takes the text in pieces of `step` bytes. */
static bool take_all(struct egress_body *b, struct span text, size_t step, char *out, size_t *rest)
{
    size_t len = 0;

    while (text.len > 0 && !b->is_done) {
        struct error err;
        struct span data;
        size_t used = 0;
        struct span piece = span_slice(text, 0, text.len < step ? text.len : step);
        while (piece.len > 0 && !b->is_done) {
            if (!egress_body_take(b, piece, &used, &data, &err)) {
                return false;
            }
            memcpy(out + len, data.ptr, data.len);
            len += data.len;
            piece = span_slice(piece, used, piece.len);
            text = span_slice(text, used, text.len);
        }
    }
    out[len] = '\0';
    *rest = text.len;
    return true;
}

static struct egress_body body_of(enum egress_framing framing, int64_t length, bool is_response)
{
    static struct egress_head head;
    struct egress_body b;

    head.framing = framing;
    head.length = length;
    egress_body_init(&b, &head, is_response);
    return b;
}

static void a_counted_body_ends_after_its_bytes(void **state)
{
    struct egress_body b = body_of(EGRESS_BODY_LENGTH, 5, false);
    char out[64];
    size_t rest = 0;

    (void)state;
    assert_true(take_all(&b, span_str("helloGET /next"), 3, out, &rest));
    assert_string_equal(out, "hello");
    assert_int_equal(rest, 9);
    assert_true(b.is_done);
    b = body_of(EGRESS_BODY_LENGTH, 6, false);
    assert_true(take_all(&b, span_str("hello"), 3, out, &rest));
    assert_false(b.is_done);
}

static void no_body_is_done_at_once(void **state)
{
    struct egress_body none = body_of(EGRESS_BODY_NONE, 0, false), zero = body_of(EGRESS_BODY_LENGTH, 0, false);
    struct span data;
    size_t used = 1;
    struct error err;

    (void)state;
    assert_true(none.is_done && zero.is_done);
    assert_true(egress_body_take(&none, span_str("GET /next"), &used, &data, &err));
    assert_int_equal(used, 0);
    assert_int_equal(data.len, 0);
}

static void chunks_are_joined_however_they_are_cut(void **state)
{
    static const char text[] = "5\r\nhello\r\nB\r\n, how are y\r\n3\r\nou?\r\n0\r\n\r\nGET /next";

    (void)state;
    for (size_t step = 1; step < sizeof(text); step++) {
        struct egress_body b = body_of(EGRESS_BODY_CHUNKED, 0, false);
        char out[64];
        size_t rest = 0;
        assert_true(take_all(&b, span_str(text), step, out, &rest));
        assert_string_equal(out, "hello, how are you?");
        assert_true(b.is_done);
        assert_int_equal(rest, 9);
    }
}

static void malformed_chunks_are_refused(void **state)
{
    static const char *const wrong[] = {
        "\r\n",           "g\r\n",          "-1\r\n",             " 5\r\nhello\r\n",    "5 \r\nhello\r\n",       "5\nhello\r\n",
        "5\r\nhelloX\r\n", "5\r\nhello\n",  "0x5\r\nhello\r\n",   "123456789\r\n",      "5;a=b\r\nhello\r\n",    "0\r\nX: y\r\n\r\n",
        "5\r\rhello",     "0\r\n\rX",       "5\r\nhello\rX",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        struct egress_body b = body_of(EGRESS_BODY_CHUNKED, 0, false);
        char out[64];
        size_t rest = 0;
        if (take_all(&b, span_str(wrong[i]), 100, out, &rest)) {
            fail_msg("passes: %s", wrong[i]);
        }
    }
}

static void a_response_may_have_extensions_and_trailers(void **state)
{
    struct egress_body b = body_of(EGRESS_BODY_CHUNKED, 0, true);
    char out[64];
    size_t rest = 0;

    (void)state;
    assert_true(take_all(&b, span_str("5;a=b\r\nhello\r\n0 ; c\r\nX: y\r\nZ: a\r\n\r\nrest"), 2, out, &rest));
    assert_string_equal(out, "hello");
    assert_true(b.is_done);
    assert_int_equal(rest, 4);
}

static void extensions_and_trailers_are_bounded(void **state)
{
    static char text[2 * EGRESS_CHUNK_LINES_MAX];
    struct egress_body b = body_of(EGRESS_BODY_CHUNKED, 0, true);
    static char out[2 * EGRESS_CHUNK_LINES_MAX];
    size_t rest = 0;

    (void)state;
    memset(text, 'a', sizeof(text));
    text[0] = '0';
    text[1] = ';';
    assert_false(take_all(&b, span_of(text, sizeof(text)), sizeof(text), out, &rest));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_counted_body_ends_after_its_bytes),
        cmocka_unit_test(no_body_is_done_at_once),
        cmocka_unit_test(chunks_are_joined_however_they_are_cut),
        cmocka_unit_test(malformed_chunks_are_refused),
        cmocka_unit_test(a_response_may_have_extensions_and_trailers),
        cmocka_unit_test(extensions_and_trailers_are_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
