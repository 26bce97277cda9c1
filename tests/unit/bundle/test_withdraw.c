#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "bundle/archive.h"
#include "bundle/keys.h"
#include "bundle/store.h"

static char folder[] = "/tmp/filterd-withdraw.XXXXXX";

static void write_file(const char *name, const char *text)
{
    char path[PATH_MAX];
    struct error err;

    (void)snprintf(path, sizeof(path), "%s/policy-bundles/%s", folder, name);
    assert_true(file_write_atomic(path, span_str(text), 0600, &err));
}

/* Signatures are verified when a bundle is taken, not when it is returned to. */
static void put_bundle(const char *place, unsigned version)
{
    char path[PATH_MAX], text[1024];

    (void)snprintf(path, sizeof(path), "%s/policy-bundles/%s", folder, place);
    assert_int_equal(mkdir(path, 0700), 0);
    (void)snprintf(text, sizeof(text),
                   "example.com/policy\nversion %u\ndigest sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08\n"
                   "created 2026-11-22T17:00:00Z\nexpires 2026-12-22T17:00:00Z\nengine >=0.1\nkeys 1\n\n— alice AAAAAAAA\n", version);
    (void)snprintf(path, sizeof(path), "%s/bundle.note", place);
    write_file(path, text);
}

static int set_up(void **state)
{
    char path[PATH_MAX];

    (void)state;
    memcpy(folder + sizeof(folder) - 7, "XXXXXX", 6);
    (void)snprintf(path, sizeof(path), "%s/policy-bundles", mkdtemp(folder));
    return mkdir(path, 0700);
}

static int tear_down(void **state)
{
    struct error err;

    (void)state;
    return policy_bundle_remove(folder, &err) ? 0 : -1;
}

static bool loads(void *context, const char *path, struct error *err)
{
    return *(bool *)context || error_set(err, ERROR_INVALID, "%s: no rules", path);
}

static bool withdraw(uint64_t version, bool is_good, struct policy_bundle_taken *taken, struct error *err)
{
    return policy_bundle_withdraw(folder, version, clock_utc_ns(), loads, &is_good, taken, err);
}

static void the_one_before_returns_and_the_highest_stays(void **state)
{
    struct policy_bundle_taken taken;
    struct error err;

    (void)state;
    put_bundle("rules", 12);
    put_bundle("previous", 11);
    assert_true(policy_bundle_read_taken(folder, &taken, &err));
    assert_true(taken.version == 12 && taken.highest == 12);
    assert_true(withdraw(12, true, &taken, &err));
    assert_true(taken.version == 11 && taken.highest == 12);
    assert_true(withdraw(12, true, &taken, &err)); /* again: it is done */
    assert_false(withdraw(11, true, &taken, &err)); /* one step */
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_false(withdraw(13, true, &taken, &err));
    assert_true(policy_bundle_read_taken(folder, &taken, &err)); /* after a restart */
    assert_true(taken.version == 11 && taken.highest == 12);
}

static void what_does_not_load_is_not_returned_to(void **state)
{
    struct policy_bundle_taken taken;
    struct error err;

    (void)state;
    put_bundle("rules", 12);
    put_bundle("previous", 11);
    assert_true(policy_bundle_read_taken(folder, &taken, &err));
    assert_false(withdraw(12, false, &taken, &err));
    assert_true(policy_bundle_read_taken(folder, &taken, &err));
    assert_true(taken.version == 12 && taken.highest == 12);
}

/* Between the two steps of a return. */
static void a_return_that_a_crash_cut_off_is_made_again(void **state)
{
    struct policy_bundle_taken taken;
    struct error err;

    (void)state;
    put_bundle("rules", 12);
    put_bundle("previous", 11);
    write_file("withdrawn", "12");
    assert_true(policy_bundle_read_taken(folder, &taken, &err));
    assert_true(taken.version == 12 && taken.highest == 12);
    assert_true(withdraw(12, true, &taken, &err));
    assert_true(taken.version == 11 && taken.highest == 12);
}

static void there_is_no_return_after_the_trial_nor_to_what_is_newer(void **state)
{
    bool is_good = true;
    struct policy_bundle_taken taken;
    struct error err;

    (void)state;
    put_bundle("rules", 12);
    put_bundle("previous", 13);
    assert_true(policy_bundle_read_taken(folder, &taken, &err));
    assert_false(withdraw(12, true, &taken, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    int64_t later_ns = clock_utc_ns() + (POLICY_BUNDLE_TRIAL_S + 60) * INT64_C(1000000000);
    assert_false(policy_bundle_withdraw(folder, 12, later_ns, loads, &is_good, &taken, &err));
    assert_non_null(strstr(err.text, "7 days"));
}

static void a_withdrawn_version_that_cannot_be_read_is_an_error(void **state)
{
    struct policy_bundle_taken taken;
    struct error err;

    (void)state;
    put_bundle("rules", 12);
    write_file("withdrawn", "twelve");
    assert_false(policy_bundle_read_taken(folder, &taken, &err));
}

/* A pipe that nobody writes to would hold the service for ever. */
static void pipes_among_the_bundles_are_refused(void **state)
{
    static const char *const names[] = {"rules-9.note", "keys-2.note"};
    struct policy_bundle_taken taken = {.version = 0};
    char keys[PATH_MAX], bundles[PATH_MAX], path[2 * PATH_MAX], text[NOTE_VKEY_MAX + 128], vkey[NOTE_VKEY_MAX + 1];
    const struct policy_bundle_place place = {.bundles = bundles, .keys = keys, .state_directory = folder, .engine = "0.1.0"};
    uint8_t seed[NOTE_SEED] = {1}, public[NOTE_PUBLIC];
    struct note_key key;
    struct error err;
    bool is_good = true;

    (void)state;
    note_public(seed, public);
    assert_true(note_key_make(span_str("alice"), NOTE_ED25519, public, &key, &err));
    note_key_format(&key, vkey);
    (void)snprintf(text, sizeof(text), "example.com/policy\ngeneration 1\nthreshold 1\nkey %s\n", vkey);
    (void)snprintf(keys, sizeof(keys), "%s/first-keys", folder);
    assert_true(file_write_atomic(keys, span_str(text), 0600, &err));
    (void)snprintf(bundles, sizeof(bundles), "%s/arrived", folder);
    assert_int_equal(mkdir(bundles, 0700), 0);
    (void)alarm(60);
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", bundles, names[i]);
        assert_int_equal(mkfifo(path, 0600), 0);
        assert_false(policy_bundle_update(&place, clock_utc_ns(), loads, &is_good, &taken, &err));
        assert_non_null(strstr(err.text, "a regular file expected"));
        assert_int_equal(unlink(path), 0);
    }
    (void)alarm(0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_one_before_returns_and_the_highest_stays, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_does_not_load_is_not_returned_to, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_return_that_a_crash_cut_off_is_made_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(there_is_no_return_after_the_trial_nor_to_what_is_newer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_withdrawn_version_that_cannot_be_read_is_an_error, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pipes_among_the_bundles_are_refused, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
