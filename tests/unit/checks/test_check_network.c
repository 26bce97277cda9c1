/* Addresses, domains, URIs, telephone and card numbers. */
#include "check_case.h"

#include "formats/calling_codes.h"
#include "formats/numbering_plan.h"

static struct check_case public_only(const char *name)
{
    struct check_case c = case_of(name);

    case_number(&c, "public", 1);
    return c;
}

static void ipv4_parses_four_numbers(void **state)
{
    (void)state;
    assert_passes("ipv4", "8.8.8.8");
    assert_passes("ipv4", "192.168.0.1");
    assert_fails("ipv4", "256.1.1.1");
    assert_fails("ipv4", "1.2.3");
    assert_fails("ipv4", "1.2.3.4.5");
    assert_fails("ipv4", "");
}

static void ipv4_public_leaves_out_every_special_range(void **state)
{
    static const char *const special[] = {
        "0.1.2.3",     "10.0.0.1",   "100.64.0.1",      "100.127.255.255", "127.0.0.1",
        "169.254.1.1", "172.16.0.1", "172.31.255.1",    "192.0.2.1",       "192.168.1.1",
        "198.18.0.1",  "198.19.0.1", "198.51.100.7",    "203.0.113.9",     "224.0.0.1",
        "239.1.1.1",   "240.0.0.1",  "255.255.255.255",
    };
    struct check_case c = public_only("ipv4");

    (void)state;
    for (size_t i = 0; i < COUNT(special); i++) {
        assert_false(case_passes(&c, special[i]));
    }
    assert_true(case_passes(&c, "8.8.8.8"));
    assert_true(case_passes(&c, "172.32.0.1"));
    assert_true(case_passes(&c, "100.128.0.1"));
}

static void ipv6_public_leaves_out_every_special_range(void **state)
{
    static const char *const special[] = {
        "::1",     "::",          "fe80::1",         "fc00::1",    "fd12:3456::1",
        "ff02::1", "2001:db8::1", "::ffff:10.0.0.1", "64:ff9b::1",
    };
    struct check_case c = public_only("ipv6");

    (void)state;
    for (size_t i = 0; i < COUNT(special); i++) {
        assert_passes("ipv6", special[i]);
        assert_false(case_passes(&c, special[i]));
    }
    assert_true(case_passes(&c, "2606:4700:4700::1111"));
    assert_fails("ipv6", "2606:4700");
    assert_fails("ipv6", "1::2::3");
    assert_fails("ipv6", "12:34:56");
}

static void ipv6_host_leaves_out_the_addresses_of_networks(void **state)
{
    static const char *const networks[] = {"2a0b:4cc0::/48", "2a0b:4cc0::/32", "2a0b:4cc0:1:2::/64", "2a0b:4cc0:1:2::",
                                           "2a0b:4cc0::",    "2a0b:4cc0:1:2:3::/80", "2a0b:4c00::/22"};
    static const char *const hosts[] = {"2a0b:4cc0::7c1/48", "2a0b:4cc0:1:2:3:4:5:6/64", "2a0b:4cc0::1", "2a0b:4cc0:1:2::/128",
                                        "2a0b:4cc0::8/127"};
    static const char *const neither[] = {"2a0b:4cc0::/129", "2a0b:4cc0::1/", "2a0b:4cc0::1/4x", "2a0b:4cc0::1/-1", "2a0b::4cc0::1/48",
                                          "2a0b:4cc0::1/0000"};
    struct check_case c = case_of("ipv6");

    (void)state;
    case_number(&c, "host", 1);
    for (size_t i = 0; i < COUNT(networks); i++) {
        assert_false(case_passes(&c, networks[i]));
    }
    for (size_t i = 0; i < COUNT(hosts); i++) {
        assert_true(case_passes(&c, hosts[i]));
    }
    for (size_t i = 0; i < COUNT(neither); i++) {
        assert_false(case_passes(&c, neither[i]));
    }
    assert_fails("ipv6", "2a0b:4cc0::1/64");
}

static void ipv4_host_leaves_out_the_addresses_of_networks(void **state)
{
    struct check_case c = case_of("ipv4");

    (void)state;
    case_number(&c, "host", 1);
    assert_false(case_passes(&c, "84.17.203.0/24"));
    assert_false(case_passes(&c, "84.16.0.0/12"));
    assert_false(case_passes(&c, "84.17.203.66/33"));
    assert_true(case_passes(&c, "84.17.203.66/24"));
    assert_true(case_passes(&c, "84.17.203.66"));
    assert_true(case_passes(&c, "84.17.203.66/32"));
    assert_true(case_passes(&c, "84.17.203.66/31"));
}

