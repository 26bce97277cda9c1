/* test_addresses.c - which addresses of a prompt a text may give. */
#include "testing.h"

#include "disclosure/addresses.h"

static const char prompt[] = "Refunds are at https://www.harbour.example/help/refunds-and-returns, (see harbour-help.com/en/articles). Complaints: "
                             "first-contact@harbour.example or +44 (20) 7946 0123. Never open settlement/ledger.py or ledger.rs, version 3.11.";

static struct addresses addresses;

static int set_up(void **state)
{
    struct error err;

    (void)state;
    return addresses_add(&addresses, span_str(prompt), &err) ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    addresses_deinit(&addresses);
    return 0;
}

/* Bytes of the text that are an address, all of the text being copied. */
static size_t given(const char *text)
{
    return addresses_end(&addresses, span_str(text), 0, strlen(text));
}

static void whole_addresses_may_be_given(void **state)
{
    static const char *const whole[] = {
        "https://www.harbour.example/help/refunds-and-returns", "http://harbour.example/help/refunds-and-returns/",
        "//www.harbour.example/help/refunds-and-returns",       "WWW.Harbour.Example/help/refunds-and-returns.",
        "(harbour-help.com/en/articles)",                       "https://harbour-help.com/en/articles",
        "first-contact@harbour.example",                        "mailto:First-Contact@harbour.example",
        "+44 20 7946 0123",                                     "+442079460123"};

    (void)state;
    for (size_t i = 0; i < COUNT(whole); i++) {
        if (given(whole[i]) != strlen(whole[i])) {
            print_error("%s\n", whole[i]);
        }
        assert_int_equal(given(whole[i]), strlen(whole[i]));
    }
}

static void parts_of_them_are_no_addresses(void **state)
{
    static const char *const parts[] = {"ttps://www.harbour.example/help/refunds-and-returns",
                                        "ww.harbour.example/help/refunds-and-returns",
                                        "/www.harbour.example/help/refunds-and-returns",
                                        "https://www.harbour.example/help/refunds",
                                        "https://www.harbour.example/help",
                                        "https://www.harbour.example",
                                        "arbour-help.com/en/articles",
                                        "contact@harbour.example",
                                        "+44 20 7946",
                                        "44 20 7946 0123",
                                        "settlement/ledger.py",
                                        "ledger.py",
                                        "3.11"};

    (void)state;
    for (size_t i = 0; i < COUNT(parts); i++) {
        if (given(parts[i]) != 0) {
            print_error("%s\n", parts[i]);
        }
        assert_int_equal(given(parts[i]), 0);
    }
}

/* What was copied ends where the two links begin to differ. */
static void other_links_of_the_same_host_may_be_given(void **state)
{
    struct span other = span_str("https://www.harbour.example/help/reopening-hours now");
    struct span host = span_str("https://www.harbour.example.evil.example/help");

    (void)state;
    size_t to = strlen("https://www.harbour.example/help/re");
    assert_int_equal(addresses_end(&addresses, other, 0, to), to);
    assert_int_equal(addresses_end(&addresses, host, 0, strlen("https://www.harbour.example")), 0);
    assert_int_equal(addresses_end(&addresses, host, 0, strlen("https://www.harbour")), 0);
    other = span_str("first-contact@harbour.example.org");
    assert_int_equal(addresses_end(&addresses, other, 0, strlen("first-contact@harbour.exam")), 0);
    other = span_str("https://www.harbour.example/help/refunds. Bye");
    assert_int_equal(addresses_end(&addresses, other, 0, strlen("https://www.harbour.example/help/refunds")), 0);
}

static void words_are_looked_at_from_their_beginning(void **state)
{
    const char *text = "xhttps://www.harbour.example/help/refunds-and-returns";

    (void)state;
    assert_int_equal(addresses_end(&addresses, span_str(text), 0, strlen(text)), 0);
    assert_int_equal(addresses_end(&addresses, span_str(text), 1, strlen(text)), 1);
    assert_int_equal(addresses_end(&addresses, span_str("x+44 20 7946 0123"), 1, 17), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_addresses_may_be_given),
        cmocka_unit_test(parts_of_them_are_no_addresses),
        cmocka_unit_test(other_links_of_the_same_host_may_be_given),
        cmocka_unit_test(words_are_looked_at_from_their_beginning),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
