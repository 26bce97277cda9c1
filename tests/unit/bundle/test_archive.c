#include "testing.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "bundle/archive.h"

enum { MAX = 1024 * 1024 };

struct place {
    char root[256], from[300], to[300];
};

static int make_place(void **state)
{
    static struct place p;
    struct error err;

    testing_folder(p.root, sizeof(p.root));
    (void)snprintf(p.from, sizeof(p.from), "%s/from", p.root);
    (void)snprintf(p.to, sizeof(p.to), "%s/to", p.root);
    assert_true(file_make_directory(p.from, &err));
    *state = &p;
    return 0;
}

static int remove_place(void **state)
{
    const struct place *p = *state;
    struct error err;

    assert_true(policy_bundle_remove(p->root, &err));
    assert_int_equal(access(p->root, F_OK), -1);
    return 0;
}

static const char *below(const char *folder, const char *name)
{
    static char path[512];

    (void)snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void write_file(const char *folder, const char *name, const char *text)
{
    struct error err;
    char parent[512];

    (void)snprintf(parent, sizeof(parent), "%s", below(folder, name));
    *strrchr(parent, '/') = '\0';
    assert_true(file_make_directory(parent, &err));
    assert_true(file_write_atomic(below(folder, name), span_str(text), 0600, &err));
}

static void expect_file(const char *folder, const char *name, const char *text)
{
    struct buf bytes CLEANUP(buf_deinit);
    struct error err;

    buf_init(&bytes, MAX);
    assert_true(file_read(below(folder, name), &bytes, &err));
    assert_true(span_is(buf_span(&bytes), text));
}

static void a_folder_comes_back_whole(void **state)
{
    const struct place *p = *state;
    struct buf archive CLEANUP(buf_deinit);
    struct error err;

    write_file(p->from, "policy.yaml", "policies:\n");
    write_file(p->from, "a/b.yaml", "rules:\n");
    write_file(p->from, "a.c", "");
    write_file(p->from, ".git/config", "left out");
    write_file(p->from, "a/.hidden", "left out");
    buf_init(&archive, MAX);
    assert_true(policy_bundle_pack(p->from, &archive, &err));
    assert_true(policy_bundle_unpack(buf_span(&archive), p->to, &err));
    expect_file(p->to, "policy.yaml", "policies:\n");
    expect_file(p->to, "a/b.yaml", "rules:\n");
    expect_file(p->to, "a.c", "");
    assert_int_equal(access(below(p->to, ".git"), F_OK), -1);
    assert_int_equal(access(below(p->to, "a/.hidden"), F_OK), -1);
    assert_false(policy_bundle_unpack(buf_span(&archive), p->to, &err)); /* over what is there */
    assert_int_equal(err.kind, ERROR_DENIED);
}

static void equal_folders_are_equal_archives(void **state)
{
    const struct place *p = *state;
    struct buf first CLEANUP(buf_deinit), second CLEANUP(buf_deinit);
    struct error err;

    write_file(p->from, "z/one.yaml", "1");
    write_file(p->from, "b.yaml", "2");
    write_file(p->to, "b.yaml", "2");
    write_file(p->to, "z/one.yaml", "1");
    buf_init(&first, MAX);
    buf_init(&second, MAX);
    assert_true(policy_bundle_pack(p->from, &first, &err));
    assert_true(policy_bundle_pack(p->to, &second, &err));
    assert_true(span_equal(buf_span(&first), buf_span(&second)));
    buf_clear(&second);
    assert_true(policy_bundle_pack(below(p->to, ""), &second, &err)); /* with a slash at its end */
    assert_true(span_equal(buf_span(&first), buf_span(&second)));
}

static void nothing_is_left_out_in_silence(void **state)
{
    const struct place *p = *state;
    struct buf archive CLEANUP(buf_deinit);
    struct error err;

    buf_init(&archive, MAX);
    assert_false(policy_bundle_pack(p->from, &archive, &err)); /* no file */
    write_file(p->from, "a.yaml", "1");
    assert_int_equal(symlink("a.yaml", below(p->from, "link.yaml")), 0);
    assert_false(policy_bundle_pack(p->from, &archive, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_int_equal(unlink(below(p->from, "link.yaml")), 0);
    write_file(p->from, "with space.yaml", "1");
    assert_false(policy_bundle_pack(p->from, &archive, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
}

static void cut_or_changed_archives_are_refused(void **state)
{
    const struct place *p = *state;
    struct buf archive CLEANUP(buf_deinit);
    struct error err;

    write_file(p->from, "a.yaml", "a text");
    buf_init(&archive, MAX);
    assert_true(policy_bundle_pack(p->from, &archive, &err));
    for (size_t len = 0; len < archive.len; len++) {
        assert_false(policy_bundle_unpack(span_of(archive.data, len), p->to, &err));
        assert_true(policy_bundle_remove(p->to, &err));
    }
    assert_true(policy_bundle_unpack(buf_span(&archive), p->to, &err));
}

static void links_are_not_followed_when_a_folder_goes(void **state)
{
    const struct place *p = *state;
    struct error err;

    write_file(p->from, "kept", "kept");
    write_file(p->to, "gone", "");
    assert_int_equal(symlink(p->from, below(p->to, "link")), 0);
    assert_true(policy_bundle_remove(p->to, &err));
    expect_file(p->from, "kept", "kept");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_folder_comes_back_whole),
        TEST(equal_folders_are_equal_archives),
        TEST(nothing_is_left_out_in_silence),
        TEST(cut_or_changed_archives_are_refused),
        TEST(links_are_not_followed_when_a_folder_goes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
