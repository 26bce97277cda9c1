/* The request to sign a manifest: what is written is read again, and nothing else is one. */
#include "testing.h"

#include "record/add_checkpoint.h"
#include "record/manifest_note.h"
#include "record/note.h"

static const char sha256[] = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

static void what_is_written_is_read(void **state)
{
    struct manifest_request in = {.origin = span_str("host/filterd/7")}, out;
    struct add_checkpoint other;
    struct error err;
    struct buf text;
    (void)state;

    buf_init(&text, NOTE_MAX);
    memcpy(in.sha256, sha256, sizeof(sha256));
    assert_true(manifest_request_format(&in, &text, &err));
    assert_true(manifest_request_is(buf_span(&text)));
    assert_true(manifest_request_parse(buf_span(&text), &out, &err));
    assert_string_equal(out.sha256, sha256);
    assert_true(span_equal(out.origin, in.origin));
    assert_false(add_checkpoint_parse(buf_span(&text), &other, &err));
    for (size_t len = 0; len < text.len; len++) {
        assert_false(manifest_request_parse(span_of(text.data, len), &out, &err));
    }
    buf_deinit(&text);
}

static void every_other_digit_is_refused(void **state)
{
    struct manifest_request in = {.origin = span_str("host")}, out;
    struct error err;
    struct buf text;
    (void)state;

    buf_init(&text, NOTE_MAX);
    for (int c = 1; c < 256; c++) {
        memcpy(in.sha256, sha256, sizeof(sha256));
        in.sha256[c % DIGEST_SHA256_HEX] = (char)c;
        buf_clear(&text);
        assert_true(manifest_request_format(&in, &text, &err));
        bool is_digit = strchr("0123456789abcdef", c) != NULL;
        assert_int_equal(manifest_request_parse(buf_span(&text), &out, &err), is_digit);
    }
    buf_deinit(&text);
}

/* A checkpoint has an origin, a size and a root. */
static void the_text_is_no_checkpoint(void **state)
{
    struct checkpoint c;
    struct error err;
    struct buf text;
    (void)state;

    buf_init(&text, NOTE_MAX);
    assert_true(manifest_note_text("1111111111111111111111111111111111111111111111111111111111111111", &text, &err));
    assert_false(checkpoint_parse_text(buf_span(&text), &c, &err));
    buf_deinit(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(every_other_digit_is_refused),
        cmocka_unit_test(the_text_is_no_checkpoint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
