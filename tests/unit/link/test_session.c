#include "testing.h"

#include "link/session.h"

/* What a database answers whose owner has replaced a function by one without rows. */
static void a_value_that_is_not_there_is_empty(void **state)
{
    PGresult *none = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK), *one = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    PGresAttDesc column = {.name = (char *)(uintptr_t)"won"};
    char won[] = "t";

    (void)state;
    assert_true(PQsetResultAttrs(one, 1, &column));
    assert_true(PQsetvalue(one, 0, 0, won, 1));
    assert_string_equal(link_value(none, 0, 0), "");
    assert_string_equal(link_value(one, 0, 0), "t");
    assert_string_equal(link_value(one, 0, 1), "");
    assert_string_equal(link_value(one, 1, 0), "");
    PQclear(none);
    PQclear(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_value_that_is_not_there_is_empty)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
