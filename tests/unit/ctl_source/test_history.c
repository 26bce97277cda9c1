#include "testing.h"

#include "ctl/source/history.h"

#define A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define C "cccccccccccccccccccccccccccccccccccccccc"
#define Z "0000000000000000000000000000000000000000"
#define COMMIT A "\0" "1700000000\0Ann\0ann@x\0"
#define TEXT(literal) span_of(literal, sizeof(literal) - 1)

static bool parse(struct history *h, struct span text, bool is_staged)
{
    struct error err;

    history_init(h);
    h->is_staged = is_staged;
    assert_true(buf_append(&h->text, text, &err));
    return history_parse(h, &err);
}

static void a_change_belongs_to_the_commit_in_front_of_it(void **state)
{
    struct history h;

    (void)state;
    assert_true(parse(&h, TEXT(COMMIT "\n:100644 100644 " B " " C " M\0a b\n\xff\0" B "\0" "x\0\0\0\n:000000 100644 " Z " " A " A\0c\0"), false));
    assert_int_equal(h.n_commits, 2);
    assert_true(span_is(h.commits[0].author, "Ann") && span_is(h.commits[0].address, "ann@x"));
    assert_int_equal(h.commits[0].time, 1700000000);
    assert_int_equal(h.commits[1].time, 0);
    assert_int_equal(h.commits[1].author.len, 0);
    assert_int_equal(h.n_changes, 2);
    assert_true(span_is(h.changes[0].path, "a b\n\xff") && span_is(h.changes[0].blob, C));
    assert_int_equal(h.changes[1].commit, 1);
    history_deinit(&h);
}

/* A name cannot be taken for a change, nor a change's path for a commit. */
static void names_are_taken_by_their_place(void **state)
{
    struct history h;

    (void)state;
    assert_true(parse(&h, TEXT(A "\0" "1\0:100644 100644 " B " " C " M\0" B "\0\n:100644 100644 " B " " C " M\0" A "\0"), false));
    assert_int_equal(h.n_commits, 1);
    assert_int_equal(h.n_changes, 1);
    assert_true(span_is(h.changes[0].path, A));
    history_deinit(&h);
}

static void a_merge_has_a_blob_of_each_parent(void **state)
{
    struct history h;
    struct span before, blob;

    (void)state;
    assert_true(parse(&h, TEXT(COMMIT "\0::000000 100644 100644 " Z " " B " " C " AM\0f\0"), false));
    assert_int_equal(h.n_changes, 1);
    assert_true(span_is(h.changes[0].blob, C));
    before = h.changes[0].before;
    assert_true(history_next_before(&before, &blob) && span_is(blob, B));
    assert_false(history_next_before(&before, &blob));
    history_deinit(&h);
}

static void removals_have_no_blob_and_submodules_are_left_out(void **state)
{
    struct history h;

    (void)state;
    assert_true(parse(&h, TEXT(":100644 000000 " B " " Z " D\0gone\0:000000 160000 " Z " " C " A\0module\0"), true));
    assert_int_equal(h.n_changes, 1);
    assert_true(h.changes[0].is_removal);
    assert_int_equal(h.changes[0].commit, HISTORY_STAGED);
    history_deinit(&h);
}

static void anything_else_is_refused(void **state)
{
    const struct span texts[] = {
        TEXT("x\0"), TEXT(A), TEXT(A "\0" "1\0n\0"), TEXT(":100644 100644 " B " " C " M\0f\0"), TEXT(COMMIT ":100644 100644 " B " " C " M"),
        TEXT(COMMIT ":100644 100644 " B " " C " M\0\0"), TEXT(COMMIT ":100644 100644 " B " M\0f\0"), TEXT(COMMIT ":\0f\0"),
        TEXT(COMMIT "::100644 100644 " B " " C " M\0f\0"), TEXT(COMMIT ":100644 100644 xx yy M\0f\0"), TEXT(COMMIT "::::::::\0f\0"),
    };
    struct history h;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(parse(&h, texts[i], false));
        history_deinit(&h);
    }
    assert_false(parse(&h, TEXT(COMMIT), true));
    history_deinit(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_change_belongs_to_the_commit_in_front_of_it),
        cmocka_unit_test(names_are_taken_by_their_place),
        cmocka_unit_test(a_merge_has_a_blob_of_each_parent),
        cmocka_unit_test(removals_have_no_blob_and_submodules_are_left_out),
        cmocka_unit_test(anything_else_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
