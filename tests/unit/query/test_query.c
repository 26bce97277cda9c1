/* The query language: what is accepted, its canonical text, and which lines match. */
#include "testing.h"

#include <stdio.h>

#include "base/json.h"
#include "query/query.h"

static const int64_t now_ns = INT64_C(1795248000) * 1000000000; /* 2026-11-21T08:00:00Z */

static const char line[] =
    "{\"seq\":77,\"node\":\"n\",\"boot_id\":\"\",\"v\":2,\"type\":\"decision\",\"ts\":\"2026-11-20T09:00:00.000000000Z\","
    "\"req_id\":\"01a1fee2-a580-7761-a879-d7f612f9f4cb\",\"tenant\":\"acme\",\"app\":\"web \\\"two\\\"\",\"agent\":\"support-7\","
    "\"session\":\"k1:aa\",\"trace_id\":\"0af7651916cd43dd8448eb211c80319c\",\"policy\":{\"name\":\"strict\",\"digest\":\"sha256:00ff\"},\"action\":\"redact\",\"rule\":\"iban\","
    "\"supervisor\":{\"category\":\"exfiltration\",\"action\":\"block\"},"
    "\"channels\":[{\"rule\":\"no\"}],\"findings\":[{\"rule\":\"iban\",\"category\":\"pii\",\"severity\":\"high\",\"action\":\"redact\","
    "\"value_tok\":\"k1:bb\"},{\"rule\":\"aws-key\",\"category\":\"secret\",\"severity\":\"critical\",\"action\":\"allow\"}],"
    "\"input_tok\":\"k1:cc\"}";

static const struct {
    const char *query;
    bool matches;
} matching[] = {
    {"", true},
    {"   ", true},
    {"agent:support-7", true},
    {"agent:support", false},
    {"agent:support*", true},
    {"agent:*", true},
    {"agent:Support-7", false},
    {"agent:a,support-7", true},
    {"agent:a,b", false},
    {"-agent:a,b", true},
    {"-agent:a,support-7", false},
    {"agent:\"support-7\"", true},
    {"agent:\"support\"*", true},
    {"agent:\"support*\"", false},
    {"app:\"web \\\"two\\\"\"", true},
    {"app:\"web \"*", true},
    {"tenant:acme action:redact", true},
    {"tenant:acme action:block", false},
    {"action:block", false}, /* the supervisor's, and a finding's, are others */
    {"action:allow,redact", true},
    {"rule:iban", true},
    {"rule:aws-key", true},
    {"rule:aws-*", true},
    {"rule:no", false},
    {"-rule:no", true},
    {"-rule:aws-key", false},
    {"rule:iban rule:aws-key", true},
    {"rule:iban rule:other", false},
    {"category:secret", true},
    {"category:exfiltration", true},
    {"category:injection", false},
    {"severity:critical", true},
    {"severity:low,medium", false},
    {"type:decision", true},
    {"type:agent", false},
    {"state:*", false},
    {"-state:*", true},
    {"disposition:benign", false},
    {"who:anna", false},
    {"policy:strict", true},
    {"policy:sha256:00ff", true},
    {"policy:sha256:*", true},
    {"policy:default", false},
    {"token:k1:bb", true},
    {"token:k1:cc", true},
    {"token:k1:aa", false},
    {"session:k1:aa", true},
    {"trace:0af7651916cd43dd8448eb211c80319c", true},
    {"trace:0af7651916cd43dd8448eb211c80319d", false},
    {"req:01a1fee2-a580-7761-a879-d7f612f9f4cb", true},
    {"seq:77", true},
    {"seq:78", false},
    {"seq:1,77", true},
    {"seq:70..77", true},
    {"seq:78..", false},
    {"seq:77..", true},
    {"seq:..77", true},
    {"-seq:1..100", false},
    {"since:2d", true},
    {"since:2026-11-20T09:00:00Z", true},
    {"since:2026-11-20T09:00:00.000000001Z", false},
    {"until:2026-11-20T09:00:00Z", false},
    {"until:1h", true},
    {"since:2026-11-20 until:2026-11-21", true},
};

