/* test_path.c - the way to a channel: names and indexes stay apart, and come out as a JSON pointer. */
#include "testing.h"

#include "judge/path.h"

static struct buf path, pointer;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    buf_init(&path, 4096);
    buf_init(&pointer, 4096);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buf_deinit(&path);
    buf_deinit(&pointer);
    return 0;
}

static void add_name(const char *name)
{
    assert_true(path_append_name(&path, span_str(name), &err));
}

static void a_name_of_digits_is_no_index(void **state)
{
    struct path_step step;

    (void)state;
    add_name("4111");
    assert_true(path_append_index(&path, 4111, &err));
    struct span rest = buf_span(&path);
    assert_true(path_next(&rest, &step));
    assert_false(step.is_index);
    assert_true(span_is(step.text, "4111"));
    assert_true(path_next(&rest, &step));
    assert_true(step.is_index);
    assert_true(span_is(step.text, "4111"));
    assert_false(path_next(&rest, &step));
}

static void a_path_comes_out_as_a_json_pointer(void **state)
{
    static const char *const names[] = {"a", "17", "", "a/b~c", "~2", "~217"};
    static const char expected[] = "/a/17//a~1b~0c/~02/~0217/18446744073709551615";

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        add_name(names[i]);
    }
    assert_true(path_append_index(&path, SIZE_MAX, &err));
    assert_true(path_append_pointer(&pointer, buf_span(&path), &err));
    assert_true(span_is(buf_span(&pointer), expected));
    assert_true(path_is_pointer(buf_span(&path), span_str(expected)));
    assert_false(path_is_pointer(buf_span(&path), span_str("/a/17//a~1b~0c/~02/~0217/1844674407370955161")));
    assert_false(path_is_pointer(buf_span(&path), span_str("/a")));
    assert_false(path_is_pointer(buf_span(&path), span_str("")));
}

static void a_path_without_a_slash_is_a_name(void **state)
{
    struct path_step step;
    struct span rest = span_str("17");

    (void)state;
    assert_true(path_next(&rest, &step));
    assert_false(step.is_index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_name_of_digits_is_no_index, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_comes_out_as_a_json_pointer, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_path_without_a_slash_is_a_name, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
