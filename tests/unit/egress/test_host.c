#include "testing.h"

#include "jail/egress/wire/host.h"

static const struct {
    const char *text, *canonical; /* NULL: refused */
} hosts[] = {
    {"example.com", "example.com"},
    {"EXAMPLE.Com", "example.com"},
    {"a", "a"},
    {"xn--bcher-kva.example", "xn--bcher-kva.example"},
    {"1.example", "1.example"},
    {"93.184.216.34", "93.184.216.34"},
    {"[::1]", "::1"},
    {"[0:0:0:0:0:0:0:1]", "::1"},
    {"[::FFFF:7f00:1]", "::ffff:127.0.0.1"},
    {"", NULL},
    {".", NULL},
    {"example.com.", NULL},
    {".example.com", NULL},
    {"a..b", NULL},
    {"-a.example", NULL},
    {"a-.example", NULL},
    {"a_b.example", NULL},
    {"b\xc3\xbc" "cher.example", NULL},
    {"example.com%00", NULL},
    {"example.com%2e", NULL},
    {"user@example.com", NULL},
    {"example.com:80", NULL},
    {"example.com/", NULL},
    {"example com", NULL},
    {"127.1", NULL},
    {"127.0.0.01", NULL},
    {"0177.0.0.1", NULL},
    {"2130706433", NULL},
    {"0x7f000001", NULL},
    {"0x7f.0.0.1", NULL},
    {"a.0x7F", NULL},
    {"a.0x", NULL},
    {"1.2.3.4.5", NULL},
    {"256.1.1.1", NULL},
    {"::1", NULL},
    {"[::1", NULL},
    {"[]", NULL},
    {"[1.2.3.4]", NULL},
    {"[fe80::1%eth0]", NULL},
    {"*.example.com", NULL},
};

static void hosts_have_one_form(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(hosts); i++) {
        struct egress_host host;
        struct error err;
        bool is_host = egress_host_read(span_str(hosts[i].text), &host, &err);
        assert_int_equal(is_host, hosts[i].canonical != NULL);
        if (is_host) {
            assert_string_equal(host.text, hosts[i].canonical);
        }
    }
}

static void nul_bytes_are_no_part_of_a_host(void **state)
{
    static const char *const texts[] = {"evil\0.example.com", "1.2.3.4\0", "[::1\0]"};
    static const size_t lengths[] = {17, 8, 6};
    struct egress_host host;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_false(egress_host_read(span_of(texts[i], lengths[i]), &host, &err));
    }
}

static void lengths_are_bounded(void **state)
{
    char text[512];
    struct egress_host host;
    struct error err;

    (void)state;
    memset(text, 'a', sizeof(text));
    assert_true(egress_host_read(span_of(text, EGRESS_LABEL_MAX), &host, &err));
    assert_false(egress_host_read(span_of(text, EGRESS_LABEL_MAX + 1), &host, &err));
    for (size_t i = 1; i < sizeof(text); i += 2) {
        text[i] = '.';
    }
    assert_true(egress_host_read(span_of(text, EGRESS_HOST_MAX), &host, &err));
    assert_int_equal(strlen(host.text), EGRESS_HOST_MAX);
    assert_false(egress_host_read(span_of(text, EGRESS_HOST_MAX + 2), &host, &err));
}

static const struct {
    const char *pattern, *host;
    bool matches;
} matches[] = {
    {"example.com", "example.com", true},
    {"example.com", "EXAMPLE.com", true},
    {"Example.com", "example.com", true},
    {"example.com", "a.example.com", false},
    {"example.com", "example.com.evil.test", false},
    {"*.example.com", "a.example.com", true},
    {"*.example.com", "a.b.example.com", true},
    {"*.example.com", "example.com", false},
    {"*.example.com", "aexample.com", false},
    {"*.example.com", "evil-example.com", false},
    {"127.0.0.1", "127.0.0.1", true},
    {"[::1]", "[0::1]", true},
    {"127.0.0.1", "[::ffff:7f00:1]", false},
};

static void suffixes_match_whole_labels_below_them(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(matches); i++) {
        struct egress_host_pattern pattern;
        struct egress_host host;
        struct error err;
        assert_true(egress_host_pattern_read(span_str(matches[i].pattern), &pattern, &err));
        assert_true(egress_host_read(span_str(matches[i].host), &host, &err));
        assert_int_equal(egress_host_matches(&pattern, &host), matches[i].matches);
    }
}

static void patterns_are_narrow(void **state)
{
    static const char *const wrong[] = {"*",         "*.",         "*.com",    "a.*.example.com", "*example.com",
                                        "*.*.a.com", "example.*", "*.1.2.3.4", "*.[::1]",         "**.example.com"};
    struct egress_host_pattern pattern;
    struct error err;

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        assert_false(egress_host_pattern_read(span_str(wrong[i]), &pattern, &err));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_have_one_form),
        cmocka_unit_test(nul_bytes_are_no_part_of_a_host),
        cmocka_unit_test(lengths_are_bounded),
        cmocka_unit_test(suffixes_match_whole_labels_below_them),
        cmocka_unit_test(patterns_are_narrow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