static void terms_match_what_the_line_says(void **state)
{
    (void)state;
    struct error err;
    assert_true(json_validate(span_str(line), &err));
    for (size_t i = 0; i < COUNT(matching); i++) {
        struct query *q = query_compile(span_str(matching[i].query), now_ns, &err);
        if (q == NULL) {
            fail_msg("%s: %s", matching[i].query, err.text);
        }
        if (query_matches(q, span_str(line)) != matching[i].matches) {
            fail_msg("%s: %s expected", matching[i].query, matching[i].matches ? "a match" : "no match");
        }
        query_free(q);
    }
}

static void an_account_and_a_review_are_looked_at_too(void **state)
{
    static const struct {
        const char *line, *query;
    } cases[] = {
        {"{\"type\":\"agent\",\"agent\":\"a\",\"by\":\"policy\",\"state\":\"killed\"}", "state:killed who:policy"},
        {"{\"type\":\"review\",\"item\":7,\"from\":\"claimed\",\"to\":\"closed\",\"disposition\":\"benign\",\"by\":\"anna\"}",
         "type:review state:closed disposition:benign who:anna"},
        {"{\"type\":\"erasure\",\"subject_tok\":\"k1:00\",\"approver\":\"ben\"}", "token:k1:00 who:ben"},
        {"{\"agent\":\"\\u0061\\u00e4\"}", "agent:aä"},
        {"{\"agent\":7}", "-agent:7"},
        {"[]", "-agent:7"},
        {"{}", ""},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct query *q = query_compile(span_str(cases[i].query), now_ns, &err);
        assert_non_null(q);
        assert_true(json_validate(span_str(cases[i].line), &err));
        if (!query_matches(q, span_str(cases[i].line))) {
            fail_msg("%s does not match %s", cases[i].query, cases[i].line);
        }
        query_free(q);
    }
}

static void every_query_has_one_canonical_text(void **state)
{
    static const struct {
        const char *query, *canonical;
    } cases[] = {
        {"", ""},
        {"  action:redact,block   agent:b ", "agent:b action:block,redact"},
        {"agent:b,a,b", "agent:a,b"},
        {"agent:a agent:a", "agent:a"},
        {"agent:b agent:a", "agent:a agent:b"},
        {"-agent:b -agent:a", "-agent:a,b"},
        {"-agent:b agent:c -agent:a", "agent:c -agent:a,b"},
        {"agent:\"a\"", "agent:a"},
        {"agent:\"a b\"*", "agent:\"a b\"*"},
        {"agent:\"a*\",a*", "agent:a*,\"a*\""},
        {"agent:\"\\\"\\\\\"", "agent:\"\\\"\\\\\""},
        {"agent:\"\"", "agent:\"\""},
        {"agent:*", "agent:*"},
        {"seq:9..9,007,1..,..3", "seq:..3,1..,7,9"},
        {"since:7d", "since:2026-11-14T08:00:00Z"},
        {"since:1d since:2d until:2026-11-21T10:30:00.500+01:00", "since:2026-11-20T08:00:00Z until:2026-11-21T09:30:00.5Z"},
        {"until:1h until:2026-11-21", "until:2026-11-21T00:00:00Z"},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[QUERY_TEXT_MAX + 1];
        struct query *q = query_compile(span_str(cases[i].query), now_ns, &err);
        if (q == NULL) {
            fail_msg("%s: %s", cases[i].query, err.text);
        }
        (void)snprintf(text, sizeof(text), SPAN_FMT, SPAN_ARG(query_canonical(q)));
        assert_string_equal(text, cases[i].canonical);
        struct query *again = query_compile(query_canonical(q), 0, &err);
        assert_non_null(again);
        assert_true(span_is(query_canonical(again), cases[i].canonical));
        query_free(again);
        query_free(q);
    }
}

