/* test_pattern_program.c - programs run over texts, one place after another. */
#include "testing.h"

#include "regex/pattern_program.h"

enum { CODE_MAX = 512 };

struct run {
    const struct pattern_tree *tree;
    const struct pattern_program *program;
    bool is_at[CODE_MAX];
};

static void follow(struct run *r, uint16_t at)
{
    const struct instruction *i = &r->program->code[at];

    assert_true(at < r->program->n && at < CODE_MAX);
    if (r->is_at[at]) {
        return;
    }
    r->is_at[at] = true;
    if (i->operation == OPERATION_SPLIT) {
        follow(r, i->next);
        follow(r, i->other);
    }
}

/* Whether the program matches all of the text. */
static bool matches(const char *core, const char *text)
{
    struct pattern_tree tree;
    struct pattern_program program;

    assert_true(pattern_tree_read(span_str(core), &tree));
    assert_true(pattern_program_make(&tree, &program));
    struct run now = {.tree = &tree, .program = &program};
    follow(&now, program.start);
    for (; *text != '\0'; text++) {
        struct run next = {.tree = &tree, .program = &program};
        for (uint16_t i = 0; i < program.n; i++) {
            const struct instruction *character = &program.code[i];
            bool is_next = now.is_at[i] && character->operation == OPERATION_CHARACTER &&
                           byte_set_has(&tree.sets[character->other].ascii, (unsigned char)*text);
            if (is_next) {
                follow(&next, character->next);
            }
        }
        now = next;
    }
    bool is_match = now.is_at[PROGRAM_MATCH];
    pattern_program_deinit(&program);
    pattern_tree_deinit(&tree);
    return is_match;
}

static void sequences_and_alternatives_are_in_order(void **state)
{
    (void)state;
    assert_true(matches("a(?:b|cd|)e", "abe"));
    assert_true(matches("a(?:b|cd|)e", "acde"));
    assert_true(matches("a(?:b|cd|)e", "ae"));
    assert_false(matches("a(?:b|cd|)e", "ace"));
    assert_true(matches("(?i)key|b", "KeY"));
    assert_false(matches("key|b", "keyb"));
}

static void repeats_are_counted_as_far_as_they_are(void **state)
{
    (void)state;
    assert_false(matches("a{3}", "aa"));
    assert_true(matches("a{3}", "aaa"));
    assert_false(matches("a{3}", "aaaa"));
    assert_true(matches("(?:ab){1,3}", "ababab"));
    assert_false(matches("(?:ab){1,3}", "abababab"));
    assert_true(matches("xa*", "x"));
    assert_false(matches("xa+", "x"));
    assert_true(matches("(?:a?)*b", "aab"));
    /* Where more may follow than are counted, any number may. */
    assert_true(matches("a{1,4}", "aaaaaaaa"));
    assert_false(matches("a{20}", "aaaaaaaaaaa"));
    assert_true(matches("a{20}", "aaaaaaaaaaaa"));
}

static void a_program_has_a_limit(void **state)
{
    struct pattern_tree tree;
    struct pattern_program program;

    (void)state;
    assert_true(pattern_tree_read(span_str("(?:(?:(?:(?:[ab]{12}c){12}){12}){12})"), &tree));
    assert_false(pattern_program_make(&tree, &program));
    pattern_program_deinit(&program);
    pattern_tree_deinit(&tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sequences_and_alternatives_are_in_order),
        cmocka_unit_test(repeats_are_counted_as_far_as_they_are),
        cmocka_unit_test(a_program_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
