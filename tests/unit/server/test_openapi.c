#include "testing.h"

#include <jansson.h>
#include <stdio.h>

#include "server/routes.h"
#include "service/access.h"

enum { PATH_BYTES = 256, ROUTES = 128 };

static json_t *read_paths(json_t **document)
{
    *document = json_load_file("packaging/openapi.json", JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(*document);
    return json_object_get(*document, "paths");
}

/* A path that the template means: 1 in place of each pair of braces. */
static void fill(const char *template, char path[PATH_BYTES])
{
    size_t n = 0;

    for (const char *c = template; *c != '\0' && n + 1 < PATH_BYTES; c++) {
        if (*c == '{') {
            c = strchr(c, '}');
            path[n++] = '1';
        } else {
            path[n++] = *c;
        }
    }
    path[n] = '\0';
}

static bool has_text(const json_t *list, const char *text)
{
    const json_t *item;
    size_t i;

    json_array_foreach((json_t *)(uintptr_t)list, i, item) {
        if (strcmp(json_string_value(item), text) == 0) {
            return true;
        }
    }
    return false;
}

static void expect_listeners(const json_t *operation, const struct route *route)
{
    const json_t *listeners = json_object_get(operation, "x-listeners");

    assert_int_equal(has_text(listeners, "callers"), (route->listeners & LISTENER_DELIVERY) != 0);
    assert_int_equal(has_text(listeners, "operators"), (route->listeners & LISTENER_OPERATORS) != 0);
}

/* No token is needed where the document says so; otherwise these roles, and the admin. */
static void expect_roles(const json_t *operation, const struct route *route)
{
    static const unsigned all[] = {ROLE_CALLER, ROLE_REVIEWER, ROLE_OPERATOR, ROLE_REPORTER, ROLE_AUDITOR, ROLE_APPROVER};
    const json_t *roles = json_object_get(operation, "x-roles");

    if (route->roles == 0 || (route->roles & ACCESS_PAGE) != 0) {
        assert_null(roles);
        assert_int_equal(json_array_size(json_object_get(operation, "security")), 0);
        return;
    }
    assert_true(has_text(roles, "admin"));
    for (size_t i = 0; i < COUNT(all); i++) {
        assert_int_equal(has_text(roles, role_name(all[i])), (route->roles & all[i]) != 0);
    }
}

static void expect_bodies(const json_t *operation, const struct route *route)
{
    static const struct {
        unsigned bit;
        const char *type;
    } kinds[] = {{BODY_JSON, "application/json"}, {BODY_PLAIN, "text/plain"}, {BODY_NDJSON, "application/x-ndjson"},
                 {BODY_FORM, "application/x-www-form-urlencoded"}};
    const json_t *body = json_object_get(operation, "requestBody");
    const json_t *content = json_object_get(body, "content");
    size_t n = 0;

    for (size_t i = 0; i < COUNT(kinds); i++) {
        bool is_taken = (route->bodies & kinds[i].bit) != 0;
        assert_int_equal(json_object_get(content, kinds[i].type) != NULL, is_taken);
        n += is_taken ? 1 : 0;
    }
    assert_int_equal(json_object_size(content), n);
    assert_int_equal(json_is_true(json_object_get(body, "required")), n > 0 && (route->bodies & BODY_ABSENT) == 0);
}

static const struct route *find(const char *method, const char *path, const struct route *wanted)
{
    char upper[8] = "";

    for (size_t i = 0; method[i] != '\0' && i + 1 < sizeof(upper); i++) {
        upper[i] = (char)(method[i] & ~0x20);
    }
    return route_find(wanted->listeners, upper, path).route;
}

static const struct route *named(const char *name)
{
    const struct route *route;

    for (unsigned i = 0; (route = route_at(i)) != NULL; i++) {
        if (strcmp(route->name, name) == 0) {
            return route;
        }
    }
    return NULL;
}

static void each_operation_is_the_route_that_it_names(void **state)
{
    json_t *document, *item, *operation;
    json_t *paths = read_paths(&document);
    const char *template, *method;
    char path[PATH_BYTES];

    (void)state;
    json_object_foreach(paths, template, item) {
        json_object_foreach(item, method, operation) {
            const struct route *route = named(json_string_value(json_object_get(operation, "x-route")));
            assert_non_null(route);
            fill(template, path);
            assert_ptr_equal(find(method, path, route), route);
            expect_listeners(operation, route);
            expect_roles(operation, route);
            expect_bodies(operation, route);
        }
    }
    json_decref(document);
}

static void each_route_has_an_operation(void **state)
{
    json_t *document, *item, *operation;
    json_t *paths = read_paths(&document);
    const char *template, *method;
    const struct route *route;
    bool is_there[ROUTES] = {false};

    (void)state;
    json_object_foreach(paths, template, item) {
        json_object_foreach(item, method, operation) {
            route = named(json_string_value(json_object_get(operation, "x-route")));
            assert_non_null(route);
            is_there[route_index(route)] = true;
        }
    }
    for (unsigned i = 0; (route = route_at(i)) != NULL; i++) {
        if (!is_there[route_index(route)]) {
            fail_msg("packaging/openapi.json has no operation of route %s", route->name);
        }
    }
    json_decref(document);
}

static void its_version_is_the_programs(void **state)
{
    json_t *document;

    (void)state;
    (void)read_paths(&document);
    assert_string_equal(json_string_value(json_object_get(json_object_get(document, "info"), "version")), FILTERD_VERSION);
    json_decref(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_operation_is_the_route_that_it_names),
        cmocka_unit_test(each_route_has_an_operation),
        cmocka_unit_test(its_version_is_the_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
