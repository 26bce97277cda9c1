#include "testing.h"

#include "base/buf.h"
#include "formats/form_data.h"

#define TYPE      "multipart/form-data; boundary=b-1"
#define LINE(text) text "\r\n"
#define FIELD(name, text) LINE("--b-1") LINE("Content-Disposition: form-data; name=\"" name "\"") LINE("") LINE(text)
#define END LINE("--b-1--")

static struct arena memory;
static struct form_part *parts;
static size_t n;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    arena_init(&memory, 0, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&memory);
    return 0;
}

static bool read_form(const char *body)
{
    return form_read(&memory, span_str("b-1"), span_str(body), &parts, &n, &err);
}

static void assert_refused(const char *body)
{
    assert_false(read_form(body));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void assert_span(struct span is, const char *expected)
{
    if (!span_is(is, expected)) {
        fail_msg("'" SPAN_FMT "' where '%s' is expected", SPAN_ARG(is), expected);
    }
}

static void a_content_type_has_one_boundary(void **state)
{
    struct span boundary;

    (void)state;
    assert_true(form_boundary(span_str(TYPE), &boundary));
    assert_span(boundary, "b-1");
    assert_true(form_boundary(span_str("Multipart/Form-Data; charset=utf-8; boundary=\"a b:c\""), &boundary));
    assert_span(boundary, "a b:c");
    assert_false(form_boundary(span_str("multipart/form-data"), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data; boundary="), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data; boundary=a; boundary=b"), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data; boundary=\"a"), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data; boundary=\"a<b\""), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data; boundary=a junk"), &boundary));
    assert_false(form_boundary(span_str("multipart/form-data-x; boundary=a"), &boundary));
    assert_false(form_boundary(span_str("multipart/mixed; boundary=a"), &boundary));
    assert_false(form_boundary(span_str("application/json"), &boundary));
    assert_false(form_boundary(span_str(""), &boundary));
}

static void parts_have_names_files_types_and_bodies(void **state)
{
    (void)state;
    assert_true(read_form(FIELD("purpose", "batch") LINE("--b-1") LINE("content-type: text/plain")
                              LINE("Content-Disposition: form-data; filename=\"a b.txt\"; name=file") LINE("") "one\r\ntwo\r\n\r\n" END));
    assert_int_equal(n, 2);
    assert_span(parts[0].name, "purpose");
    assert_null(parts[0].file.ptr);
    assert_span(parts[0].body, "batch");
    assert_span(parts[1].name, "file");
    assert_span(parts[1].file, "a b.txt");
    assert_span(parts[1].type, "text/plain");
    assert_span(parts[1].body, "one\r\ntwo\r\n");
}

static void a_form_may_be_empty_and_so_may_its_bodies(void **state)
{
    (void)state;
    assert_true(read_form("--b-1--"));
    assert_int_equal(n, 0);
    assert_true(read_form(FIELD("a", "") END));
    assert_int_equal(n, 1);
    assert_int_equal(parts[0].body.len, 0);
}

static void what_readers_may_read_in_two_ways_is_refused(void **state)
{
    static const char *const bodies[] = {
        "",
        "text\r\n" FIELD("a", "b") END,
        FIELD("a", "b"),
        FIELD("a", "b") "--b-1-",
        FIELD("a", "b") END "text",
        FIELD("a", "b\n--b-1") END,
        FIELD("a", "b\r\n--b-1x") END,
        "--b-1\nContent-Disposition: form-data; name=\"a\"\n\nb\n--b-1--\n",
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"") LINE("b") END,
        LINE("--b-1") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: attachment; name=\"a\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; filename=\"a\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"; name=\"b\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\\\"b\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"; x=\"b\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"; \"b\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"") LINE("Content-Disposition: form-data; name=\"b\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"") LINE("Content-Transfer-Encoding: base64") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\"") LINE("Content-Location: /etc") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data;\r\n name=\"a\"") LINE("") LINE("b") END,
        LINE("--b-1") LINE("Content-Disposition: form-data; name=\"a\nb\"") LINE("") LINE("b") END,
    };

    (void)state;
    for (size_t i = 0; i < COUNT(bodies); i++) {
        print_message("%zu\n", i);
        assert_refused(bodies[i]);
    }
}

static void parts_are_bounded(void **state)
{
    struct buf body;

    (void)state;
    buf_init(&body, 1 << 20);
    for (size_t i = 0; i <= FORM_PARTS_MAX; i++) {
        assert_true(buf_append_str(&body, FIELD("a", "b"), &err));
    }
    assert_true(buf_append_str(&body, END, &err));
    assert_false(form_read(&memory, span_str("b-1"), buf_span(&body), &parts, &n, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    buf_deinit(&body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_content_type_has_one_boundary),
        cmocka_unit_test_setup_teardown(parts_have_names_files_types_and_bodies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_form_may_be_empty_and_so_may_its_bodies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_readers_may_read_in_two_ways_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parts_are_bounded, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
