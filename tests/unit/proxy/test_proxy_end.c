/* How an answer ended, as the record says it: filterd-decision-log(5) lists the names. */
#include "proxy/proxy.h"

#include "testing.h"

static void each_end_has_its_name_on_record(void **state)
{
    (void)state;
    static const struct {
        enum proxy_end end;
        const char *name;
    } ends[] = {
        {END_NONE, "none"},       {END_WHOLE, "whole"},         {END_BLOCKED, "blocked"}, {END_RESOLVE, "resolve"},
        {END_CONNECT, "connect"}, {END_TLS, "tls"},             {END_TIMEOUT, "timeout"}, {END_BROKEN, "broken"},
        {END_LIMIT, "limit"},     {END_MALFORMED, "malformed"}, {END_STATUS, "status"},   {END_CLIENT, "client"},
        {END_DRAIN, "drain"},     {END_RECORD, "record"},       {END_INTERNAL, "internal"},
    };

    assert_int_equal(COUNT(ends), END_INTERNAL + 1);
    for (size_t i = 0; i < COUNT(ends); i++) {
        assert_int_equal(ends[i].end, i);
        assert_string_equal(proxy_end_name(ends[i].end), ends[i].name);
    }
}

static void an_end_counts_as_the_upstreams_when_it_has_a_counter(void **state)
{
    (void)state;
    unsigned n = 0;

    for (enum proxy_end end = END_NONE; end <= END_INTERNAL; end++) {
        n += proxy_end_is_upstreams(end);
    }
    assert_int_equal(n, UPSTREAM_ERRORS);
    assert_true(proxy_end_is_upstreams(END_RESOLVE));
    assert_true(proxy_end_is_upstreams(END_STATUS));
    assert_false(proxy_end_is_upstreams(END_BLOCKED));
    assert_false(proxy_end_is_upstreams(END_CLIENT));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_end_has_its_name_on_record),
        cmocka_unit_test(an_end_counts_as_the_upstreams_when_it_has_a_counter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
