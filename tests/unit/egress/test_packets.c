#include "testing.h"

#include "jail/egress/packets.h"

static const uint16_t taken[] = {80, 443};
static struct egress_packet packet;

static bool reads(const char *bytes, size_t n)
{
    return egress_packet_read(span_of(bytes, n), taken, COUNT(taken), &packet);
}

/* 203.0.113.9, from and to the ports; the rest of the heads does not matter. */
#define V4(protocol, from, to)                                                                                         \
    "\x45\0\0\x28\0\0\0\0\x40" protocol "\0\0\x0a\0\0\x01\xcb\0\x71\x09" from to "\0\0\0\0"
/* 2001:db8::9 */
#define V6(protocol, from, to)                                                                                         \
    "\x60\0\0\0\0\x14" protocol "\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x20\x01\x0d\xb8\0\0\0\0\0\0\0\0\0\0\0\x09" from to
#define READS(bytes) reads((bytes), sizeof(bytes) - 1)

static void a_packet_says_what_it_is_and_where_it_goes(void **state)
{
    (void)state;
    assert_true(READS(V4("\x06", "\x80\x01", "\x11\x5c")));
    assert_string_equal(packet.kind, "tcp");
    assert_int_equal(packet.port, 4444);
    assert_string_equal(packet.to, "203.0.113.9");
    assert_true(READS(V4("\x11", "\x80\x01", "\x01\xbb")));
    assert_string_equal(packet.kind, "udp");
    assert_int_equal(packet.port, 443);
    assert_true(READS(V6("\x11", "\x80\x01", "\x01\xbb")));
    assert_string_equal(packet.to, "2001:db8::9");
    assert_true(READS(V6("\x06", "\x80\x01", "\x11\x5c")));
    assert_int_equal(packet.port, 4444);
}

static void other_protocols_have_no_port(void **state)
{
    (void)state;
    assert_true(READS(V4("\x01", "\x08\0", "\0\0")));
    assert_string_equal(packet.kind, "icmp");
    assert_int_equal(packet.port, 0);
    assert_true(READS(V6("\x3a", "\x80\0", "\0\0")));
    assert_string_equal(packet.kind, "icmp");
    assert_true(READS(V4("\x84", "\x80\x01", "\x11\x5c")));
    assert_string_equal(packet.kind, "ip");
}

static void what_is_recorded_as_a_connection_or_a_question_is_not_recorded_again(void **state)
{
    (void)state;
    assert_false(READS(V4("\x06", "\x80\x01", "\x01\xbb")));
    assert_false(READS(V4("\x06", "\x80\x01", "\0\x35")));
    assert_false(READS(V4("\x11", "\x80\x01", "\0\x35")));
    assert_false(READS(V4("\x11", "\0\x35", "\x80\x01"))); /* our answer */
}

static void the_length_of_the_head_is_heeded(void **state)
{
    static const char options[] = "\x46\0\0\x2c\0\0\0\0\x40\x06\0\0\x0a\0\0\x01\xcb\0\x71\x09\x01\x01\x01\x01\x80\x01\x11\x5c";

    (void)state;
    assert_true(READS(options));
    assert_int_equal(packet.port, 4444);
}

static void what_is_no_packet_is_left_alone(void **state)
{
    static const char loopback[] =
        "\x60\0\0\0\0\x14\x11\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\x01\x80\x01\x01\xbb";

    (void)state;
    assert_false(reads("", 0));
    assert_false(READS("\x45"));
    assert_false(READS("\x55 and twenty bytes more of nothing"));
    assert_false(READS("\x41 and twenty bytes more of nothing")); /* a head of four bytes */
    assert_false(READS("\x60 and twenty bytes more of nothing"));
    assert_false(READS(loopback));
    assert_true(reads(V4("\x06", "", ""), 20)); /* cut off behind the head */
    assert_int_equal(packet.port, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_packet_says_what_it_is_and_where_it_goes),
        cmocka_unit_test(other_protocols_have_no_port),
        cmocka_unit_test(what_is_recorded_as_a_connection_or_a_question_is_not_recorded_again),
        cmocka_unit_test(the_length_of_the_head_is_heeded),
        cmocka_unit_test(what_is_no_packet_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
