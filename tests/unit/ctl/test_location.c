#include "testing.h"

#include "ctl/location.h"

static void expect_location(struct location *p, size_t offset, size_t line, size_t column)
{
    location_seek(p, offset);
    assert_int_equal(p->line, line);
    assert_int_equal(p->column, column);
}

static void columns_are_code_points(void **state)
{
    struct location p;

    (void)state;
    location_init(&p, span_str("aü秘b\nc"), 1);
    expect_location(&p, 0, 1, 1);
    expect_location(&p, 1, 1, 2);
    expect_location(&p, 3, 1, 3);
    expect_location(&p, 6, 1, 4);
    expect_location(&p, 8, 2, 1);
}

static void seeking_back_starts_at_the_first_line_again(void **state)
{
    struct location p;

    (void)state;
    location_init(&p, span_str("a\nb\nc"), 7);
    expect_location(&p, 4, 9, 1);
    expect_location(&p, 2, 8, 1);
    expect_location(&p, 0, 7, 1);
}

static void the_end_of_the_text_is_a_place(void **state)
{
    struct location p;

    (void)state;
    location_init(&p, span_str("ab"), 1);
    expect_location(&p, 2, 1, 3);
    expect_location(&p, 99, 1, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_code_points),
        cmocka_unit_test(seeking_back_starts_at_the_first_line_again),
        cmocka_unit_test(the_end_of_the_text_is_a_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
