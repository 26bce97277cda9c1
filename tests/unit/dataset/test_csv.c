/* test_csv.c - rows of CSV, and where it is not. */
#include "dataset_testing.h"

#include "dataset/csv.h"

/* Fields joined by '|', rows ended by '\n'. */
static bool read_all(const char *text, char delimiter, struct buf *out, struct error *err)
{
    FILE *file = fmemopen((void *)(uintptr_t)text, strlen(text), "r");
    struct csv c;
    bool is_end = false, is_good;

    assert_non_null(file);
    is_good = csv_open(&c, file, "t.csv", delimiter, err);
    while (is_good && (is_good = csv_next(&c, &is_end, err)) && !is_end) {
        for (size_t i = 0; i < c.n_fields; i++) {
            assert_true(buf_append(out, csv_field(&c, i), err));
            assert_true(buf_append_char(out, i + 1 < c.n_fields ? '|' : '\n', err));
        }
    }
    csv_close(&c);
    (void)fclose(file);
    return is_good;
}

static void fields_are_bare_or_quoted(void **state)
{
    static const struct {
        const char *text, *read;
        char delimiter;
    } rows[] = {
        {"a,b\n1,2\n", "a|b\n1|2\n", ','},
        {"a,b\r\n1,2", "a|b\n1|2\n", ','},
        {"\xef\xbb\xbfname\nx\n", "name\nx\n", ','},
        {"\"a\",\"b\"\"c\"\n\"1\n2\",\n", "a|b\"c\n1\n2|\n", ','},
        {"a;b,c\n;\n", "a|b,c\n|\n", ';'},
        {"a\tb\n\"\t\"\t2\n", "a|b\n\t|2\n", '\t'},
        {"", "", ','},
    };
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&out, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        buf_clear(&out);
        if (!read_all(rows[i].text, rows[i].delimiter, &out, &err)) {
            fail_msg("%s: %s", rows[i].text, err.text);
        }
        if (!span_is(buf_span(&out), rows[i].read)) {
            fail_msg("%s: " SPAN_FMT, rows[i].text, SPAN_ARG(buf_span(&out)));
        }
    }
}

static void an_error_names_the_place_and_no_content(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"a,b\n1\n", "t.csv:2:2: 2 fields expected, as in the first row, not 1"},
        {"a,b\n1,2,3\n", "t.csv:2:6: 2 fields expected, as in the first row, not 3"},
        {"a,b\nsecret\"x,2\n", "t.csv:2:7: a quote only around a whole field expected"},
        {"a,b\n\"secret\"x,2\n", "t.csv:2:9: a delimiter or the row's end behind the closing quote expected"},
        {"a,b\n1,\"secret", "t.csv:2:3: a closing quote expected for the one here"},
        {"a,b\n1,se\rcret\n", "t.csv:2:5: a line feed behind the carriage return expected"},
        {"a,b\n1,\xff\n", "t.csv:2:3: UTF-8 expected"},
    };
    struct buf out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&out, 4096);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_false(read_all(rows[i].text, ',', &out, &err));
        assert_string_equal(err.text, rows[i].error);
    }
}

static void a_long_field_and_many_fields_are_refused(void **state)
{
    struct buf text CLEANUP(buf_deinit), out CLEANUP(buf_deinit);
    struct error err;

    (void)state;
    buf_init(&text, 4 * CSV_ROW_MAX);
    buf_init(&out, 4 * CSV_ROW_MAX);
    for (size_t i = 0; i < CSV_ROW_MAX + 2; i++) {
        assert_true(buf_append_char(&text, 'x', &err));
    }
    assert_true(buf_append_char(&text, '\0', &err));
    assert_false(read_all(text.data, ',', &out, &err));
    assert_non_null(strstr(err.text, "a row of at most 1 MiB expected"));
    memset(text.data, ',', CSV_FIELDS_MAX + 2);
    text.data[CSV_FIELDS_MAX + 2] = '\0';
    assert_false(read_all(text.data, ',', &out, &err));
    assert_non_null(strstr(err.text, "at most 1024 fields expected"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_bare_or_quoted),
        cmocka_unit_test(an_error_names_the_place_and_no_content),
        cmocka_unit_test(a_long_field_and_many_fields_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
