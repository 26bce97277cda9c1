/* An evidence bundle that is being written: its archive is the files in the order of names, and no limit is exceeded. */
#include "testing.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "evidence/bundle.h"
#include "evidence/ustar.h"

enum { FILES = 20, FILE_MAX = 4096, ARCHIVE_MAX = 1024 * 1024 };

static char folder[64], path[96], part[104];

static int make_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-bundle.XXXXXX");
    bool is_made = mkdtemp(folder) != NULL;
    (void)snprintf(path, sizeof(path), "%s/bundle.tar", folder);
    (void)snprintf(part, sizeof(part), "%s.part", path);
    return is_made ? 0 : 1;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(path);
    return rmdir(folder); /* fails when something else is left */
}

/* Files of 0, 300, 600 … bytes, written in another order than that of their names. */
static bool write_files(const struct bundle_limits *limits, struct error *err)
{
    static char content[FILES * 300];
    struct bundle b;
    char name[16];

    memset(content, 'x', sizeof(content));
    bool is_written = bundle_open(&b, limits, err);
    for (size_t i = 0; i < FILES && is_written; i++) {
        (void)snprintf(name, sizeof(name), "%02zu", i * 7 % FILES);
        is_written = bundle_put(&b, name, span_of(content, i * 300), err);
    }
    is_written = is_written && bundle_write(&b, path, err);
    bundle_close(&b);
    return is_written;
}

static void the_archive_has_all_files_in_order(void **state)
{
    const struct bundle_limits limits = {.folder = folder, .bytes_max = ARCHIVE_MAX, .free_min = 1};
    struct ustar_reader r = {.last = {NULL, 0}};
    struct ustar_entry entry;
    struct stat info;
    struct error err;
    struct buf archive;
    size_t n = 0;
    (void)state;

    buf_init(&archive, ARCHIVE_MAX);
    assert_true(write_files(&limits, &err));
    assert_true(file_read(path, &archive, &err));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    r.rest = buf_span(&archive);
    while (ustar_next(&r, &entry, &err) && entry.name.len > 0) {
        size_t number = (size_t)(entry.name.ptr[0] - '0') * 10 + (size_t)(entry.name.ptr[1] - '0');
        assert_int_equal(number, n);
        n++;
    }
    assert_int_equal(n, FILES);
    buf_deinit(&archive);
}

/* For every ceiling there is an archive within it, or an error and no file. */
static void no_archive_is_larger_than_its_ceiling(void **state)
{
    bool was_refused = false, was_written = false;
    struct stat info;
    struct error err;
    (void)state;

    for (uint64_t max = 512; max < 256 * 1024; max = max * 5 / 4) {
        const struct bundle_limits limits = {.folder = folder, .bytes_max = max};
        (void)unlink(path);
        if (write_files(&limits, &err)) {
            assert_int_equal(stat(path, &info), 0);
            assert_true((uint64_t)info.st_size <= max);
            was_written = true;
        } else {
            assert_int_equal(err.kind, ERROR_LIMIT);
            assert_int_not_equal(access(path, F_OK), 0);
            was_refused = true;
        }
        assert_int_not_equal(access(part, F_OK), 0);
    }
    assert_true(was_refused && was_written);
}

static void free_space_is_left(void **state)
{
    const struct bundle_limits limits = {.folder = folder, .free_min = UINT64_MAX};
    struct error err;
    (void)state;

    assert_false(write_files(&limits, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void what_is_stopped_leaves_no_file(void **state)
{
    const atomic_bool is_stopped = true;
    const struct bundle_limits limits = {.folder = folder, .is_stopped = &is_stopped};
    struct error err;
    (void)state;

    assert_false(write_files(&limits, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_not_equal(access(part, F_OK), 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, remove_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_archive_has_all_files_in_order),
        IN_FOLDER(no_archive_is_larger_than_its_ceiling),
        IN_FOLDER(free_space_is_left),
        IN_FOLDER(what_is_stopped_leaves_no_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
