#include "testing.h"

#include "ctl/outputs/line_diff.h"

static void expect(const char *old_text, const char *new_text, const char *wanted)
{
    struct buf out;
    struct error err;

    buf_init(&out, 4096);
    assert_true(line_diff_append(span_str(old_text), span_str(new_text), &out, &err));
    assert_int_equal(out.len, strlen(wanted));
    assert_memory_equal(out.data == NULL ? "" : out.data, wanted, out.len);
    buf_deinit(&out);
}

static void equal_texts_have_no_difference(void **state)
{
    (void)state;
    expect("", "", "");
    expect("a\nb\n", "a\nb\n", "");
}

static void a_changed_line_stands_with_both_of_its_forms(void **state)
{
    (void)state;
    expect("a\nb\nc\n", "a\nx\nc\n", "@@ line 2\n-b\n+x\n");
    expect("a\nb\nc\n", "a\nbb\nc\n", "@@ line 2\n-b\n+bb\n");
}

static void lines_that_come_or_go_stand_alone(void **state)
{
    (void)state;
    expect("", "a\n", "@@ line 1\n+a\n");
    expect("a\n", "", "@@ line 1\n-a\n");
    expect("a\nc\n", "a\nb\nc\n", "@@ line 2\n+b\n");
    expect("a\na\na\n", "a\na\n", "@@ line 3\n-a\n");
}

static void an_end_without_a_line_end_is_a_difference(void **state)
{
    (void)state;
    expect("a\nb\n", "a\nb", "@@ line 2\n-b\n+b\n\\ no line end\n");
    expect("xb\n", "b\n", "@@ line 1\n-xb\n+b\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_texts_have_no_difference),
        cmocka_unit_test(a_changed_line_stands_with_both_of_its_forms),
        cmocka_unit_test(lines_that_come_or_go_stand_alone),
        cmocka_unit_test(an_end_without_a_line_end_is_a_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
