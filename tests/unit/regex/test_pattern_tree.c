/* test_pattern_tree.c - a tree written out again, with one sign for each kind of item. */
#include "testing.h"

#include "base/buf.h"
#include "base/cleanup.h"
#include "regex/pattern_tree.h"

enum { TEXT_MAX = 512 };

static void write_branches(const struct pattern_tree *tree, uint16_t branch, struct buf *out);

/* A set is its number of ASCII characters, with + and any other. */
static void write_item(const struct pattern_tree *tree, const struct pattern_item *item, struct buf *out)
{
    struct error err;

    if (item->branches != 0) {
        assert_true(buf_append_char(out, '(', &err));
        write_branches(tree, item->branches, out);
        assert_true(buf_append_char(out, ')', &err));
    } else {
        const struct byte_set *set = &tree->sets[item->set].ascii;
        int n = __builtin_popcountll(set->bits[0]) + __builtin_popcountll(set->bits[1]);
        assert_true(buf_appendf(out, &err, "%d%s", n, tree->sets[item->set].is_wide ? "+" : ""));
    }
    if (item->max == PATTERN_MANY) {
        assert_true(buf_appendf(out, &err, "{%u,}", item->min));
    } else if (item->min != 1 || item->max != 1) {
        assert_true(buf_appendf(out, &err, "{%u,%u}", item->min, item->max));
    }
}

static void write_branches(const struct pattern_tree *tree, uint16_t branch, struct buf *out)
{
    struct error err;

    for (; branch != 0; branch = tree->branches[branch].next) {
        for (uint16_t i = tree->branches[branch].item; i != 0; i = tree->items[i].next) {
            write_item(tree, &tree->items[i], out);
            assert_true(tree->items[i].next == 0 || buf_append_char(out, ' ', &err));
        }
        assert_true(tree->branches[branch].next == 0 || buf_append_char(out, '|', &err));
    }
}

static void assert_tree(const char *core, const char *wanted)
{
    struct buf text CLEANUP(buf_deinit);
    struct pattern_tree tree;
    struct error err;

    buf_init(&text, TEXT_MAX);
    assert_true(pattern_tree_read(span_str(core), &tree));
    write_branches(&tree, 1, &text);
    assert_true(buf_append_char(&text, '\0', &err));
    assert_string_equal(buf_span(&text).ptr, wanted);
    pattern_tree_deinit(&tree);
}

static void characters_groups_and_repeats_are_items(void **state)
{
    (void)state;
    assert_tree("ab", "1 1");
    assert_tree("[a-f]{2,5}x", "6{2,5} 1");
    assert_tree("a?b*c+d{3}e{2,}", "1{0,1} 1{0,} 1{1,} 1{3,3} 1{2,}");
    assert_tree("a{2,3}?b+?", "1{2,3} 1{1,}");
    assert_tree("x(?:ab|c(?:d|)){0,2}|y", "1 (1 1|1 (1|)){0,2}|1");
    assert_tree("^a\\b$", "1");
    assert_tree("", "");
}

static void case_goes_as_far_as_its_group(void **state)
{
    (void)state;
    assert_tree("a(?i:b(?-i:c)d)e", "1 (2 (1) 2) 1");
    assert_tree("a(?i)b|c", "1 2|2");
    assert_tree("(?:a(?i)b|c)d", "(1 2|2) 1");
    assert_tree("(?i)k", "2+"); /* U+212A is a k, too */
}

static void characters_beyond_ascii_are_one_item(void **state)
{
    (void)state;
    assert_tree("\xc3\xa9x", "0+ 1");
    assert_tree("(?i)\xc3\xa9", "0+");
    assert_tree("(?i)\xe2\x84\xaa", "4+"); /* the Kelvin sign; that it is no s is not known */
    assert_tree("[^a]", "127+");
    assert_tree(".", "128+");
}

static void what_is_not_known_is_refused(void **state)
{
    static const char *const cores[] = {"(?x) a", "a{2}{3}", "a+*", "\\R", "[\\v]", "\\1", "(?<=a)b"};
    struct pattern_tree tree;

    (void)state;
    for (size_t i = 0; i < COUNT(cores); i++) {
        if (pattern_tree_read(span_str(cores[i]), &tree)) {
            fail_msg("%s", cores[i]);
        }
        pattern_tree_deinit(&tree);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(characters_groups_and_repeats_are_items),
        cmocka_unit_test(case_goes_as_far_as_its_group),
        cmocka_unit_test(characters_beyond_ascii_are_one_item),
        cmocka_unit_test(what_is_not_known_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
