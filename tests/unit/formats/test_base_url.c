#include "testing.h"

#include "formats/base_url.h"

static struct arena arena;
static struct error err;

struct service {
    const char *url;
    unsigned port;
};
static const struct field field = {"k", &field_url, FIELD_URL_AT(struct service, url, port), .is_required = true};
static const struct field_reader reader = {.arena = &arena};

static struct yaml_node *value_of(const char *yaml)
{
    struct yaml_node *root = NULL;

    arena_deinit(&arena);
    arena_init(&arena, 0, 1 << 20);
    assert_true(yaml_parse(&arena, "f.yaml", span_str(yaml), &root, &err));
    return root->first;
}

static int tear_down(void **state)
{
    (void)state;
    arena_deinit(&arena);
    return 0;
}

static void a_base_is_scheme_host_port_and_path(void **state)
{
    (void)state;
    static const struct {
        const char *yaml, *base; /* NULL: refused */
        unsigned port;
    } cases[] = {
        {"k: https://a.test", "https://a.test", 443},
        {"k: http://a.test/v1//", "http://a.test/v1", 80},
        {"k: 'http://[::1]:8080/x'", "http://[::1]:8080/x", 8080},
        {"k: a.test", NULL, 0},
        {"k: file:///etc/passwd", NULL, 0},
        {"k: http://", NULL, 0},
        {"k: http://user@a.test", NULL, 0},
        {"k: http://:secret@a.test", NULL, 0},
        {"k: http://a.test?", NULL, 0},
        {"k: http://a.test?a=b", NULL, 0},
        {"k: 'http://a.test#b'", NULL, 0},
        {"k: http://a.test/a b", NULL, 0},
        {"k: ''", NULL, 0},
        {"k: https://b\xc3\xbc""cher.example/v1/", "https://xn--bcher-kva.example/v1", 443},
        {"k: 'https://B\xc3\x9c""CHER.example:8443'", "https://xn--bcher-kva.example:8443", 8443},
        {"k: https://\xe4\xbe\x8b\xe3\x81\x88.test", "https://xn--r8jz45g.test", 443},
        {"k: https://a.test/b\xc3\xbc""cher", NULL, 0},
        {"k: https://a\xef\xbf\xbd.test", NULL, 0},
        {"k: [http://a.test]", NULL, 0},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct service service = {.url = "untouched"};
        const struct yaml_node *node = value_of(cases[i].yaml);
        assert_int_equal(field_url.read(&reader, &field, node, &service, &err), cases[i].base != NULL);
        assert_string_equal(service.url, cases[i].base != NULL ? cases[i].base : "untouched");
        assert_int_equal(service.port, cases[i].port);
        if (cases[i].base == NULL) {
            assert_non_null(strstr(err.text, "f.yaml:1:4: "));
            assert_null(strstr(err.text, "secret"));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_base_is_scheme_host_port_and_path, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