static void errors_name_the_column_and_what_was_expected(void **state)
{
    static const struct {
        const char *query, *error;
    } cases[] = {
        {"colour:red", "query: column 1: a field (tenant, app,"},
        {"agent", "query: column 6: a colon"},
        {"agent:a b", "query: column 9: a field"},
        {"agent:", "query: column 7: a value expected"},
        {"agent:a,", "query: column 9: a value expected"},
        {"agent:a,,b", "query: column 9: a value expected"},
        {"agent:\"a", "query: column 7: a quote at both ends"},
        {"agent:\"a\\n\"", "query: column 10: \\\" or \\\\"},
        {"agent:\"a\"b", "query: column 10: a comma or a space"},
        {"agent:a\"b\"", "query: column 8: a comma or a space"},
        {"agent:a*b", "query: column 9: a comma or a space behind *"},
        {"action:stop", "query: column 8: one of allow|redact|block expected"},
        {"action:block,stop", "query: column 14: one of"},
        {"action:b*", "query: column 8: a value without *"},
        {"severity:\"\"", "query: column 10: one of low|"},
        {"type:decisions", "query: column 6: one of decision|"},
        {"seq:x", "query: column 5: a number or a range"},
        {"seq:9..7", "query: column 5: a number or a range"},
        {"seq:..", "query: column 5: a number or a range"},
        {"seq:1.2", "query: column 5: a number or a range"},
        {"seq:1..2..3", "query: column 5: a number or a range"},
        {"seq:99999999999999999999", "query: column 5: a number or a range"},
        {"since:yesterday", "query: column 7: a time such as"},
        {"since:2026-02-30", "query: column 7: a time such as"},
        {"since:9999-01-01", "query: column 7: a time such as"},
        {"since:999999w", "query: column 7: a time such as"},
        {"since:7d,8d", "query: column 9: one time"},
        {"-since:7d", "query: column 1: no - in front of since"},
        {"--agent:a", "query: column 2: a field"},
        {"agent:a\tb", "query: column 8: no control character"},
        {"agent:a\xff", "query: column 1: valid UTF-8"},
    };
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct query *q = query_compile(span_str(cases[i].query), now_ns, &err);
        if (q != NULL) {
            fail_msg("%s is accepted", cases[i].query);
        }
        assert_int_equal(err.kind, ERROR_INVALID);
        if (strncmp(err.text, cases[i].error, strlen(cases[i].error)) != 0) {
            fail_msg("%s: %s, not: %s", cases[i].query, err.text, cases[i].error);
        }
    }
}

static void limits_hold(void **state)
{
    char text[QUERY_TEXT_MAX + 16];
    struct error err;
    size_t len = 0;

    (void)state;
    memset(text, ' ', sizeof(text));
    assert_null(query_compile(span_of(text, QUERY_TEXT_MAX + 1), now_ns, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    for (size_t i = 0; i <= QUERY_TERMS_MAX; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "agent:a%zu ", i);
    }
    assert_null(query_compile(span_of(text, len), now_ns, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    len = (size_t)snprintf(text, sizeof(text), "agent:a");
    for (size_t i = 0; i < QUERY_VALUES_MAX; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, ",%zu", i);
    }
    assert_null(query_compile(span_of(text, len), now_ns, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
}

static void bounds_are_those_of_the_terms(void **state)
{
    struct error err;

    (void)state;
    struct query *q = query_compile(span_str("seq:9,5..7,20..22 seq:6.. -seq:7 since:2026-11-21 until:2026-11-22"), now_ns, &err);
    struct query_bounds b = query_bounds(q);
    assert_int_equal(b.first, 6);
    assert_int_equal(b.end, 23);
    assert_int_equal(b.until_ns - b.since_ns, INT64_C(86400) * 1000000000);
    query_free(q);
    q = query_compile(span_str("agent:a"), now_ns, &err);
    b = query_bounds(q);
    assert_true(b.first == 0 && b.end == UINT64_MAX && b.since_ns == INT64_MIN && b.until_ns == INT64_MAX);
    query_free(q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(terms_match_what_the_line_says),
        cmocka_unit_test(an_account_and_a_review_are_looked_at_too),
        cmocka_unit_test(every_query_has_one_canonical_text),
        cmocka_unit_test(errors_name_the_column_and_what_was_expected),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(bounds_are_those_of_the_terms),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
