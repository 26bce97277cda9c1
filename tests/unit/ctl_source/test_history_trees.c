/* Lists that git would not print; tests/e2e/filterctl/packs.sh has those of real repositories. */
#include "testing.h"

#include "ctl/source/history_trees.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define COMMIT(id, tree, parents) id "\0" tree "\0" parents "\0001700000000\0Ann\0ann@example.org\0"

static bool append(struct span list, bool stops, struct error *err)
{
    const atomic_bool is_stopping = stops;
    struct buf out;

    buf_init(&out, 1 << 20);
    bool is_ok = history_trees_append(list, "/nonexistent", &is_stopping, &out, err);
    buf_deinit(&out);
    return is_ok;
}

static void a_list_without_commits_has_no_changes(void **state)
{
    struct error err;

    (void)state;
    assert_true(append(span_of("", 0), false, &err));
}

static void a_list_that_is_cut_or_without_ids_is_refused(void **state)
{
    static const char whole[] = COMMIT(A, B, "");
    struct error err;

    (void)state;
    for (size_t len = 1; len + 1 < sizeof(whole); len++) {
        assert_false(append(span_of(whole, len), false, &err));
        assert_int_equal(err.kind, ERROR_MALFORMED);
    }
    static const char without[] = COMMIT("", "", "");
    assert_false(append(span_of(without, sizeof(without) - 1), false, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    static const char unlike[] = COMMIT(A, "bbbb", "");
    assert_false(append(span_of(unlike, sizeof(unlike) - 1), false, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
}

static void what_is_not_there_is_said(void **state)
{
    static const char no_tree[] = COMMIT(A, B, ""), no_parent[] = COMMIT(A, B, B), no_id[] = COMMIT("short", "trees", "");
    struct error err;

    (void)state;
    assert_false(append(span_of(no_tree, sizeof(no_tree) - 1), false, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(append(span_of(no_parent, sizeof(no_parent) - 1), false, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    assert_false(append(span_of(no_id, sizeof(no_id) - 1), false, &err));
}

static void it_stops_between_commits(void **state)
{
    static const char list[] = COMMIT(A, B, "");
    struct error err;

    (void)state;
    assert_false(append(span_of(list, sizeof(list) - 1), true, &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_without_commits_has_no_changes),
        cmocka_unit_test(a_list_that_is_cut_or_without_ids_is_refused),
        cmocka_unit_test(what_is_not_there_is_said),
        cmocka_unit_test(it_stops_between_commits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
