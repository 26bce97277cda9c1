#include "testing.h"

#include <fcntl.h>
#include <sodium.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "seal/shred.h"

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof(path), "%s/shred/%s", folder, name);
    return path;
}

static int set_up(void **state)
{
    struct error err;

    assert_true(sodium_init() >= 0);
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-shred.XXXXXX");
    assert_non_null(mkdtemp(folder));
    char shred[80];
    (void)snprintf(shred, sizeof(shred), "%s/shred", folder);
    *state = shred_open(shred, &err);
    assert_non_null(*state);
    return 0;
}

static int tear_down(void **state)
{
    shred_close(*state);
    (void)unlink(path_of(SHRED_FILE));
    (void)unlink(path_of(SHRED_FILE "-journal"));
    (void)rmdir(path_of(""));
    return rmdir(folder);
}

static bool file_has(const char *name, const void *bytes, size_t len)
{
    struct buf content;
    struct error err;

    buf_init(&content, 16 * 1024 * 1024);
    bool is_read = file_read(path_of(name), &content, &err);
    bool is_found = is_read && memmem(content.data, content.len, bytes, len) != NULL;
    buf_deinit(&content);
    return is_found;
}

static void a_tenant_has_one_key_a_month(void **state)
{
    struct shred_key a, again, b, c, found;
    struct error err;

    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &a, &err));
    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &again, &err));
    assert_true(shred_key_for(*state, span_str("acme"), "2026-12", &b, &err));
    assert_true(shred_key_for(*state, span_str(""), "2026-11", &c, &err));
    assert_memory_equal(&a, &again, sizeof(a));
    assert_memory_not_equal(a.key, b.key, SHRED_KEY);
    assert_memory_not_equal(a.key, c.key, SHRED_KEY);
    assert_true(shred_find(*state, b.id, &found, &err));
    assert_memory_equal(&b, &found, sizeof(b));
}

static void a_key_outlives_the_process_that_made_it(void **state)
{
    struct shred_key a, found;
    struct error err;

    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &a, &err));
    struct shred_store *other = shred_open_file(path_of(SHRED_FILE), &err);
    assert_non_null(other);
    assert_true(shred_find(other, a.id, &found, &err));
    assert_memory_equal(a.key, found.key, SHRED_KEY);
    shred_close(other);
}

static void a_deleted_key_is_in_no_file_any_more(void **state)
{
    struct shred_key doomed, kept, found;
    struct error err;

    assert_true(shred_key_for(*state, span_str("acme"), "2026-10", &doomed, &err));
    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &kept, &err));
    assert_true(file_has(SHRED_FILE, doomed.key, SHRED_KEY));
    assert_true(shred_delete(*state, doomed.id, &err));
    assert_false(file_has(SHRED_FILE, doomed.key, SHRED_KEY));
    assert_false(file_has(SHRED_FILE "-journal", doomed.key, SHRED_KEY));
    assert_true(file_has(SHRED_FILE, kept.key, SHRED_KEY));
    assert_false(shred_find(*state, doomed.id, &found, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(shred_delete(*state, doomed.id, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_true(shred_find(*state, kept.id, &found, &err));
}

/* filterctl deletes while the service runs. */
static void another_connection_sees_the_deletion_and_goes_on(void **state)
{
    struct shred_key a, b;
    struct error err;

    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &a, &err));
    struct shred_store *other = shred_open_file(path_of(SHRED_FILE), &err);
    assert_true(shred_delete(other, a.id, &err));
    assert_true(shred_key_for(*state, span_str("acme"), "2026-11", &b, &err));
    assert_string_not_equal(a.id, b.id);
    assert_memory_not_equal(a.key, b.key, SHRED_KEY);
    shred_close(other);
}

static void nobody_else_may_read_it(void **state)
{
    struct stat info;
    struct error err;

    (void)state;
    assert_int_equal(stat(path_of(SHRED_FILE), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(stat(path_of(""), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(chmod(path_of(SHRED_FILE), 0640), 0);
    assert_null(shred_open_file(path_of(SHRED_FILE), &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_null(shred_open_file("/nowhere/shred.db", &err));
}

static void a_month_is_that_of_utc(void **state)
{
    char month[SHRED_MONTH + 1];

    (void)state;
    shred_month(INT64_C(1793491199) * 1000000000, month);
    assert_string_equal(month, "2026-10");
    shred_month(INT64_C(1793491200) * 1000000000, month);
    assert_string_equal(month, "2026-11");
}

struct listing {
    char text[512];
};

static void list(void *context, const char *id, struct span tenant, const char *month)
{
    struct listing *l = context;
    size_t len = strlen(l->text);

    assert_int_equal(strlen(id), SHRED_ID);
    (void)snprintf(l->text + len, sizeof(l->text) - len, "%s %.*s\n", month, (int)tenant.len, tenant.ptr);
}

static void keys_are_listed_by_month(void **state)
{
    struct listing l = {0};
    struct shred_key key;
    struct error err;

    assert_true(shred_key_for(*state, span_str("b"), "2026-11", &key, &err));
    assert_true(shred_key_for(*state, span_str("a"), "2026-11", &key, &err));
    assert_true(shred_key_for(*state, span_str("b"), "2026-09", &key, &err));
    assert_true(shred_each(*state, list, &l, &err));
    assert_string_equal(l.text, "2026-09 b\n2026-11 a\n2026-11 b\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_tenant_has_one_key_a_month),
        TEST(a_key_outlives_the_process_that_made_it),
        TEST(a_deleted_key_is_in_no_file_any_more),
        TEST(another_connection_sees_the_deletion_and_goes_on),
        TEST(nobody_else_may_read_it),
        TEST(a_month_is_that_of_utc),
        TEST(keys_are_listed_by_month),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
