#include "testing.h"

#include "base/yaml.h"

static struct arena arena;
static struct error err;

static struct yaml_node *parse(const char *text)
{
    struct yaml_node *root = NULL;

    arena_reset(&arena);
    err.text[0] = '\0';
    return yaml_parse(&arena, "f.yaml", span_str(text), &root, &err) ? root : NULL;
}

static int set_up(void **state)
{
    (void)state;
    arena_init(&arena, 1 << 20, 1 << 24);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void a_mapping_keeps_keys_and_positions(void **state)
{
    (void)state;
    const struct yaml_node *root = parse("a: 1\nb:\n  - x\n  - y\n");
    assert_non_null(root);
    assert_int_equal(root->n, 2);
    const struct yaml_node *list = yaml_get(root, "b");
    assert_int_equal(list->kind, YAML_SEQUENCE);
    assert_int_equal(list->n, 2);
    assert_int_equal(list->first->next->line, 4);
    assert_int_equal(list->first->next->column, 5);
}

static void faults_are_named_by_file_line_and_column(void **state)
{
    static const struct {
        const char *text, *expected;
    } cases[] = {
        {"a: 1\na: 2\n", "f.yaml:2:1: key 'a' occurs twice, first in line 1"},
        {"a: &x 1\n", "f.yaml:1:4: a value expected, anchors are refused"},
        {"a: *x\n", "f.yaml:1:4: a value expected, aliases are refused"},
        {"a: !!int 1\n", "f.yaml:1:4: a value expected, tags are refused"},
        {"a: 1\n---\nb: 2\n", "f.yaml:2:1: the end expected, one document a file"},
        {"[a]: 1\n", "f.yaml:1:1: a key expected"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_null(parse(cases[i].text));
        assert_string_equal(err.text, cases[i].expected);
    }
}

static void nesting_past_the_bound_is_refused(void **state)
{
    (void)state;
    assert_null(parse("[[[[[[[[[[[[[[[[[[[[[[[[1]]]]]]]]]]]]]]]]]]]]]]]]"));
    assert_non_null(strstr(err.text, "fewer levels"));
}

static void an_empty_text_has_no_root(void **state)
{
    struct yaml_node *root = NULL;

    (void)state;
    assert_true(yaml_parse(&arena, "f", span_str("# nothing\n"), &root, &err));
    assert_null(root);
}

static void typed_reads_refuse_other_types(void **state)
{
    (void)state;
    const struct yaml_node *root = parse("n: 0.5\nq: '0.5'\nh: 0x10\nb: yes\ni: 7\nbig: 99\ninf: inf\n");
    double number = 0;
    int64_t integer = 0;
    bool flag = false;

    assert_true(yaml_read_number(yaml_get(root, "n"), 0, 1, &number, &err));
    assert_true(number > 0.49 && number < 0.51);
    assert_false(yaml_read_number(yaml_get(root, "q"), 0, 1, &number, &err));
    assert_false(yaml_read_number(yaml_get(root, "h"), 0, 100, &number, &err));
    assert_false(yaml_read_number(yaml_get(root, "inf"), 0, 100, &number, &err));
    assert_false(yaml_read_flag(yaml_get(root, "b"), &flag, &err));
    assert_string_equal(err.text, "f.yaml:4:4: b: true or false expected");
    assert_true(yaml_read_integer(yaml_get(root, "i"), 0, 10, &integer, &err));
    assert_int_equal(integer, 7);
    assert_false(yaml_read_integer(yaml_get(root, "big"), 0, 10, &integer, &err));
    assert_string_equal(err.text, "f.yaml:6:6: big: a whole number from 0 to 10 expected");
}

static void one_text_reads_as_a_list_of_one(void **state)
{
    const struct span *texts;
    size_t n;

    (void)state;
    assert_true(yaml_read_texts(&arena, yaml_get(parse("a: x y\n"), "a"), &texts, &n, &err));
    assert_int_equal(n, 1);
    assert_true(span_is(texts[0], "x y"));
}

static void keys_and_texts_outlive_nodes_of_an_arena_of_their_own(void **state)
{
    struct arena nodes;
    struct yaml_node *root = NULL;

    (void)state;
    arena_reset(&arena);
    arena_init(&nodes, 0, 1 << 20);
    assert_true(yaml_parse_apart(&nodes, &arena, "f.yaml", span_str("a: {b: 'c d'}\n"), &root, &err));
    struct span key = root->first->key, text = root->first->first->text;
    assert_true(nodes.used >= 3 * sizeof(*root));
    arena_deinit(&nodes);
    assert_true(span_is(key, "a"));
    assert_true(span_is(text, "c d"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_mapping_keeps_keys_and_positions),
        cmocka_unit_test(faults_are_named_by_file_line_and_column),
        cmocka_unit_test(nesting_past_the_bound_is_refused),
        cmocka_unit_test(an_empty_text_has_no_root),
        cmocka_unit_test(typed_reads_refuse_other_types),
        cmocka_unit_test(one_text_reads_as_a_list_of_one),
        cmocka_unit_test(keys_and_texts_outlive_nodes_of_an_arena_of_their_own),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
