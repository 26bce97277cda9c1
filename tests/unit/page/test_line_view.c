#include "testing.h"

#include "page/line_view.h"

static struct arena memory;
static struct error err;

static const struct line_view *read(const char *text)
{
    return line_view_read(span_str(text), &memory, &err);
}

static int setup(void **state)
{
    (void)state;
    arena_init(&memory, 0, 8 * 1024 * 1024);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    arena_deinit(&memory);
    return 0;
}

static void a_decision_is_taken_apart(void **state)
{
    (void)state;
    const struct line_view *l = read(
        "{\"seq\":20852163,\"type\":\"decision\",\"ts\":\"2026-11-23T15:01:12Z\",\"tenant\":\"acme\",\"agent\":\"a\\u003cb\","
        "\"policy\":{\"name\":\"default\",\"digest\":\"sha256:21cf\",\"shadow\":true},\"action\":\"block\",\"in_bytes\":2048,"
        "\"channels\":[{\"channel\":1,\"path\":\"/0/content\",\"bytes\":2048,\"judged\":2000}],"
        "\"findings\":[{\"rule\":\"aws\",\"severity\":\"critical\",\"channel\":1,\"start\":868,\"end\":888,\"score\":0.9012,"
        "\"action\":\"block\",\"shadow\":true,\"checks\":[\"a\",\"b\"],\"value_tok\":\"e1:00\"}],"
        "\"sealed\":{\"blob\":\"ab12\",\"bytes\":2100,\"expires\":\"2026-12-22T00:00:00Z\"}}");

    assert_non_null(l);
    assert_int_equal(l->seq, 20852163);
    assert_int_equal(l->ts_ns, INT64_C(1795446072) * 1000000000);
    assert_true(span_is(l->agent, "a<b"));
    assert_true(span_is(l->policy.digest, "sha256:21cf") && l->policy.is_shadow);
    assert_int_equal(l->n_channels, 1);
    assert_int_equal(l->channels[0].judged, 2000);
    assert_int_equal(l->n_findings, 1);
    const struct line_finding *f = &l->findings[0];
    assert_true(span_is(f->rule, "aws") && span_is(f->checks, "a,b") && f->is_shadow && !f->is_excepted);
    assert_int_equal(f->score, 9012);
    assert_int_equal(f->end, 888);
    assert_true(span_is(l->sealed.blob, "ab12") && !l->sealed.has_failed);
}

/* Members of another shape than they should have are left out. */
static void what_is_of_another_shape_is_left_out(void **state)
{
    (void)state;
    static const char *const values[] = {"null", "true", "-1", "1e300", "0.5", "\"x\"", "[]", "[[1]]", "{}", "{\"name\":[]}",
                                         "99999999999999999999999", "[{\"channel\":\"x\",\"score\":\"y\",\"checks\":{\"a\":1}}]"};
    static const char *const names[] = {"seq", "type", "ts", "policy", "sealed", "findings", "channels", "action", "item"};
    char text[256];

    for (size_t i = 0; i < COUNT(names); i++) {
        for (size_t k = 0; k < COUNT(values); k++) {
            (void)snprintf(text, sizeof(text), "{\"%s\":%s,\"agent\":\"kept\"}", names[i], values[k]);
            const struct line_view *l = read(text);
            assert_non_null(l);
            assert_true(span_is(l->agent, "kept"));
            for (size_t n = 0; n < l->n_findings; n++) {
                assert_true(l->findings[n].score <= 10000);
            }
        }
    }
}

static void more_than_a_line_has_is_not_read(void **state)
{
    (void)state;
    static char text[64 * 1024];
    size_t len = (size_t)snprintf(text, sizeof(text), "{\"findings\":[");

    for (int i = 0; i < 200; i++) {
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s{\"rule\":\"r%d\"}", i == 0 ? "" : ",", i);
    }
    (void)snprintf(text + len, sizeof(text) - len, "]}");
    const struct line_view *l = read(text);
    assert_int_equal(l->n_findings, LINE_FINDINGS);
    assert_true(span_is(l->findings[LINE_FINDINGS - 1].rule, "r63"));
}

static void what_is_no_object_is_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "[]", "1", "\"x\"", "{", "{\"a\":}", "{} {}"};

    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_null(read(texts[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_decision_is_taken_apart, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_of_another_shape_is_left_out, setup, teardown),
        cmocka_unit_test_setup_teardown(more_than_a_line_has_is_not_read, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_no_object_is_refused, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
