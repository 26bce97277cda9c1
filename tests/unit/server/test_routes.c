#include "testing.h"

#include "server/routes.h"

static void a_route_is_found_by_method_and_path(void **state)
{
    (void)state;
    static const struct {
        unsigned listener;
        const char *method, *path, *name;
        unsigned status;
    } cases[] = {
        {LISTENER_DELIVERY, "POST", "/v1/filter", "filter", 0},
        {LISTENER_DELIVERY, "POST", "/v1/filter/batch", "batch", 0},
        {LISTENER_DELIVERY, "GET", "/healthz", "health", 0},
        {LISTENER_OPERATORS, "POST", "/v1/policy/reload", "reload", 0},
        {LISTENER_OPERATORS, "GET", "/v1/policy", "policy", 0},
        {LISTENER_OPERATORS, "GET", "/v1/record", "record", 0},
        {LISTENER_DELIVERY, "GET", "/v1/record", "none", 404},
        {LISTENER_DELIVERY, "GET", "/v1/filter", "none", 405},
        {LISTENER_DELIVERY, "post", "/v1/filter", "none", 405},
        {LISTENER_DELIVERY, "POST", "/v1/filter/", "none", 404},
        {LISTENER_DELIVERY, "POST", "", "none", 404},
        {LISTENER_DELIVERY, "POST", "/v1/streams", "stream_open", 0},
        {LISTENER_DELIVERY, "POST", "/v1/streams/7/end", "stream_end", 0},
        {LISTENER_DELIVERY, "GET", "/v1/streams/7/end", "none", 405},
        {LISTENER_DELIVERY, "POST", "/v1/streams/7", "none", 404},
        {LISTENER_DELIVERY, "POST", "/v1/streams/7/", "none", 404},
        {LISTENER_DELIVERY, "POST", "/v1/streams//end", "none", 404},
        {LISTENER_DELIVERY, "POST", "/v1/streams/7/end/", "none", 404},
        {LISTENER_DELIVERY, "POST", "/v1/streams/7/8/end", "none", 404},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct route_match m = route_find(cases[i].listener, cases[i].method, cases[i].path);
        assert_int_equal(m.status, cases[i].status);
        assert_string_equal(m.route->name, cases[i].name);
    }
}

static void the_part_in_braces_is_the_parameter(void **state)
{
    (void)state;
    struct route_match m = route_find(LISTENER_DELIVERY, "POST", "/v1/streams/{id}%20x/chunks");

    assert_string_equal(m.route->name, "stream_chunk");
    assert_true(span_is(m.parameter, "{id}%20x"));
    assert_int_equal(route_find(LISTENER_DELIVERY, "POST", "/v1/filter").parameter.len, 0);
    assert_int_equal(route_find(LISTENER_DELIVERY, "GET", "/v1/streams/7/end").parameter.len, 0);
}

static void names_of_agents_may_hold_slashes(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *route, *name;
    } cases[] = {
        {"GET", "/v1/agents/one", "agent", "one"},
        {"GET", "/v1/agents/team/one", "agent", "team/one"},
        {"GET", "/v1/agents/team/kill", "agent", "team/kill"},
        {"GET", "/v1/agents//", "agent", "/"},
        {"POST", "/v1/agents/one/kill", "agent_kill", "one"},
        {"POST", "/v1/agents/team/one/kill", "agent_kill", "team/one"},
        {"POST", "/v1/agents/team/revive/kill", "agent_kill", "team/revive"},
        {"POST", "/v1/agents/../revive", "agent_revive", ".."},
        {"POST", "/v1/agents/kill/kill", "agent_kill", "kill"},
        {"POST", "/v1/agents//kill", "none", ""},
        {"POST", "/v1/agents/kill", "none", ""},
        {"GET", "/v1/agents/", "none", ""},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct route_match m = route_find(LISTENER_OPERATORS, cases[i].method, cases[i].path);
        assert_string_equal(m.route->name, cases[i].route);
        assert_true(span_is(m.parameter, cases[i].name));
    }
}

static void a_path_that_cannot_be_decoded_exactly_is_malformed(void **state)
{
    (void)state;
    static const char *const good[] = {"/", "", "/a%2Fb", "/a%2fb%25", "/%252F", "/a?b=%zz&c=%00", "*"};
    static const char *const bad[] = {"/%", "/a%2", "/%zz", "/%2g", "/%%41", "/a%00b", "/%?41", "/a%/b?c"};

    for (size_t i = 0; i < COUNT(good); i++) {
        assert_false(route_is_malformed(good[i]));
    }
    for (size_t i = 0; i < COUNT(bad); i++) {
        assert_true(route_is_malformed(bad[i]));
    }
}

static void callers_see_nothing_of_the_operators_routes(void **state)
{
    (void)state;
    static const char *const paths[] = {"/v1/policy", "/v1/policy/reload", "/v1/rules"};
    static const char *const methods[] = {"GET", "POST"};

    for (size_t i = 0; i < COUNT(paths); i++) {
        for (size_t k = 0; k < COUNT(methods); k++) {
            assert_int_equal(route_find(LISTENER_DELIVERY, methods[k], paths[i]).status, 404);
        }
    }
}

static void indexes_and_names_belong_together(void **state)
{
    (void)state;
    unsigned n = 0;
    const char *const *names = route_names(&n);
    const struct route *r = route_find(LISTENER_DELIVERY, "GET", "/readyz").route;

    assert_true(route_index(r) < n);
    assert_string_equal(names[route_index(r)], r->name);
    assert_string_equal(names[0], "none");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_route_is_found_by_method_and_path),
        cmocka_unit_test(the_part_in_braces_is_the_parameter),
        cmocka_unit_test(names_of_agents_may_hold_slashes),
        cmocka_unit_test(a_path_that_cannot_be_decoded_exactly_is_malformed),
        cmocka_unit_test(callers_see_nothing_of_the_operators_routes),
        cmocka_unit_test(indexes_and_names_belong_together),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
