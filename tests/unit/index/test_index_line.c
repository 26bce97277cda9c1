/* What of a line goes into the index. */
#include "testing.h"

#include "index/index_line.h"
#include "query/query_parts.h"

static struct index_line parts;
static struct arena memory;

static bool read_text(const char *text)
{
    struct error err;

    arena_reset(&memory);
    return index_line_read(span_str(text), &memory, &parts, &err);
}

static void a_decision_has_names_findings_and_keys(void **state)
{
    (void)state;
    assert_true(read_text("{\"seq\":7,\"type\":\"decision\",\"ts\":\"1970-01-01T00:00:01.5Z\",\"req_id\":\"0011223344556677\",\"tenant\":\"a\\u0062\","
                          "\"agent\":\"x\",\"session\":\"k1:aa\",\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"policy\":{\"name\":\"p\"},\"action\":\"block\",\"rule\":\"r\",\"findings\":[{\"rule\":"
                          "\"r\",\"severity\":\"low\",\"score\":0.95,\"action\":\"block\",\"value_tok\":\"k:000102030405060708090a0b0c0d0e0f\"},"
                          "{\"rule\":\"s\",\"severity\":\"critical\",\"score\":1}],\"input_tok\":\"k1:bb\"}"));
    assert_int_equal(parts.seq, 7);
    assert_int_equal(parts.ts_ms, 1500);
    assert_int_equal(parts.action, INDEX_BLOCK);
    assert_int_equal(parts.severity, 4);
    assert_true(span_is(parts.words[INDEX_TENANT], "ab") && span_is(parts.words[INDEX_POLICY], "p"));
    assert_int_equal(parts.n_findings, 2);
    assert_int_equal(parts.findings[0].score, 9500);
    assert_int_equal(parts.findings[1].score, 10000);
    assert_true(parts.findings[0].has_token && parts.findings[0].token[15] == 15);
    assert_false(parts.findings[1].has_token);
    assert_int_equal(parts.n_keys, 3);
    assert_true(parts.has_req);
}

/* The order is filterd's own, and not needed. */
static void members_are_found_in_any_order_and_form(void **state)
{
    (void)state;
    assert_true(read_text("{\"seq\":7, \"subject_tok\":\"a\",\"ip_tok\":\"b\",\"note_tok\":\"c\",\"group\":\"d\",\"input_tok\":\"e\",\"findings\":[{\"rule\":\"r\"}],"
                          " \"rule\":\"r\",\"action\" : \"redact\",\"policy\": {\"name\":\"p\"},\"session\":\"f\",\"agent\":\"x\",\"app\":\"y\",\"tenant\":\"z\","
                          "\"req_id\":\"q\",\"ts\":\"1970-01-01T00:00:01Z\",\"type\":\"decision\"} "));
    assert_int_equal(parts.n_keys, 6);
    assert_int_equal(parts.n_findings, 1);
    assert_int_equal(parts.action, INDEX_REDACT);
    assert_int_equal(parts.type, index_type_number(span_str("decision")));
    assert_true(parts.has_req && parts.has_time && parts.ts_ms == 1000);
    assert_true(span_is(parts.words[INDEX_TENANT], "z") && span_is(parts.words[INDEX_APP], "y") && span_is(parts.words[INDEX_AGENT], "x") &&
                span_is(parts.words[INDEX_RULE], "r") && span_is(parts.words[INDEX_POLICY], "p"));
}

/* Every line with a number has a row. */
static void what_has_another_shape_is_left_out(void **state)
{
    static const char *const texts[] = {
        "{\"seq\":7,", "{\"seq\":7,\"type\":3,\"findings\":{\"rule\":1},\"policy\":[],\"action\":\"maybe\",\"ts\":\"soon\"}",
        "{\"seq\":7,\"findings\":[1,null,[],{\"rule\":{}}]}", "{\"seq\":7,\"type\":\"unheard\",\"tenant\":null}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_true(read_text(texts[i]));
        assert_int_equal(parts.seq, 7);
        assert_int_equal(parts.type, 0);
        assert_int_equal(parts.action, INDEX_NO_ACTION);
        assert_false(parts.has_time);
    }
    assert_false(read_text("{\"other\":7}"));
}

static void half_of_a_uuid_grows_with_time(void **state)
{
    (void)state;
    assert_true(index_req_key(span_str("01a1fee2-a580-7761-a879-d7f612f9f4cb")) == INT64_C(0x01a1fee2a5807761));
    assert_true(index_req_key(span_str("01a1fee2-a580-7761-a879-d7f612f9f4cX")) == INT64_C(0x01a1fee2a5807761));
    assert_true(index_req_key(span_str("x")) != index_req_key(span_str("y")));
}

/* A type that the query language knows and the index does not would be looked for among those of no type. */
static void every_type_and_action_of_the_language_has_a_number(void **state)
{
    (void)state;
    for (const char *at = query_fields[QUERY_TYPE].words; *at != '\0'; at += strcspn(at, "|") + (at[strcspn(at, "|")] == '|')) {
        assert_int_not_equal(index_type_number(span_of(at, strcspn(at, "|"))), 0);
    }
    assert_int_equal(index_action_number(span_str("redact")), INDEX_REDACT);
    assert_int_equal(index_action_number(span_str("")), INDEX_NO_ACTION);
    assert_string_equal(index_action_name(INDEX_BLOCK), "block");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_decision_has_names_findings_and_keys),
        cmocka_unit_test(members_are_found_in_any_order_and_form),
        cmocka_unit_test(what_has_another_shape_is_left_out),
        cmocka_unit_test(half_of_a_uuid_grows_with_time),
        cmocka_unit_test(every_type_and_action_of_the_language_has_a_number),
    };

    arena_init(&memory, INDEX_LINE_MEMORY, INDEX_LINE_MEMORY);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
