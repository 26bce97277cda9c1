#include "testing.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/trusted_file.h"
#include "scan/database_cache.h"

enum { NOBODY = 65534 };

static char folder[] = "/tmp/test_database_cache_XXXXXX";
static const uint8_t key[DATABASE_CACHE_KEY] = {1, 2, 3};

static int make_folder(void **state)
{
    (void)state;
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    return mkdtemp(folder) == NULL ? -1 : 0;
}

/* The only file there; "" when there is none. */
static unsigned count_files(char path[PATH_MAX])
{
    unsigned n = 0;
    DIR *entries = opendir(folder);

    path[0] = '\0';
    assert_non_null(entries);
    for (const struct dirent *e = readdir(entries); e != NULL; e = readdir(entries)) {
        if (e->d_name[0] != '.') {
            (void)snprintf(path, PATH_MAX, "%s/%s", folder, e->d_name);
            n++;
        }
    }
    (void)closedir(entries);
    return n;
}

static int remove_folder(void **state)
{
    char path[PATH_MAX];

    (void)state;
    while (count_files(path) > 0) {
        (void)unlink(path);
    }
    return rmdir(folder);
}

static bool reads(const uint8_t k[DATABASE_CACHE_KEY], const char *wanted)
{
    struct buf file;
    struct span body;

    buf_init(&file, DATABASE_CACHE_FILE_MAX);
    bool is_read = database_cache_read(folder, k, &file, &body) && span_is(body, wanted);
    buf_deinit(&file);
    return is_read;
}

static void what_was_written_is_read(void **state)
{
    const uint8_t other[DATABASE_CACHE_KEY] = {9};
    char path[PATH_MAX];
    struct stat info;

    (void)state;
    assert_false(reads(key, "body"));
    database_cache_write(folder, key, span_str("body"));
    assert_true(reads(key, "body"));
    assert_false(reads(other, "body"));
    assert_int_equal(count_files(path), 1);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void every_changed_byte_is_noticed(void **state)
{
    char path[PATH_MAX];
    struct buf file;
    struct error err;

    (void)state;
    database_cache_write(folder, key, span_str("body"));
    (void)count_files(path);
    buf_init(&file, 4096);
    assert_true(file_read(path, &file, &err));
    for (size_t i = 0; i < file.len; i++) {
        file.data[i] ^= 1;
        assert_true(file_write_atomic(path, buf_span(&file), 0600, &err));
        assert_false(reads(key, "body"));
        file.data[i] ^= 1;
    }
    for (size_t len = 0; len < file.len; len++) {
        assert_true(file_write_atomic(path, span_of(file.data, len), 0600, &err));
        assert_false(reads(key, "body"));
    }
    assert_true(file_write_atomic(path, buf_span(&file), 0600, &err));
    assert_true(reads(key, "body"));
    buf_deinit(&file);
}

static void what_another_could_have_written_is_not_read(void **state)
{
    static const mode_t open_modes[] = {0620, 0602, 0666};
    char path[PATH_MAX], moved[PATH_MAX + 8];

    (void)state;
    database_cache_write(folder, key, span_str("body"));
    (void)count_files(path);
    for (size_t i = 0; i < COUNT(open_modes); i++) {
        assert_int_equal(chmod(path, open_modes[i]), 0);
        assert_false(reads(key, "body"));
    }
    assert_int_equal(chmod(path, 0600), 0);
    assert_true(reads(key, "body"));
    (void)snprintf(moved, sizeof(moved), "%s.moved", path);
    assert_int_equal(rename(path, moved), 0);
    assert_int_equal(symlink(moved, path), 0);
    assert_false(reads(key, "body"));
    assert_int_equal(rename(moved, path), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, NOBODY), 0);
        assert_false(reads(key, "body"));
    }
}

static void only_the_newest_are_kept(void **state)
{
    char path[PATH_MAX];

    (void)state;
    for (uint8_t i = 0; i < 3 * DATABASE_CACHE_FILES_MAX; i++) {
        const uint8_t k[DATABASE_CACHE_KEY] = {i};
        const struct timespec times[2] = {{.tv_sec = i}, {.tv_sec = i}};
        database_cache_write(folder, k, span_str("body"));
        char name[PATH_MAX];
        (void)snprintf(name, sizeof(name), "%s/%02x000000000000000000000000000000.hsdb", folder, i);
        assert_int_equal(utimensat(AT_FDCWD, name, times, 0), 0);
        assert_true(reads(k, "body"));
    }
    assert_int_equal(count_files(path), DATABASE_CACHE_FILES_MAX);
    for (uint8_t i = 2 * DATABASE_CACHE_FILES_MAX; i < 3 * DATABASE_CACHE_FILES_MAX; i++) {
        const uint8_t k[DATABASE_CACHE_KEY] = {i};
        assert_true(reads(k, "body"));
    }
}

static void a_folder_is_trusted_when_nobody_else_can_write_it(void **state)
{
    static const struct {
        mode_t mode;
        bool is_trusted;
    } rows[] = {{0700, true}, {0755, true}, {0770, false}, {0702, false}, {01777, false}};
    char below[sizeof(folder) + 16];
    struct error err;

    (void)state;
    (void)snprintf(below, sizeof(below), "%s/a/b", folder);
    for (size_t i = 0; i < COUNT(rows); i++) {
        assert_int_equal(chmod(folder, rows[i].mode), 0);
        assert_true(trusted_folder(folder, &err) == rows[i].is_trusted);
    }
    assert_int_equal(chmod(folder, 0700), 0);
    assert_true(trusted_folder(below, &err)); /* not there yet */
    assert_int_equal(chmod(folder, 0777), 0);
    assert_false(trusted_folder(below, &err));
    assert_int_equal(chmod(folder, 0700), 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(folder, NOBODY, NOBODY), 0);
        assert_false(trusted_folder(folder, &err));
        assert_false(trusted_folder(below, &err));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(every_changed_byte_is_noticed, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(what_another_could_have_written_is_not_read, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(only_the_newest_are_kept, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(a_folder_is_trusted_when_nobody_else_can_write_it, make_folder, remove_folder),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
