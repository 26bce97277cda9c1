#include "testing.h"

#include <arpa/inet.h>
#include <sys/un.h>

#include "base/span.h"
#include "jail/egress/address.h"

static const struct {
    const char *text;
    unsigned classes;
} cases[] = {
    {"93.184.216.34", 0},
    {"8.8.8.8", 0},
    {"9.255.255.255", 0},
    {"11.0.0.0", 0},
    {"100.63.255.255", 0},
    {"100.128.0.0", 0},
    {"126.255.255.255", 0},
    {"172.15.255.255", 0},
    {"172.32.0.0", 0},
    {"223.255.255.255", 0},
    {"2606:4700::1111", 0},
    {"2a00:1450:4001::200e", 0},
    {"0.0.0.0", EGRESS_RESERVED},
    {"0.1.2.3", EGRESS_RESERVED},
    {"10.0.0.1", EGRESS_PRIVATE},
    {"172.16.0.1", EGRESS_PRIVATE},
    {"172.31.255.255", EGRESS_PRIVATE},
    {"192.168.1.1", EGRESS_PRIVATE},
    {"127.0.0.1", EGRESS_LOOPBACK},
    {"127.255.255.254", EGRESS_LOOPBACK},
    {"100.64.0.1", EGRESS_SHARED},
    {"100.127.255.255", EGRESS_SHARED},
    {"100.100.100.200", EGRESS_SHARED | EGRESS_METADATA},
    {"169.254.1.1", EGRESS_LINK_LOCAL},
    {"169.254.169.254", EGRESS_LINK_LOCAL | EGRESS_METADATA},
    {"169.254.170.2", EGRESS_LINK_LOCAL | EGRESS_METADATA},
    {"168.63.129.16", EGRESS_METADATA},
    {"168.63.129.17", 0},
    {"192.0.0.192", EGRESS_RESERVED | EGRESS_METADATA},
    {"192.0.2.1", EGRESS_RESERVED},
    {"198.18.0.1", EGRESS_RESERVED},
    {"198.19.255.255", EGRESS_RESERVED},
    {"198.51.100.7", EGRESS_RESERVED},
    {"203.0.113.7", EGRESS_RESERVED},
    {"224.0.0.1", EGRESS_MULTICAST},
    {"239.255.255.255", EGRESS_MULTICAST},
    {"240.0.0.1", EGRESS_RESERVED},
    {"255.255.255.255", EGRESS_RESERVED},
    {"::", EGRESS_RESERVED},
    {"::1", EGRESS_LOOPBACK},
    {"fe80::1", EGRESS_LINK_LOCAL},
    {"fec0::1", EGRESS_PRIVATE},
    {"fc00::1", EGRESS_PRIVATE},
    {"fd12:3456::1", EGRESS_PRIVATE},
    {"fd00:ec2::254", EGRESS_PRIVATE | EGRESS_METADATA},
    {"fd20:ce::254", EGRESS_PRIVATE | EGRESS_METADATA},
    {"ff02::1", EGRESS_MULTICAST},
    {"2001:db8::1", EGRESS_RESERVED},
    {"3fff::1", EGRESS_RESERVED},
    {"100::1", EGRESS_RESERVED},
    {"4000::1", EGRESS_RESERVED},
    {"::ffff:93.184.216.34", EGRESS_EMBEDDED},
    {"::ffff:127.0.0.1", EGRESS_EMBEDDED | EGRESS_LOOPBACK},
    {"::ffff:169.254.169.254", EGRESS_EMBEDDED | EGRESS_LINK_LOCAL | EGRESS_METADATA},
    {"::ffff:0:10.0.0.1", EGRESS_EMBEDDED | EGRESS_PRIVATE},
    {"::10.0.0.1", EGRESS_EMBEDDED | EGRESS_PRIVATE},
    {"64:ff9b::8.8.8.8", EGRESS_EMBEDDED},
    {"64:ff9b::10.0.0.1", EGRESS_EMBEDDED | EGRESS_PRIVATE},
    {"64:ff9b:1::8.8.8.8", EGRESS_EMBEDDED | EGRESS_PRIVATE},
    {"2002:5db8:d822::1", EGRESS_EMBEDDED},
    {"2002:7f00:1::1", EGRESS_EMBEDDED | EGRESS_LOOPBACK},
    {"2002:a9fe:a9fe::", EGRESS_EMBEDDED | EGRESS_LINK_LOCAL | EGRESS_METADATA},
    {"2001:0:4136:e378:8000:63bf:f5ff:fffe", EGRESS_EMBEDDED | EGRESS_RESERVED | EGRESS_PRIVATE},
    {"2a00:1450::5efe:10.0.0.1", EGRESS_EMBEDDED | EGRESS_PRIVATE},
    {"2a00:1450::200:5efe:8.8.8.8", EGRESS_EMBEDDED},
};

static struct sockaddr_storage socket_of(const char *text)
{
    struct sockaddr_storage a = {0};
    bool is_v6 = strchr(text, ':') != NULL;

    a.ss_family = is_v6 ? AF_INET6 : AF_INET;
    void *bytes = is_v6 ? (void *)&((struct sockaddr_in6 *)&a)->sin6_addr : (void *)&((struct sockaddr_in *)&a)->sin_addr;
    assert_int_equal(inet_pton(a.ss_family, text, bytes), 1);
    return a;
}

static void addresses_have_their_classes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sockaddr_storage a = socket_of(cases[i].text);
        unsigned classes = egress_address_classes((struct sockaddr *)&a);
        if (classes != cases[i].classes) {
            fail_msg("%s: classes %#x, expected %#x", cases[i].text, classes, cases[i].classes);
        }
    }
}

static void nothing_but_public_addresses_pass_by_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct sockaddr_storage a = socket_of(cases[i].text);
        struct error err = {0};
        assert_int_equal(egress_address_check((struct sockaddr *)&a, 0, &err), cases[i].classes == 0);
    }
}

static void a_rule_must_name_every_class(void **state)
{
    struct sockaddr_storage a = socket_of("169.254.169.254");
    struct error err = {0};

    (void)state;
    assert_false(egress_address_check((struct sockaddr *)&a, EGRESS_LINK_LOCAL, &err));
    assert_string_equal(err.text, "the address is metadata");
    assert_false(egress_address_check((struct sockaddr *)&a, EGRESS_METADATA, &err));
    assert_string_equal(err.text, "the address is link_local");
    assert_true(egress_address_check((struct sockaddr *)&a, EGRESS_METADATA | EGRESS_LINK_LOCAL, &err));
}

static void other_families_lead_nowhere(void **state)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    struct error err;
    char text[EGRESS_ADDRESS_TEXT];

    (void)state;
    assert_false(egress_address_check((struct sockaddr *)&local, EGRESS_LOOPBACK | EGRESS_PRIVATE, &err));
    egress_address_print((struct sockaddr *)&local, text);
    assert_string_equal(text, "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(addresses_have_their_classes),
        cmocka_unit_test(nothing_but_public_addresses_pass_by_default),
        cmocka_unit_test(a_rule_must_name_every_class),
        cmocka_unit_test(other_families_lead_nowhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
