#include "testing.h"

#include <sodium.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "state/keys.h"

static char directory[] = "/tmp/filterd-keys-XXXXXX";
static struct error err;

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(directory) == NULL || sodium_init() < 0;
}

static const char *path_of(const char *name)
{
    static char path[128];

    (void)snprintf(path, sizeof(path), "%s/keys/%s.key", directory, name);
    return path;
}

static int tear_down(void **state)
{
    (void)state;
    (void)unlink(path_of("token"));
    (void)unlink(path_of("hash"));
    (void)unlink(path_of("encrypt"));
    char keys[128];
    (void)snprintf(keys, sizeof(keys), "%s/keys", directory);
    return rmdir(keys) != 0 || rmdir(directory) != 0;
}

static void keys_are_made_once_and_differ(void **state)
{
    (void)state;
    struct keys first, second;
    struct stat info;

    assert_true(keys_load(directory, &first, &err));
    assert_true(keys_load(directory, &second, &err));
    assert_memory_equal(first.decision.token, second.decision.token, 32);
    assert_memory_equal(first.redaction.hash, second.redaction.hash, 32);
    assert_memory_equal(first.redaction.encrypt, second.redaction.encrypt, 32);
    assert_string_equal(first.decision.key_id, second.decision.key_id);
    assert_memory_not_equal(first.redaction.hash, first.redaction.encrypt, 32);
    assert_memory_not_equal(first.redaction.hash, first.decision.token, 32);
    assert_int_equal(stat(path_of("hash"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

static void a_reader_gets_the_keys_of_the_service(void **state)
{
    (void)state;
    struct keys made;
    struct redaction_keys read, opening = {0};

    assert_true(keys_load(directory, &made, &err));
    assert_true(keys_read(directory, &read, &err));
    assert_memory_equal(&read, &made.redaction, sizeof(read));
    assert_true(keys_read_encrypt(directory, &opening, &err));
    assert_memory_equal(opening.encrypt, read.encrypt, 32);
    assert_int_equal(opening.hash[0] | opening.hash[31], 0);
}

static void a_reader_makes_no_key(void **state)
{
    (void)state;
    struct redaction_keys read;

    assert_int_equal(unlink(path_of("encrypt")), 0);
    assert_false(keys_read(directory, &read, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_non_null(strstr(err.text, "encrypt.key"));
    assert_int_equal(access(path_of("encrypt"), F_OK), -1);
}

static void a_key_that_others_can_read_is_refused(void **state)
{
    (void)state;
    struct keys keys;

    assert_int_equal(chmod(path_of("hash"), 0640), 0);
    assert_false(keys_load(directory, &keys, &err));
    assert_non_null(strstr(err.text, "hash.key: mode 0600 expected"));
    assert_int_equal(chmod(path_of("hash"), 0600), 0);
}

static void a_broken_key_is_refused_and_not_replaced(void **state)
{
    (void)state;
    static const char *const contents[] = {
        "", "00", "zz112233445566778899aabbccddeeff00112233445566778899aabbccddeeff\n"};
    struct keys keys;

    for (size_t i = 0; i < COUNT(contents); i++) {
        assert_true(file_write_atomic(path_of("token"), span_str(contents[i]), 0600, &err));
        assert_false(keys_load(directory, &keys, &err));
        assert_non_null(strstr(err.text, "token.key:1:1: 64 hex digits expected"));
    }
}

static void without_a_directory_keys_are_of_the_moment(void **state)
{
    (void)state;
    struct keys first, second;

    assert_true(keys_load(NULL, &first, &err));
    assert_true(keys_load(NULL, &second, &err));
    assert_memory_not_equal(first.decision.token, second.decision.token, 32);
    keys_wipe(&first);
    struct redaction_keys third;
    assert_true(keys_read(NULL, &third, &err));
    assert_memory_not_equal(third.hash, second.redaction.hash, 32);
    assert_int_equal(first.decision.token[0] | first.redaction.encrypt[31], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_are_made_once_and_differ),
        cmocka_unit_test(a_reader_gets_the_keys_of_the_service),
        cmocka_unit_test(a_reader_makes_no_key),
        cmocka_unit_test(a_key_that_others_can_read_is_refused),
        cmocka_unit_test(a_broken_key_is_refused_and_not_replaced),
        cmocka_unit_test(without_a_directory_keys_are_of_the_moment),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
