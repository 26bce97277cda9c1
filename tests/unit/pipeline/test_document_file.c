#include "testing.h"

#include "pipeline/document.h"

static struct arena memory;
static struct document d;
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

/* The file with `to` in place of each text that is `from`. */
static void assert_written(const char *text, const char *from, const char *to, const char *expected)
{
    struct buf out;

    assert_true(document_read_file(&memory, span_str(text), span_str("/file"), DOCUMENT_NUMBERS, &d, &err));
    for (size_t i = 0; i < d.n; i++) {
        struct channel *c = &d.channels[i];
        c->output = span_is(c->text, from) ? span_str(to) : c->text;
    }
    buf_init(&out, 4096);
    assert_true(document_write(&d, &out, &err));
    assert_int_equal(out.len, strlen(expected));
    assert_memory_equal(out.data, expected, out.len);
    buf_deinit(&out);
}

static void a_json_file_is_read_by_its_strings(void **state)
{
    (void)state;
    assert_written(" {\n \"a\": \"x\"}\n", "x", "\"y\"", " {\n \"a\": \"\\\"y\\\"\"}\n");
    assert_int_equal(d.n, 2);
    assert_true(span_is(d.channels[1].path, "/file/a"));
}

static void json_lines_are_read_line_by_line(void **state)
{
    (void)state;
    assert_written("{\"a\":\"x\"}\r\n\n[\"x\",1]\n", "x", "\"y\"", "{\"a\":\"\\\"y\\\"\"}\r\n\n[\"\\\"y\\\"\",1]\n");
    assert_int_equal(d.n, 3);
    assert_true(span_is(d.channels[1].path, "/file/0/a"));
    assert_true(span_is(d.channels[2].path, "/file/2/0"));
}

static void any_other_file_is_one_text(void **state)
{
    (void)state;
    assert_written("{\"a\":\"x\"}\nx\n", "{\"a\":\"x\"}\nx\n", "\"y\"\n", "\"y\"\n");
    assert_int_equal(d.n, 1);
    assert_true(span_is(d.channels[0].path, "/file"));
    assert_written("\"x\"", "\"x\"", "y", "y");
    assert_written("", "x", "y", "");
    assert_int_equal(d.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_json_file_is_read_by_its_strings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(json_lines_are_read_line_by_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(any_other_file_is_one_text, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
