#include "testing.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "signin/passkeys.h"

static char path[64];
static struct passkeys *store;
static struct error err;
static uint8_t point[65];

static void remove_files(void)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char file[80];

    for (size_t i = 0; i < COUNT(endings); i++) {
        (void)snprintf(file, sizeof(file), "%s%s", path, endings[i]);
        (void)unlink(file);
    }
}

static int begin(void **state)
{
    EVP_PKEY *key = EVP_EC_gen("P-256");
    size_t len = 0;

    (void)state;
    (void)snprintf(path, sizeof(path), "/tmp/test_passkeys.%d", (int)getpid());
    remove_files();
    store = passkeys_open(path, &err);
    int is_made = EVP_PKEY_get_octet_string_param(key, "pub", point, sizeof(point), &len);
    EVP_PKEY_free(key);
    return store == NULL || is_made != 1;
}

static int end(void **state)
{
    (void)state;
    passkeys_close(store);
    remove_files();
    return 0;
}

static void reopen(void)
{
    passkeys_close(store);
    store = passkeys_open(path, &err);
    assert_non_null(store);
}

static struct passkey_row row_of(const char *person, uint8_t id)
{
    struct passkey_row row = {.added_ms = 7, .key = {.algorithm = -7, .id_len = 3, .key_len = 64, .id = {id, 0, id}}};

    (void)snprintf(row.person, sizeof(row.person), "%s", person);
    (void)snprintf(row.name, sizeof(row.name), "key %d", id);
    memcpy(row.key.key, point + 1, 64);
    return row;
}

static bool add(const char *person, uint8_t id)
{
    struct passkey_row row = row_of(person, id);

    return passkeys_add(store, &row, &err);
}

static bool count_row(void *context, const struct passkey_row *row, struct error *e)
{
    (void)row;
    (void)e;
    ++*(int *)context;
    return true;
}

static int count(const char *person)
{
    int n = 0;

    assert_true(passkeys_list(store, person, count_row, &n, &err));
    return n;
}

static bool find(const char *person, uint8_t id, struct passkey_row *row)
{
    const char bytes[] = {(char)id, 0, (char)id};

    return passkeys_find(store, person, span_of(bytes, sizeof(bytes)), row, &err);
}

static void a_key_is_its_persons_alone_and_outlives_a_restart(void **state)
{
    struct passkey_row row;

    (void)state;
    assert_false(passkeys_has(store, "anna"));
    assert_true(add("anna", 1));
    reopen();
    assert_true(passkeys_has(store, "anna"));
    assert_false(passkeys_has(store, "ben"));
    assert_true(find("anna", 1, &row));
    assert_string_equal(row.name, "key 1");
    assert_int_equal(row.added_ms, 7);
    assert_int_equal(row.used_ms, 0);
    assert_memory_equal(row.key.key, point + 1, 64);
    assert_false(find("ben", 1, &row));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(find("anna", 2, &row));
    assert_false(passkeys_find(store, "anna", span_of(NULL, 0), &row, &err));
}

static void a_name_in_another_case_is_the_same_person(void **state)
{
    struct passkey_row row;

    (void)state;
    assert_true(add("Anna", 1));
    assert_true(passkeys_has(store, "aNNA"));
    assert_true(find("anna", 1, &row));
    assert_int_equal(count("ANNA"), 1);
}

static void a_credential_is_registered_once(void **state)
{
    (void)state;
    assert_true(add("anna", 1));
    assert_false(add("ben", 1));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_false(passkeys_has(store, "ben"));
}

static void a_person_has_a_bounded_number_of_keys(void **state)
{
    (void)state;
    for (uint8_t i = 0; i < PASSKEYS_OF_ONE; i++) {
        assert_true(add("anna", i));
    }
    assert_false(add("anna", PASSKEYS_OF_ONE));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_true(add("ben", PASSKEYS_OF_ONE));
    assert_int_equal(count(NULL), PASSKEYS_OF_ONE + 1);
}