static void mac_address_public_leaves_out_octets_in_order(void **state)
{
    static const char *const ordered[] = {"02:03:04:05:06:07", "00:11:22:33:44:55", "aa-bb-cc-dd-ee-ff", "12:34:56:78:9a:bc",
                                          "fe:dc:ba:98:76:54", "06:05:04:03:02:01", "0211.2233.4455",    "22:22:22:22:22:22",
                                          "d8:00:01:02:03:04", "02:04:06:08:0a:0c"};
    static const char *const cards[] = {"3c:a6:f6:1d:92:e7", "70:88:6b:d2:14:9e", "d8:3a:00:01:02:03", "3c:22:fb:12:34:56"};
    struct check_case c = public_only("mac_address");

    (void)state;
    for (size_t i = 0; i < COUNT(ordered); i++) {
        assert_passes("mac_address", ordered[i]);
        assert_false(case_passes(&c, ordered[i]));
    }
    for (size_t i = 0; i < COUNT(cards); i++) {
        assert_true(case_passes(&c, cards[i]));
    }
}

static void mac_address_keeps_to_one_separator(void **state)
{
    struct check_case c = public_only("mac_address");

    (void)state;
    assert_passes("mac_address", "3c:22:fb:12:34:56");
    assert_passes("mac_address", "3C-22-FB-12-34-56");
    assert_passes("mac_address", "3c22.fb12.3456");
    assert_fails("mac_address", "3c:22-fb:12:34:56");
    assert_fails("mac_address", "3c:22:fb:12:34");
    assert_fails("mac_address", "3c:22:fb:12:34:56:78");
    assert_fails("mac_address", "3c22fb123456");
    assert_true(case_passes(&c, "3c:22:fb:12:34:56"));
    assert_false(case_passes(&c, "ff:ff:ff:ff:ff:ff"));
    assert_false(case_passes(&c, "00:00:00:00:00:00"));
    assert_false(case_passes(&c, "00:00:5e:00:53:01"));
}

static void domain_ends_in_a_known_label_that_ends_no_files(void **state)
{
    (void)state;
    assert_passes("domain", "mail.acme.com");
    assert_passes("domain", "wp.pl");
    assert_passes("domain", "acme.co.uk.");
    assert_passes("domain", "bücher.de");
    assert_passes("domain", "xn--bcher-kva.xn--p1ai");
    assert_passes("domain", "jane@acme.rs");
    assert_fails("domain", "main.rs");
    assert_fails("domain", "setup.py");
    assert_fails("domain", "README.md");
    assert_fails("domain", "deploy.sh");
    assert_fails("domain", "logo@2x.png");
    assert_fails("domain", "obj.property");
    assert_fails("domain", "com");
    assert_fails("domain", ".com");
    assert_fails("domain", "a..com");
    assert_fails("domain", "-a.com");
    assert_fails("domain", "");
}

static void uri_password_must_be_one_and_its_host_no_example(void **state)
{
    (void)state;
    assert_passes("uri_password", "postgres://app:k8Jx2Lq9@db.acme.io:5432/prod");
    assert_passes("uri_password", "mongodb+srv://app:k8J@x2Lq9@cluster0.acme.net/?w=1");
    assert_passes("uri_password", "redis://:k8Jx2Lq9@10.1.2.3:6379");
    assert_fails("uri_password", "postgres://app:k8Jx2Lq9@localhost:5432/prod");
    assert_fails("uri_password", "postgres://app:k8Jx2Lq9@db.example.com/prod");
    assert_fails("uri_password", "postgres://app:password@db.acme.io/prod");
    assert_fails("uri_password", "postgres://postgres:postgres@db.acme.io/prod");
    assert_fails("uri_password", "mongodb://oplog_reader:oplog_reader_password@db.acme.io/local");
    assert_fails("uri_password", "postgres://reader:readerpw@db.acme.io/prod");
    assert_passes("uri_password", "postgres://reader:reader_k8Jx2@db.acme.io/prod");
    assert_fails("uri_password", "postgres://app:${DB_PASSWORD}@db.acme.io/prod");
    assert_fails("uri_password", "postgres://app:<password>@db.acme.io/prod");
    assert_fails("uri_password", "https://db.acme.io:5432/a@b");
    assert_fails("uri_password", "https://app@acme.io/");
    assert_fails("uri_password", "app:k8Jx2Lq9@acme.io");
}

