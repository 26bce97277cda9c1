#include "testing.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "jail/report/signature.h"

static struct error err;
static char path[] = "/tmp/filterd-signature-XXXXXX";
static int folder = -1;

static int make_folder(void **state)
{
    (void)state;
    folder = mkdtemp(path) == NULL ? -1 : open(path, O_RDONLY | O_DIRECTORY);
    return folder < 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlinkat(folder, JAIL_KEY_FILE, 0);
    (void)unlinkat(folder, JAIL_PUBLIC_KEY_FILE, 0);
    return close(folder) + rmdir(path);
}

static void a_key_is_made_once_and_read_again(void **state)
{
    struct jail_signing_key key, again;
    uint8_t public[JAIL_PUBLIC_KEY];
    char file[64];

    (void)state;
    assert_true(jail_signing_key_load(folder, &key, &err));
    assert_true(jail_signing_key_load(folder, &again, &err));
    assert_memory_equal(&key, &again, sizeof(key));
    (void)snprintf(file, sizeof(file), "%s/" JAIL_PUBLIC_KEY_FILE, path);
    assert_true(jail_public_key_read(file, public, &err));
    assert_memory_equal(public, key.public, sizeof(public));
}

static void a_key_that_others_can_read_is_refused(void **state)
{
    struct jail_signing_key key;

    (void)state;
    assert_int_equal(fchmodat(folder, JAIL_KEY_FILE, 0640, 0), 0);
    assert_false(jail_signing_key_load(folder, &key, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_equal(fchmodat(folder, JAIL_KEY_FILE, 0600, 0), 0);
}

static void every_changed_byte_of_a_signed_line_is_seen(void **state)
{
    struct jail_signing_key key;
    struct span report;
    struct buf line;

    (void)state;
    buf_init(&line, 4096);
    assert_true(jail_signing_key_load(folder, &key, &err));
    assert_true(jail_sign(&key, span_str("{\"a\":1}"), &line, &err));
    assert_true(jail_verify(key.public, buf_span(&line), &report, &err));
    assert_true(span_is(report, "{\"a\":1}"));
    for (size_t i = 0; i < line.len; i++) {
        const char *named = memmem(line.data, line.len, "\"key\"", 5);
        /* The digits after "key":"ed25519: are not believed, so they say nothing. */
        bool is_believed = line.data + i < named + 15 || line.data + i >= named + 15 + 2 * (size_t)JAIL_PUBLIC_KEY;
        line.data[i] ^= 1;
        if (is_believed) {
            assert_false(jail_verify(key.public, buf_span(&line), &report, &err));
        }
        line.data[i] ^= 1;
    }
    for (size_t n = 0; n < line.len; n++) {
        assert_false(jail_verify(key.public, span_of(line.data, n), &report, &err));
    }
    buf_deinit(&line);
}

static void an_empty_report_is_signed_like_others(void **state)
{
    struct jail_signing_key key;
    struct span report;
    struct buf line;

    (void)state;
    buf_init(&line, 4096);
    assert_true(jail_signing_key_load(folder, &key, &err));
    assert_true(jail_sign(&key, span_of("", 0), &line, &err));
    assert_true(jail_verify(key.public, buf_span(&line), &report, &err));
    assert_int_equal(report.len, 0);
    buf_deinit(&line);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_key_is_made_once_and_read_again),
        cmocka_unit_test(a_key_that_others_can_read_is_refused),
        cmocka_unit_test(every_changed_byte_of_a_signed_line_is_seen),
        cmocka_unit_test(an_empty_report_is_signed_like_others),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
