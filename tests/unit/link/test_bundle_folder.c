#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "link/bundle_folder.h"

static char folder[] = "/tmp/filterd-bundles-XXXXXX";

static void buffer(struct buf *b, const char *text)
{
    struct error err;

    buf_init(b, 1024);
    assert_true(buf_append_str(b, text, &err));
}

static bool is_file(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

static void remove_file(const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    assert_int_equal(unlink(path), 0);
}

static void a_bundle_is_an_archive_and_a_note_and_goes_with_both(void **state)
{
    struct buf archive, note;
    struct error err;

    (void)state;
    buffer(&archive, "archive");
    buffer(&note, "note");
    assert_false(bundle_folder_has_rules(folder, 12));
    assert_true(bundle_folder_write_rules(folder, 12, &archive, &note, &err));
    assert_true(bundle_folder_has_rules(folder, 12) && is_file("rules-12.tar.zst") && is_file("rules-12.note"));
    assert_true(bundle_folder_has_note(folder, 12, span_str("note")));
    assert_false(bundle_folder_has_note(folder, 12, span_str("another")) || bundle_folder_has_note(folder, 13, span_str("note")));
    assert_true(bundle_folder_remove_rules(folder, 12, &err));
    assert_false(is_file("rules-12.tar.zst") || is_file("rules-12.note"));
    assert_true(bundle_folder_remove_rules(folder, 12, &err)); /* again */
    buf_deinit(&archive);
    buf_deinit(&note);
}

/* Generations 2 and 3 can be had; 4 fails where `is_broken`. */
static unsigned n_asked;
static bool give_keys(void *context, uint64_t generation, struct buf *note, struct error *err)
{
    const bool *is_broken = context;

    n_asked++;
    if (generation > 3) {
        return error_set(err, *is_broken ? ERROR_SYSTEM : ERROR_NOT_FOUND, "no keys");
    }
    return buf_appendf(note, err, "keys %u", (unsigned)generation);
}

static void keys_are_added_until_there_are_no_more(void **state)
{
    bool is_broken = false;
    uint64_t generation = 0;
    struct error err;

    (void)state;
    assert_true(bundle_folder_add_keys(folder, &generation, give_keys, &is_broken, &err));
    assert_true(generation == 3 && is_file("keys-2.note") && is_file("keys-3.note") && !is_file("keys-4.note"));
    assert_int_equal(n_asked, 3);
    generation = 0; /* what is there is not asked for again */
    assert_true(bundle_folder_add_keys(folder, &generation, give_keys, &is_broken, &err));
    assert_int_equal(n_asked, 4);
    is_broken = true;
    assert_false(bundle_folder_add_keys(folder, &generation, give_keys, &is_broken, &err));
    remove_file("keys-2.note");
    remove_file("keys-3.note");
}

static void a_path_that_is_no_folder_is_an_error(void **state)
{
    struct buf archive, note;
    struct error err;

    (void)state;
    buffer(&archive, "archive");
    buffer(&note, "note");
    assert_false(bundle_folder_write_rules("/nonexistent/bundles", 12, &archive, &note, &err));
    buf_deinit(&archive);
    buf_deinit(&note);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bundle_is_an_archive_and_a_note_and_goes_with_both),
        cmocka_unit_test(keys_are_added_until_there_are_no_more),
        cmocka_unit_test(a_path_that_is_no_folder_is_an_error),
    };

    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failures;
}
