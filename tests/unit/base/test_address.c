#include "testing.h"

#include "base/address.h"

static const struct {
    const char *text;
    bool is_right, is_local;
} cases[] = {
    {"127.0.0.1:8470", true, true},
    {"127.200.0.1:1", true, true},
    {"[::1]:8470", true, true},
    {"unix:/run/filterd/x.sock", true, true},
    {"none", true, true},
    {"0.0.0.0:8470", true, false},
    {"[::]:0", true, false},
    {"10.0.0.1:65535", true, false},
    {"", false, false},
    {"localhost:8470x", false, false},
    {"localhost:", false, false},
    {"localhost", false, false},
    {"localhost.example:8470", false, false},
    {"84700", false, false},
    {"-1", false, false},
    {"8470 ", false, false},
    {"127.0.0.1", false, false},
    {"127.0.0.1:", false, false},
    {"127.0.0.1:65536", false, false},
    {"127.0.0.1:-1", false, false},
    {"127.0.0.1:080000", false, false},
    {"127.0.0.1:8470x", false, false},
    {"::1:8470", false, false},
    {"[::1:8470", false, false},
    {"[]:1", false, false},
    {"[", false, false},
    {":1", false, false},
    {"unix:relative", false, false},
    {"unix:", false, false},
};

static void addresses_are_read_strictly(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address a;
        struct error err;
        bool is_right = address_parse(cases[i].text, &a, &err);
        if (is_right != cases[i].is_right ||
            (is_right && address_is_local(&a) != cases[i].is_local)) {
            fail_msg("%s", cases[i].text);
        }
        if (!is_right && strstr(err.text, cases[i].text) == NULL) {
            fail_msg("%s: %s", cases[i].text, err.text);
        }
    }
}

static void a_port_alone_and_localhost_are_loopback(void **state)
{
    static const char *const texts[] = {"8470", "localhost:8470"};

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct address a;
        struct error err;
        char text[ADDRESS_TEXT];
        assert_true(address_parse(texts[i], &a, &err));
        assert_true(address_is_local(&a));
        address_text(&a, text);
        assert_string_equal(text, "127.0.0.1:8470");
    }
}

static void an_address_reads_back_as_it_was_written(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct address a;
        struct error err;
        char text[ADDRESS_TEXT];
        if (cases[i].is_right && address_parse(cases[i].text, &a, &err)) {
            address_text(&a, text);
            assert_string_equal(text, cases[i].text);
        }
    }
}

static void a_path_longer_than_a_socket_address_is_refused(void **state)
{
    (void)state;
    char text[256] = "unix:/";
    struct address a;
    struct error err;

    memset(text + 6, 'a', sizeof(text) - 7);
    text[sizeof(text) - 1] = '\0';
    assert_false(address_parse(text, &a, &err));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_are_read_strictly),
        cmocka_unit_test(a_port_alone_and_localhost_are_loopback),
        cmocka_unit_test(an_address_reads_back_as_it_was_written),
        cmocka_unit_test(a_path_longer_than_a_socket_address_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
