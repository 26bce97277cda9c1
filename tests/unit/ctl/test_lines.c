#include "testing.h"

#include <stdlib.h>
#include <unistd.h>

#include "ctl/lines.h"

static void write_file(char *path, struct span text)
{
    int fd = mkstemp(path);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text.ptr, text.len), (ssize_t)text.len);
    (void)close(fd);
}

static void split_gives_every_line_once(void **state)
{
    struct span text = span_str("a\n\nbc\nd"), line;
    static const char *const wanted[] = {"a", "", "bc", "d"};

    (void)state;
    for (size_t i = 0; i < COUNT(wanted); i++) {
        assert_true(lines_split(&text, &line));
        assert_true(span_is(line, wanted[i]));
    }
    assert_false(lines_split(&text, &line));
}

static void batches_are_whole_lines_and_add_up(void **state)
{
    char path[] = "/tmp/test_lines_XXXXXX";
    struct buf text, batch, sum;
    struct error err;
    struct lines lines;
    size_t number, next = 1;

    (void)state;
    buf_init(&text, 1 << 20);
    buf_init(&batch, 1 << 20);
    buf_init(&sum, 1 << 20);
    for (int i = 0; i < 20000; i++) {
        assert_true(buf_appendf(&text, &err, "line %d\n", i));
    }
    assert_true(buf_append_str(&text, "last, without its newline", &err));
    write_file(path, buf_span(&text));
    assert_true(lines_open(&lines, path, &err));
    for (;;) {
        struct span rest, line;
        buf_clear(&batch);
        assert_true(lines_next(&lines, &batch, &number, &err));
        if (batch.len == 0) {
            break;
        }
        assert_int_equal(number, next);
        assert_true(buf_append(&sum, buf_span(&batch), &err));
        for (rest = buf_span(&batch); lines_split(&rest, &line);) {
            next++;
        }
    }
    lines_close(&lines);
    (void)unlink(path);
    assert_int_equal(next, 20002);
    assert_true(span_equal(buf_span(&sum), buf_span(&text)));
    buf_deinit(&text);
    buf_deinit(&batch);
    buf_deinit(&sum);
}

static void a_file_that_is_not_there_is_an_error(void **state)
{
    struct lines lines;
    struct error err;

    (void)state;
    assert_false(lines_open(&lines, "/nonexistent/file", &err));
    assert_non_null(strstr(err.text, "No such file"));
    lines_close(&lines);
}

static void gzip_data_cut_short_is_an_error(void **state)
{
    /* gzip of 31 bytes, its last ten bytes left out */
    static const char torn[] = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03"
                               "\xcb\x48\xcd\xc9\xc9\x57\xc8\x40\x27";
    char path[] = "/tmp/test_lines_XXXXXX";
    struct buf batch;
    struct error err;
    struct lines lines;
    size_t number;

    (void)state;
    buf_init(&batch, 1 << 20);
    write_file(path, span_of(torn, sizeof(torn) - 1));
    assert_true(lines_open(&lines, path, &err));
    assert_false(lines_next(&lines, &batch, &number, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    lines_close(&lines);
    buf_deinit(&batch);
    (void)unlink(path);
}

/* Longer than what is read at once, so that units and marks are cut. */
static void wide_lines_are_the_same_lines(void **state)
{
    char path[] = "/tmp/test_lines_XXXXXX";
    struct buf wide, text, batch;
    struct error err;
    struct lines lines;
    size_t number = 0, n = 0;

    (void)state;
    buf_init(&wide, 1 << 22);
    buf_init(&text, 1 << 22);
    buf_init(&batch, 1 << 22);
    assert_true(buf_append(&wide, span_of("\xfe\xff\0x", 4), &err) && buf_append_char(&text, 'x', &err));
    for (int i = 0; i < 50000; i++) { /* é, the key U+1F511, a newline */
        assert_true(buf_append(&wide, span_of("\0\xe9\xd8\x3d\xdd\x11\0\n", 8), &err));
        assert_true(buf_append_str(&text, "\xc3\xa9\xf0\x9f\x94\x91\n", &err));
    }
    write_file(path, buf_span(&wide));
    assert_true(lines_open(&lines, path, &err));
    do {
        n = batch.len;
        assert_true(lines_next(&lines, &batch, &number, &err));
    } while (batch.len > n);
    assert_true(span_equal(buf_span(&batch), buf_span(&text)));
    lines_close(&lines);
    (void)unlink(path);
    buf_deinit(&wide);
    buf_deinit(&text);
    buf_deinit(&batch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(split_gives_every_line_once),
        cmocka_unit_test(batches_are_whole_lines_and_add_up),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(wide_lines_are_the_same_lines),
        cmocka_unit_test(gzip_data_cut_short_is_an_error),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
