/* test_trace_context.c - traceparent and tracestate as the W3C's Trace Context has them. */
#include "testing.h"

#include "formats/trace_context.h"

#define ID "0af7651916cd43dd8448eb211c80319c"
#define PARENT "b7ad6b7169203331"

static struct error err;

static void a_traceparent_is_read_strictly(void **state)
{
    (void)state;
    static const struct {
        const char *header, *again; /* as it is written for who is called next; NULL: refused */
    } cases[] = {
        {"00-" ID "-" PARENT "-01", "00-" ID "-" PARENT "-01"},
        {"00-" ID "-" PARENT "-00", "00-" ID "-" PARENT "-00"},
        {"00-" ID "-" PARENT "-03", "00-" ID "-" PARENT "-03"},
        {"00-" ID "-" PARENT "-ff", "00-" ID "-" PARENT "-03"},
        {"cc-" ID "-" PARENT "-01", "00-" ID "-" PARENT "-01"},
        {"cc-" ID "-" PARENT "-01-what-follows", "00-" ID "-" PARENT "-01"},
        {"cc-" ID "-" PARENT "-01.what-follows", NULL},
        {"00-" ID "-" PARENT "-01-what-follows", NULL},
        {"ff-" ID "-" PARENT "-01", NULL},
        {"0-" ID "-" PARENT "-01", NULL},
        {"00-" ID "-" PARENT "-1", NULL},
        {"00-" ID "-" PARENT "-0x", NULL},
        {"00-" ID "-" PARENT, NULL},
        {"00_" ID "-" PARENT "-01", NULL},
        {"00-" ID "_" PARENT "-01", NULL},
        {"00-" ID "-" PARENT "_01", NULL},
        {"00-0AF7651916CD43DD8448EB211C80319C-" PARENT "-01", NULL},
        {"00-" ID "-B7AD6B7169203331-01", NULL},
        {"00-00000000000000000000000000000000-" PARENT "-01", NULL},
        {"00-" ID "-0000000000000000-01", NULL},
        {"00-" ID "-" PARENT "-01 ", NULL},
        {"", NULL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct trace_context t = {0};
        char text[TRACEPARENT_TEXT + 1];
        print_message("%s\n", cases[i].header);
        assert_int_equal(trace_parse(span_str(cases[i].header), &t), cases[i].again != NULL);
        assert_int_equal(trace_is_known(&t), cases[i].again != NULL);
        if (cases[i].again != NULL) {
            trace_format(&t, text);
            assert_string_equal(text, cases[i].again);
        }
    }
}

static void a_refused_traceparent_changes_nothing(void **state)
{
    (void)state;
    struct trace_context t = {.id = {1}, .parent = {2}, .flags = TRACE_SAMPLED}, before = t;

    assert_false(trace_parse(span_str("00-" ID "-0000000000000000-01"), &t));
    assert_memory_equal(&t, &before, sizeof(t));
}

static void a_recorded_span_is_the_parent_of_who_is_called(void **state)
{
    (void)state;
    struct trace_context t = {0};
    char text[TRACEPARENT_TEXT + 1], span[2 * TRACE_SPAN_BYTES + 1];

    assert_true(trace_parse(span_str("00-" ID "-" PARENT "-01"), &t));
    assert_false(t.is_recorded);
    assert_true(trace_record(&t, &err));
    assert_true(t.is_recorded);
    trace_hex(t.span, sizeof(t.span), span);
    trace_format(&t, text);
    assert_memory_equal(text, "00-" ID "-", 36);
    assert_memory_equal(text + 36, span, 16);
    assert_string_not_equal(span, PARENT);
}

static void an_unrecorded_trace_passes_the_callers_span_on(void **state)
{
    (void)state;
    struct trace_context t = {0};
    char text[TRACEPARENT_TEXT + 1];

    assert_true(trace_parse(span_str("00-" ID "-" PARENT "-01"), &t));
    assert_true(trace_record(&t, &err));
    trace_keep_unrecorded(&t);
    trace_format(&t, text);
    assert_string_equal(text, "00-" ID "-" PARENT "-01");
    assert_false(t.is_recorded);
    assert_true(trace_begin(&t, 0, &err));
    trace_keep_unrecorded(&t);
    assert_true(trace_has_span(t.span)); /* there is no other */
}

static void each_trace_that_begins_here_has_its_own_id_and_no_parent(void **state)
{
    (void)state;
    struct trace_context a, b, next = {0};
    char text[TRACEPARENT_TEXT + 1];
    uint8_t span[TRACE_SPAN_BYTES];

    assert_true(trace_begin(&a, TRACE_SAMPLED, &err));
    assert_true(trace_begin(&b, 0, &err));
    assert_true(trace_is_known(&a));
    assert_memory_not_equal(a.id, b.id, sizeof(a.id));
    assert_int_equal(a.flags, TRACE_SAMPLED | TRACE_RANDOM);
    assert_int_equal(b.flags, TRACE_RANDOM);
    assert_false(trace_has_span(a.parent));
    assert_false(a.is_recorded);
    trace_format(&b, text);
    assert_true(trace_parse(span_str(text), &next)); /* the span is not zeros */
    assert_memory_equal(next.id, b.id, sizeof(b.id));
    memcpy(span, a.span, sizeof(span));
    assert_true(trace_record(&a, &err));
    assert_memory_equal(span, a.span, sizeof(span));
}

static void a_tracestate_is_a_list_of_unique_keys(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_valid;
    } cases[] = {
        {"rojo=00f067aa0ba902b7", true},
        {"rojo=1,congo=t61rcWkgMzE", true},
        {"rojo=1 , congo=2", true},
        {"rojo=1,,congo=2", true},
        {"fw529a3039@dt=FfgHRA 1", true},
        {"0tenant@dt=1", true},
        {"0tenant=1", false},
        {"a@0system=1", false},
        {"a@b@c=1", false},
        {"a@abcdefghijklmno=1", false},
        {"rojo=1,rojo=2", false},
        {"Rojo=1", false},
        {"rojo", false},
        {"rojo=", false},
        {"=1", false},
        {"rojo=a=b", false},
        {"rojo=\x01", false},
        {"rojo=\xc3\xbc", false},
        {"", false},
        {",", false},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        print_message("%s\n", cases[i].text);
        assert_int_equal(tracestate_is_valid(span_str(cases[i].text)), cases[i].is_valid);
    }
}

static void a_tracestate_has_its_limits(void **state)
{
    (void)state;
    char text[TRACESTATE_MAX + 2] = "";

    for (size_t i = 0; i < TRACESTATE_MEMBERS_MAX; i++) {
        (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), "%sk%zu=v", i > 0 ? "," : "", i);
    }
    assert_true(tracestate_is_valid(span_str(text)));
    (void)snprintf(text + strlen(text), sizeof(text) - strlen(text), ",one-more=v");
    assert_false(tracestate_is_valid(span_str(text)));
    memset(text, 'v', sizeof(text));
    memcpy(text, "k=", 2);
    assert_false(tracestate_is_valid(span_of(text, TRACESTATE_MAX + 1)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_traceparent_is_read_strictly),
        cmocka_unit_test(a_refused_traceparent_changes_nothing),
        cmocka_unit_test(a_recorded_span_is_the_parent_of_who_is_called),
        cmocka_unit_test(an_unrecorded_trace_passes_the_callers_span_on),
        cmocka_unit_test(each_trace_that_begins_here_has_its_own_id_and_no_parent),
        cmocka_unit_test(a_tracestate_is_a_list_of_unique_keys),
        cmocka_unit_test(a_tracestate_has_its_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