/* Before and after a restart: a rolled back counter is a copied key. */
static void a_counter_only_grows(void **state)
{
    struct passkey_row row;

    (void)state;
    assert_true(add("anna", 1));
    assert_true(find("anna", 1, &row));
    assert_true(passkeys_use(store, row.number, 0, 10, &err));
    assert_true(passkeys_use(store, row.number, 7, 11, &err));
    assert_false(passkeys_use(store, row.number, 7, 12, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    reopen();
    assert_false(passkeys_use(store, row.number, 6, 13, &err));
    assert_false(passkeys_use(store, row.number, 0, 14, &err));
    assert_true(passkeys_use(store, row.number, UINT32_MAX, 15, &err));
    assert_true(find("anna", 1, &row));
    assert_int_equal(row.used_ms, 15);
    assert_int_equal(row.key.count, UINT32_MAX);
    assert_false(passkeys_use(store, row.number + 1, 1, 16, &err));
}

static void one_key_is_removed_by_its_person_alone_and_a_reset_takes_all(void **state)
{
    struct passkey_row row;

    (void)state;
    assert_true(add("anna", 1) && add("anna", 2) && add("ben", 3));
    assert_true(find("anna", 1, &row));
    assert_true(passkeys_has_number(store, "anna", row.number));
    assert_false(passkeys_has_number(store, "ben", row.number));
    assert_false(passkeys_remove(store, "ben", row.number, &err));
    assert_true(passkeys_remove(store, "anna", row.number, &err));
    assert_false(passkeys_has_number(store, "anna", row.number));
    assert_int_equal(count("anna"), 1);
    assert_true(passkeys_reset(store, "anna", &err));
    assert_false(passkeys_has(store, "anna"));
    assert_true(passkeys_has(store, "ben"));
    assert_false(passkeys_reset(store, "anna", &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
}

static void what_is_no_key_is_not_added(void **state)
{
    struct passkey_row row = row_of("anna", 1);

    (void)state;
    row.key.key[5] ^= 1;
    assert_false(passkeys_add(store, &row, &err));
    row = row_of("", 1);
    assert_false(passkeys_add(store, &row, &err));
    row = row_of("anna", 1);
    row.name[0] = '\0';
    assert_false(passkeys_add(store, &row, &err));
    assert_false(passkeys_has(store, "anna"));
}

/* In the file itself, past this module. */
static void execute(const char *sql)
{
    sqlite3 *db = NULL;

    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    (void)sqlite3_close(db);
}

static void a_file_with_anything_else_is_not_opened(void **state)
{
    static const char *const changes[][2] = {
        {"UPDATE passkey SET key = x'00'", "UPDATE passkey SET algorithm = -7"},
        {"UPDATE passkey SET algorithm = -8", "UPDATE passkey SET algorithm = -7"},
        {"UPDATE passkey SET person = ''", "UPDATE passkey SET person = 'anna'"},
        {"UPDATE passkey SET id = x''", "UPDATE passkey SET id = x'01'"},
        {"UPDATE passkey SET count = -1", "UPDATE passkey SET count = 0"},
        {"PRAGMA user_version=2", "PRAGMA user_version=1"},
    };

    (void)state;
    assert_true(add("anna", 1));
    passkeys_close(store);
    for (size_t i = 1; i < COUNT(changes); i++) {
        execute(changes[i][0]);
        assert_null(passkeys_open(path, &err));
        assert_int_equal(err.kind, ERROR_INVALID);
        execute(changes[i][1]);
        store = passkeys_open(path, &err);
        assert_non_null(store);
        passkeys_close(store);
    }
    execute(changes[0][0]);
    assert_null(passkeys_open(path, &err));
    store = NULL;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs("this is no database, and long enough not to be taken for an empty one", file) >= 0);
    assert_int_equal(fclose(file), 0);
    assert_null(passkeys_open(path, &err));
}

static void the_file_is_its_users_alone(void **state)
{
    struct stat s;

    (void)state;
    assert_int_equal(stat(path, &s), 0);
    assert_int_equal(s.st_mode & 0777, 0600);
    assert_null(passkeys_open(path, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    passkeys_close(store);
    assert_int_equal(chmod(path, 0640), 0);
    store = passkeys_open(path, &err);
    assert_null(store);
    assert_int_equal(err.kind, ERROR_DENIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_key_is_its_persons_alone_and_outlives_a_restart, begin, end),
        cmocka_unit_test_setup_teardown(a_name_in_another_case_is_the_same_person, begin, end),
        cmocka_unit_test_setup_teardown(a_credential_is_registered_once, begin, end),
        cmocka_unit_test_setup_teardown(a_person_has_a_bounded_number_of_keys, begin, end),
        cmocka_unit_test_setup_teardown(a_counter_only_grows, begin, end),
        cmocka_unit_test_setup_teardown(one_key_is_removed_by_its_person_alone_and_a_reset_takes_all, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_key_is_not_added, begin, end),
        cmocka_unit_test_setup_teardown(a_file_with_anything_else_is_not_opened, begin, end),
        cmocka_unit_test_setup_teardown(the_file_is_its_users_alone, begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
