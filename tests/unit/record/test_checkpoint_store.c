#include "unit/record/log_testing.h"

#include "record/checkpoint_store.h"

static struct error err;

static int set_up(void **state)
{
    return empty_folder(state);
}

static void make_note(unsigned n, struct buf *out)
{
    buf_clear(out);
    must(buf_appendf(out, &err, "node/filterd/00\n%u\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n", n) &&
             buf_appendf(out, &err, "\xE2\x80\x94 node/filterd/00 Az3grlgt%u\n", n % 10),
         &err);
}

static void add(unsigned n)
{
    struct buf note;

    buf_init(&note, NOTE_MAX);
    make_note(n, &note);
    must(checkpoint_store_add(folder, buf_span(&note), &err), &err);
    buf_deinit(&note);
}

/* The history has notes 1 to n and then its end. */
static void expect_history(unsigned n)
{
    struct checkpoint_history h;
    struct buf note, wanted;

    buf_init(&note, NOTE_MAX);
    buf_init(&wanted, NOTE_MAX);
    must(checkpoint_history_open(&h, folder, &err), &err);
    for (unsigned i = 1; i <= n + 1; i++) {
        must(checkpoint_history_next(&h, &note, &err), &err);
        make_note(i, &wanted);
        assert_true(span_equal(buf_span(&note), i <= n ? buf_span(&wanted) : span_str("")));
    }
    checkpoint_history_close(&h);
    buf_deinit(&note);
    buf_deinit(&wanted);
}

static void the_newest_is_apart_and_all_are_kept(void **state)
{
    struct buf newest, wanted;
    (void)state;
    buf_init(&newest, NOTE_MAX);
    buf_init(&wanted, NOTE_MAX);
    expect_history(0);
    assert_false(checkpoint_store_newest(folder, &newest, &err));
    assert_int_equal(err.kind, ERROR_NOT_FOUND);
    for (unsigned i = 1; i <= 5; i++) {
        add(i);
    }
    must(checkpoint_store_newest(folder, &newest, &err), &err);
    make_note(5, &wanted);
    assert_true(span_equal(buf_span(&newest), buf_span(&wanted)));
    expect_history(5);
    buf_deinit(&newest);
    buf_deinit(&wanted);
}

/* Wherever a crash cuts the last one, those before it stay, and the next one is added behind them. */
static void a_torn_last_one_is_cut_off(void **state)
{
    struct buf one;
    struct stat info;
    buf_init(&one, NOTE_MAX);
    make_note(3, &one);
    for (size_t cut = 1; cut <= one.len; cut++) {
        (void)empty_folder(state);
        must(checkpoint_store_repair(folder, &err), &err);
        add(1);
        add(2);
        add(3);
        assert_int_equal(stat(in_folder("checkpoints"), &info), 0);
        assert_int_equal(truncate(in_folder("checkpoints"), info.st_size - (off_t)cut), 0);
        must(checkpoint_store_repair(folder, &err), &err);
        expect_history(2);
        add(3);
        expect_history(3);
        must(checkpoint_store_repair(folder, &err), &err);
        expect_history(3);
    }
    buf_deinit(&one);
}

static void only_the_end_of_a_long_history_is_looked_at(void **state)
{
    struct buf text;
    (void)state;
    for (unsigned i = 1; i <= 1500; i++) {
        add(i);
    }
    buf_init(&text, 1024 * 1024);
    must(file_read(in_folder("checkpoints"), &text, &err), &err);
    assert_true(text.len > 2 * NOTE_MAX);
    must(file_write_atomic(in_folder("checkpoints"), span_of(text.data, text.len - 7), 0600, &err), &err);
    must(checkpoint_store_repair(folder, &err), &err);
    expect_history(1499);
    buf_deinit(&text);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, set_up)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_newest_is_apart_and_all_are_kept),
        TEST(a_torn_last_one_is_cut_off),
        TEST(only_the_end_of_a_long_history_is_looked_at),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
