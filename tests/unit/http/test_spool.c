#include "testing.h"

#include <dirent.h>
#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "http/spool.h"

static struct error err;

static int set_up(void **state)
{
    (void)state;
    return sodium_init() < 0;
}

static void reads_back(size_t n, size_t piece)
{
    struct spool *s = spool_new("/tmp", 1 << 30, &err);
    char *text = malloc(n + 1);
    size_t at = 0;
    struct span bytes;

    assert_non_null(s);
    for (size_t i = 0; i < n; i++) {
        text[i] = (char)(i * 31 + i / 257);
    }
    for (size_t i = 0; i < n; i += piece) {
        size_t len = n - i < piece ? n - i : piece;
        assert_true(spool_append(s, span_of(text + i, len), &err));
    }
    assert_int_equal(spool_size(s), n);
    for (;;) {
        assert_true(spool_read(s, 1000 + piece % 7777, &bytes, &err));
        if (bytes.len == 0) {
            break;
        }
        assert_memory_equal(bytes.ptr, text + at, bytes.len);
        at += bytes.len;
    }
    assert_int_equal(at, n);
    free(text);
    spool_free(s);
}

static void what_goes_in_comes_out(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,
                                   1,
                                   SPOOL_CHUNK - 1,
                                   SPOOL_CHUNK,
                                   SPOOL_CHUNK + 1,
                                   3 * SPOOL_CHUNK,
                                   3 * SPOOL_CHUNK + 12345};

    for (size_t i = 0; i < COUNT(sizes); i++) {
        reads_back(sizes[i], 977);
        reads_back(sizes[i], SPOOL_CHUNK);
        reads_back(sizes[i], 200000);
    }
}

static void the_ceiling_holds(void **state)
{
    (void)state;
    struct spool *s = spool_new("/tmp", 10, &err);

    assert_true(spool_append(s, span_str("0123456789"), &err));
    assert_false(spool_append(s, span_str("x"), &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_int_equal(spool_size(s), 10);
    spool_free(s);
}

/* The file of the spool, found as this process's only deleted one. */
static int find_file(void)
{
    for (int fd = 3; fd < 64; fd++) {
        struct stat info;
        if (fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_nlink == 0) {
            return fd;
        }
    }
    return -1;
}

static void fill(struct spool *s)
{
    for (int i = 0; i < 3 * SPOOL_CHUNK; i += 16) {
        assert_true(spool_append(s, span_str("the text in clear"), &err));
    }
}

static void the_file_has_no_name_and_no_text_in_clear(void **state)
{
    (void)state;
    struct spool *s = spool_new("/tmp", 1 << 30, &err);
    char bytes[4096];

    fill(s);
    int fd = find_file();
    assert_true(fd >= 0);
    ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
    assert_int_equal(n, sizeof(bytes));
    assert_null(memmem(bytes, sizeof(bytes), "text", 4));
    spool_free(s);
}

static void a_changed_file_is_noticed(void **state)
{
    (void)state;
    struct spool *s = spool_new("/tmp", 1 << 30, &err);
    struct span bytes;
    char byte;

    fill(s);
    int fd = find_file();
    assert_int_equal(pread(fd, &byte, 1, 100), 1);
    byte = (char)~byte;
    assert_int_equal(pwrite(fd, &byte, 1, 100), 1);
    assert_false(spool_read(s, SPOOL_CHUNK, &bytes, &err));
    spool_free(s);
}

static void a_missing_folder_is_an_error_when_a_file_is_needed(void **state)
{
    (void)state;
    static char large[SPOOL_CHUNK];
    struct spool *s = spool_new("/nonexistent", 1 << 30, &err);

    assert_true(spool_append(s, span_str("short"), &err));
    assert_false(spool_append(s, span_of(large, sizeof(large)), &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
    spool_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_goes_in_comes_out),
        cmocka_unit_test(the_ceiling_holds),
        cmocka_unit_test(the_file_has_no_name_and_no_text_in_clear),
        cmocka_unit_test(a_changed_file_is_noticed),
        cmocka_unit_test(a_missing_folder_is_an_error_when_a_file_is_needed),
    };
    return cmocka_run_group_tests(tests, set_up, NULL);
}
