/* What is put on record about somebody who looks. */
#include "testing.h"

#include "base/buf.h"
#include "decision_log/access_record.h"
#include "support/line_schema.h"

static struct buf line;

static void write_event(const struct access_event *e)
{
    struct error err;

    assert_true(access_record_format(e, &line, &err));
    assert_line(buf_span(&line));
}

static void a_page_has_its_query(void **state)
{
    const struct access_event e = {.by = "anna", .role = "reviewer", .what = "list", .query = {"app:\"a b\"", 9}, .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_true(span_is(buf_span(&line), "{\"v\":2,\"type\":\"access\",\"ts\":\"1970-01-01T00:00:00.000000001Z\",\"by\":\"anna\","
                                         "\"role\":\"reviewer\",\"what\":\"list\",\"query\":\"app:\\\"a b\\\"\"}"));
}

static void all_lines_are_an_empty_query(void **state)
{
    const struct access_event e = {.by = "anna", .role = "auditor", .what = "list", .query = {"", 0}, .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_true(span_is(span_slice(buf_span(&line), line.len - 11, line.len), "\"query\":\"\"}"));
}

static void one_line_has_its_number(void **state)
{
    const struct access_event e = {.by = "uid 0", .role = "operator", .what = "record", .item = 77, .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_true(span_is(span_slice(buf_span(&line), line.len - 11, line.len), ",\"item\":77}"));
}

static void a_line_of_a_copy_has_the_node(void **state)
{
    const struct access_event e = {.by = "anna", .role = "reviewer", .what = "record", .item = 77, .copy_of = span_str("web-2"), .now_ns = 1};
    const struct access_event all = {.by = "anna", .role = "reviewer", .what = "list", .copy_of = span_str("*"), .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_non_null(memmem(line.data, line.len, ",\"item\":77,\"copy_of\":\"web-2\"}", 29));
    write_event(&all);
    assert_non_null(memmem(line.data, line.len, ",\"copy_of\":\"*\"}", 15));
}

static void an_export_has_its_purpose(void **state)
{
    const struct access_event e = {.by = "anna", .role = "auditor", .what = "export", .query = {"seq:1..2", 8},
                                   .purpose = {"an \"audit\"", 10}, .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_non_null(memmem(line.data, line.len, ",\"purpose\":\"an \\\"audit\\\"\",\"query\":\"seq:1..2\"}", 45));
}

static void a_key_has_its_id_its_original_and_what_for(void **state)
{
    const struct access_event e = {.by = "anna", .role = "reviewer", .what = "key", .kek = span_str("0123456789abcdef"),
                                   .blob = span_str("ab"), .purpose = span_str("INC-1 \"x\""), .now_ns = 1};

    (void)state;
    write_event(&e);
    assert_true(span_is(buf_span(&line), "{\"v\":2,\"type\":\"access\",\"ts\":\"1970-01-01T00:00:00.000000001Z\",\"by\":\"anna\","
                                         "\"role\":\"reviewer\",\"what\":\"key\",\"kek\":\"0123456789abcdef\",\"blob\":\"ab\","
                                         "\"purpose\":\"INC-1 \\\"x\\\"\"}"));
}

static void the_longest_query_has_room(void **state)
{
    static char query[4096];
    const struct access_event e = {.by = "anna", .role = "admin", .what = "list", .query = {query, sizeof(query)}, .now_ns = 1};
    struct error err;

    (void)state;
    memset(query, '"', sizeof(query));
    assert_true(access_record_format(&e, &line, &err));
}

static int setup(void **state)
{
    (void)state;
    buf_init(&line, ACCESS_RECORD_MAX);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    buf_deinit(&line);
    return 0;
}

static void a_passkey_has_its_step_and_its_person(void **state)
{
    const struct access_event e = {.by = "emil", .role = "admin", .what = "passkey", .step = "refused", .person = span_str("anna"),
                                   .passkey = span_str("0123456789abcdef"), .now_ns = 1};
    const struct access_event reset = {.by = "emil", .role = "admin", .what = "passkey", .step = "reset", .person = span_str("anna"),
                                       .purpose = span_str("lost"), .now_ns = 1};

    (void)state;
    write_event(&e);
    static const char refused[] = ",\"what\":\"passkey\",\"step\":\"refused\",\"person\":\"anna\",\"passkey\":\"0123456789abcdef\"}";
    assert_non_null(memmem(line.data, line.len, refused, sizeof(refused) - 1));
    write_event(&reset);
    static const char lost[] = ",\"step\":\"reset\",\"person\":\"anna\",\"purpose\":\"lost\"}";
    assert_non_null(memmem(line.data, line.len, lost, sizeof(lost) - 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_page_has_its_query, setup, teardown),
        cmocka_unit_test_setup_teardown(all_lines_are_an_empty_query, setup, teardown),
        cmocka_unit_test_setup_teardown(one_line_has_its_number, setup, teardown),
        cmocka_unit_test_setup_teardown(a_passkey_has_its_step_and_its_person, setup, teardown),
        cmocka_unit_test_setup_teardown(a_line_of_a_copy_has_the_node, setup, teardown),
        cmocka_unit_test_setup_teardown(an_export_has_its_purpose, setup, teardown),
        cmocka_unit_test_setup_teardown(a_key_has_its_id_its_original_and_what_for, setup, teardown),
        cmocka_unit_test_setup_teardown(the_longest_query_has_room, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