static void phone_knows_codes_and_lengths(void **state)
{
    (void)state;
    assert_passes("phone", "+1 (415) 555-2671"); /* ITU-T E.164's own examples are of this form */
    assert_passes("phone", "+44 20 7946 0958");
    assert_passes("phone", "+44 (0)20 7946 0958 ext. 12");
    assert_passes("phone", "0049 30 123456");
    assert_passes("phone", "011 49 30 123456");
    assert_passes("phone", "+354 555 1234");
    assert_fails("phone", "+1 115 555 2671"); /* no area begins with 1 */
    assert_fails("phone", "+1 415 555 267");
    assert_fails("phone", "+210 123456789"); /* no such code */
    assert_fails("phone", "+33 1 23 45 67 8");
    assert_fails("phone", "+49 00000000");
    assert_fails("phone", "+49 30 12a456");
    assert_fails("phone", "+");
}

static void phone_plan_knows_first_digits_too(void **state)
{
    (void)state;
    assert_passes("phone_plan", "+1 (415) 734-2918");
    assert_passes("phone_plan", "+44 20 8943 6172");
    assert_passes("phone_plan", "+49 (0)89 4477 1926 ext. 12");
    assert_passes("phone_plan", "0033 6 27 94 18 53");
    assert_passes("phone_plan", "+86 139 2274 8165");
    assert_passes("phone_plan", "+39 02 4827 1936"); /* Italy keeps its 0 */
    assert_passes("phone_plan", "+800 4827 1936");   /* of no country */
    assert_passes("phone_plan", "+1 310-1617");      /* a service of Canada, without an area */
    assert_fails("phone_plan", "+33 0627941853");    /* no number begins with 0 */
    assert_fails("phone_plan", "+44 60 8943 6172");  /* 6 is not given out */
    assert_fails("phone_plan", "+86 199 2274 816");  /* a mobile number is longer */
    assert_fails("phone_plan", "+34 427 941 853");
    assert_fails("phone_plan", "+1 115 734 2918");
    assert_fails("phone_plan", "+49 8");
    assert_fails("phone_plan", "+999 4477 1926");
    assert_fails("phone_plan", "+45 22222222");
    assert_fails("phone_plan", "");
}

/* Both tables are sorted and speak of the same codes. */
static void every_plan_has_a_calling_code(void **state)
{
    (void)state;
    assert_true(numbering_rows_n > 1000);
    for (size_t i = 0; i < numbering_rows_n; i++) {
        const struct numbering_row *row = &numbering_rows[i];
        uint8_t digits[3] = {0};
        size_t n = row->code >= 100 ? 3 : row->code >= 10 ? 2 : 1;
        unsigned rest = row->code;
        for (size_t k = n; k-- > 0; rest /= 10) {
            digits[k] = (uint8_t)(rest % 10);
        }
        const struct calling_code *code = calling_code_find(digits, n);
        assert_non_null(code);
        assert_int_equal(code->code, row->code);
        assert_true(row->first <= row->last && row->last < 100 && row->lengths != 0);
        assert_true(i == 0 || row[-1].code < row->code || (row[-1].code == row->code && row[-1].last < row->first));
    }
}

static void card_issuer_knows_ranges_and_lengths(void **state)
{
    /* The payment networks' published test numbers. */
    static const char *const valid[] = {
        "4111 1111 1111 1111", "5555-5555-5555-4444", "378282246310005",
        "6011111111111117",    "3530111333300000",    "30569309025904",
        "2223003122003222",    "6200000000000005",    "4222222222222",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(valid); i++) {
        assert_passes("card_issuer", valid[i]);
    }
    assert_fails("card_issuer", "4111111111111112");
    assert_fails("card_issuer", "5105105105105100000"); /* no length of Mastercard */
    assert_fails("card_issuer", "1111111111111117");    /* no issuer */
    assert_fails("card_issuer", "0000000000000000");
    assert_fails("card_issuer", "49927398716"); /* Luhn holds, eleven digits */
    struct check_case c = case_of("card_issuer");
    assert_int_equal(count_digit_changes_passing(&c, "378282246310005"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ipv4_parses_four_numbers),
        cmocka_unit_test(ipv4_public_leaves_out_every_special_range),
        cmocka_unit_test(ipv6_public_leaves_out_every_special_range),
        cmocka_unit_test(ipv6_host_leaves_out_the_addresses_of_networks),
        cmocka_unit_test(ipv4_host_leaves_out_the_addresses_of_networks),
        cmocka_unit_test(mac_address_public_leaves_out_octets_in_order),
        cmocka_unit_test(mac_address_keeps_to_one_separator),
        cmocka_unit_test(domain_ends_in_a_known_label_that_ends_no_files),
        cmocka_unit_test(uri_password_must_be_one_and_its_host_no_example),
        cmocka_unit_test(phone_knows_codes_and_lengths),
        cmocka_unit_test(phone_plan_knows_first_digits_too),
        cmocka_unit_test(every_plan_has_a_calling_code),
        cmocka_unit_test(card_issuer_knows_ranges_and_lengths),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
