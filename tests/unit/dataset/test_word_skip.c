/* test_word_skip.c - what is gone over is words with which nothing begins, however they lie in the blocks, and nothing else. */
#include "dataset_testing.h"

#include "dataset/word_skip.h"
#include "dataset/words.h"
#include "support/random.h"

enum { ROUNDS = 3000, TEXT_MAX = 600 };

static const char *const parts[] = {
    " ", "  ", ". ", ", ", "\n", "-", "the", "The", "zoe", "ZOE", "Karl", "a", "extraordinarily", "internationalisation", "0", "2024", "x1",
    "\x1a", "t\x1a", "h", "\u00e9t\u00e9", "\u00df", "\u65e5\u672c", "\ua738", "\u200b", "\U0001f600", "KD", "kd7", "_", "@", "\u2014", "\u2019"};

static struct table *table;

static int set_up(void **state)
{
    struct cells_built built;
    struct error err;

    if (make_folder(state) != 0 || !build_cells("name,id\nZoe Brandt,KD-4711\nKarl \u00c9t\u00e9,KD-4712\n", "name:name,id:id", &built, &err)) {
        return -1;
    }
    table = open_cells();
    return 0;
}

static int tear_down(void **state)
{
    table_close(table);
    return remove_folder(state);
}

static size_t make_text(struct random *r, char text[TEXT_MAX])
{
    const size_t wanted = random_below(r, TEXT_MAX - 32);
    size_t n = 0;

    while (n < wanted) {
        const char *part = parts[random_below(r, COUNT(parts))];
        memcpy(text + n, part, strlen(part));
        n += strlen(part);
    }
    return n;
}

/* All words from `at` to `to` begin nothing; *end is behind the last one. */
static void assert_passed(struct span text, size_t at, size_t to, bool digits_begin, size_t *end)
{
    struct word w;

    while (word_next(text, &at, &w) && w.from < to) {
        assert_true(w.to <= to && !w.is_cut);
        assert_false(first_word_may_begin(table, w.folded, w.n));
        assert_true(!digits_begin || w.digits == 0);
        *end = w.to;
    }
}

static void only_words_that_begin_nothing_are_gone_over(void **state)
{
    static char text[TEXT_MAX];
    struct random r = {.state = 31};
    size_t n_passed = 0;

    (void)state;
    for (unsigned i = 0; i < ROUNDS; i++) {
        const bool digits_begin = i % 2 == 0;
        const struct span all = span_of(text, make_text(&r, text));
        struct word_skip skip;
        struct word w;
        size_t end = 0, expected = 0;
        word_skip_begin(&skip, table, all, digits_begin);
        for (size_t at = 0; at < all.len;) {
            const size_t from = at;
            at = word_skip(&skip, at, &end);
            assert_true(at >= from && at <= all.len);
            assert_passed(all, from, at, digits_begin, &expected);
            assert_int_equal(end, expected);
            n_passed += at - from;
            end = expected = word_next(all, &at, &w) ? w.to : all.len; /* as cells_find goes on */
        }
    }
    assert_true(n_passed > ROUNDS);
}

static void a_text_of_nothing_else_is_gone_over_at_once(void **state)
{
    const struct span text = span_str("If it rains, there will be a hundred umbrellas in front of the house, and nobody to hold them. Such is life");
    struct word_skip skip;
    size_t end = 0;

    (void)state;
    word_skip_begin(&skip, table, text, true);
    assert_int_equal(word_skip(&skip, 0, &end), text.len - strlen("life")); /* which may go on */
    assert_int_equal(end, text.len - strlen(" life"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_words_that_begin_nothing_are_gone_over),
        cmocka_unit_test(a_text_of_nothing_else_is_gone_over_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
