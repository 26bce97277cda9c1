/* Rows of the table that filterctl log prints. */
#include "testing.h"

#include "ctl/record/log_output.h"

static const char decision[] =
    "{\"seq\":7,\"ts\":\"2026-11-21T08:00:01.123456789Z\",\"type\":\"decision\",\"tenant\":\"acme\",\"agent\":\"z\\u00fcrich\","
    "\"action\":\"block\",\"rule\":\"iban\",\"findings\":[{\"rule\":\"other\",\"path\":\"/0\",\"start\":1,\"score\":0.1},"
    "{\"rule\":\"iban\",\"path\":\"/1/content\",\"start\":868,\"score\":0.9}]}";

static void assert_row(const char *line, bool is_coloured, const char *expected)
{
    struct log_output v;
    struct error err;

    log_output_init(&v, LOG_TABLE, false, is_coloured);
    assert_true(log_output_line(&v, span_str(line), &err));
    assert_true(buf_append_char(&v.out, '\0', &err));
    assert_string_equal(v.out.data, expected);
    log_output_deinit(&v);
}

static void a_row_says_where_the_rule_that_decided_found_it(void **state)
{
    (void)state;
    assert_row(decision, false,
               "       7  2026-11-21T08:00:01Z  block     iban                        acme/z\xc3\xbcrich               /1/content 868            "
               "0.90  +1\n");
}

static void colours_are_around_the_action_alone(void **state)
{
    (void)state;
    assert_row(decision, true,
               "       7  2026-11-21T08:00:01Z  \033[1;31mblock     \033[0miban                        acme/z\xc3\xbcrich               "
               "/1/content 868            0.90  +1\n");
}

static void other_lines_have_what_they_are(void **state)
{
    (void)state;
    assert_row("{\"seq\":1,\"ts\":\"2026-11-21T08:00:00.000000000Z\",\"type\":\"admin\",\"what\":\"policy\",\"by\":\"uid 0\"}", false,
               "       1  2026-11-21T08:00:00Z  admin     policy                      uid 0                     -                         -\n");
    assert_row("{}", false, "       -  -  -         -                           -                         -                         -\n");
}

static void no_name_reaches_the_terminal_as_a_command(void **state)
{
    (void)state;
    assert_row("{\"seq\":1,\"ts\":\"\\u001b[2J\",\"action\":\"x\\u202e\",\"rule\":\"\\u0007\",\"agent\":\"a\\u001b]0;t\\u0007\","
               "\"findings\":[{\"path\":\"/\\r\",\"start\":0,\"score\":1}]}",
               false, "       1  .[2JZ  x.        .                           a.]0;t.                   /. 0                      1.00\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_says_where_the_rule_that_decided_found_it),
        cmocka_unit_test(colours_are_around_the_action_alone),
        cmocka_unit_test(other_lines_have_what_they_are),
        cmocka_unit_test(no_name_reaches_the_terminal_as_a_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
