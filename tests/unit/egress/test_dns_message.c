#include "testing.h"

#include <arpa/inet.h>

#include "jail/egress/dns_message.h"

/* Id 0x1234, recursion desired, one question. */
#define HEAD "\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
#define NAME "\x03" "Api" "\x07" "example" "\x00"
#define IN_A "\x00\x01\x00\x01"
#define OPT "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x00"
#define LITERAL(text) span_of(text, sizeof(text) - 1)

static struct egress_dns_query q;

static bool read_packet(struct span packet)
{
    struct error err;

    return egress_dns_read(packet, &q, &err);
}

static void a_question_is_read(void **state)
{
    (void)state;
    assert_true(read_packet(LITERAL(HEAD NAME IN_A)));
    assert_int_equal(q.id, 0x1234);
    assert_int_equal(q.type, EGRESS_DNS_A);
    assert_true(q.has_host && q.wants_recursion);
    assert_string_equal(q.host.text, "api.example");
    assert_true(span_equal(q.question, LITERAL(NAME IN_A)));
    assert_true(read_packet(LITERAL("\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01" NAME "\x00\x1c\x00\x01" OPT)));
    assert_int_equal(q.type, EGRESS_DNS_AAAA);
}

static void names_that_no_host_has_are_distinguished(void **state)
{
    (void)state;
    assert_true(read_packet(LITERAL(HEAD "\x03" "a_b" "\x00" IN_A)));
    assert_false(q.has_host);
    assert_true(read_packet(LITERAL(HEAD "\x03" "a.b" "\x01" "c" "\x00" IN_A)));
    assert_false(q.has_host);
    assert_true(read_packet(LITERAL(HEAD "\x03" "a\x00" "b" "\x00" IN_A)));
    assert_false(q.has_host);
    assert_true(read_packet(LITERAL(HEAD "\x00" IN_A)));
    assert_false(q.has_host);
    assert_true(read_packet(LITERAL(HEAD "\x01" "1" "\x01" "2" "\x01" "3" "\x01" "4" "\x00" IN_A)));
    assert_false(q.has_host);
    assert_int_not_equal(q.question.len, 0);
}

static void other_packets_have_no_question(void **state)
{
    static const struct span packets[] = {
        {HEAD, 12},
        {HEAD NAME "\x00\x01\x00", 12 + 13 + 3},
        {HEAD NAME "\x00\x01\x00\x03", 12 + 13 + 4}, /* class chaos */
        {HEAD "\xc0\x0c" IN_A, 12 + 2 + 4},
        {HEAD "\x3f" "a" "\x00" IN_A, 12 + 3 + 4},
        {HEAD NAME IN_A "x", 12 + 13 + 5},
        {HEAD NAME IN_A OPT, 12 + 13 + 4 + 11},                                               /* not announced */
        {"\x12\x34\x01\x00\x00\x02\x00\x00\x00\x00\x00\x00" NAME IN_A NAME IN_A, 12 + 2 * 17}, /* two */
        {"\x12\x34\x11\x00\x00\x01\x00\x00\x00\x00\x00\x00" NAME IN_A, 12 + 17},               /* another opcode */
        {"\x12\x34\x01\x00\x00\x01\x00\x01\x00\x00\x00\x00" NAME IN_A, 12 + 17},               /* an answer */
        {"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01" NAME IN_A "\x00\x00\x29\x04\xd0\x00\x00\x00\x00\x00\x05", 12 + 17 + 11},
        {"\x12\x34\x01\x00\x00\x01\x00\x00\x00\x00\x00\x01" NAME IN_A "\x00\x00\xfa\x04\xd0\x00\x00\x00\x00\x00\x00", 12 + 17 + 11},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(packets); i++) {
        assert_true(read_packet(packets[i]));
        assert_int_equal(q.question.len, 0);
        assert_false(q.has_host);
    }
    assert_false(read_packet(LITERAL("\x12\x34\x01")));
    assert_false(read_packet(LITERAL("\x12\x34\x81\x80\x00\x01\x00\x00\x00\x00\x00\x00" NAME IN_A)));
}

static void an_answer_has_the_addresses_of_its_type(void **state)
{
    struct egress_addresses addresses = {.n = 3};
    struct error err = {0};
    struct buf out;

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct sockaddr_in *v4 = (struct sockaddr_in *)&addresses.items[i];
        v4->sin_family = AF_INET;
        v4->sin_addr.s_addr = htonl(0x01020304U + (unsigned)i);
    }
    addresses.items[2].ss_family = AF_INET6;
    buf_init(&out, EGRESS_DNS_MAX);
    assert_true(read_packet(LITERAL(HEAD NAME IN_A)));
    assert_true(egress_dns_write(&q, EGRESS_DNS_OK, &addresses, &out, &err));
    assert_true(span_equal(buf_span(&out), LITERAL("\x12\x34\x81\x80\x00\x01\x00\x02\x00\x00\x00\x00" NAME IN_A
                                                   "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x01\x02\x03\x04"
                                                   "\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x01\x02\x03\x05")));
    buf_clear(&out);
    assert_true(egress_dns_write(&q, EGRESS_DNS_REFUSED, NULL, &out, &err));
    assert_true(span_equal(buf_span(&out), LITERAL("\x12\x34\x81\x85\x00\x01\x00\x00\x00\x00\x00\x00" NAME IN_A)));
    buf_deinit(&out);
}

static void an_answer_fits_into_a_packet(void **state)
{
    struct egress_addresses addresses = {.n = EGRESS_ADDRESSES_MAX};
    char packet[EGRESS_DNS_MAX] = HEAD;
    struct error err = {0};
    size_t len = 12;
    struct buf out;

    (void)state;
    for (size_t i = 0; i < addresses.n; i++) {
        addresses.items[i].ss_family = AF_INET6;
    }
    for (size_t i = 0; i < 3; i++) {
        packet[len++] = 63;
        memset(packet + len, 'a', 63);
        len += 63;
    }
    memcpy(packet + len, "\x00\x00\x1c\x00\x01", 5);
    assert_true(read_packet(span_of(packet, len + 5)));
    assert_true(q.has_host);
    buf_init(&out, EGRESS_DNS_MAX);
    assert_true(egress_dns_write(&q, EGRESS_DNS_OK, &addresses, &out, &err));
    assert_int_equal((unsigned char)out.data[7], (EGRESS_DNS_MAX - (len + 5)) / 28);
    buf_deinit(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_question_is_read),
        cmocka_unit_test(names_that_no_host_has_are_distinguished),
        cmocka_unit_test(other_packets_have_no_question),
        cmocka_unit_test(an_answer_has_the_addresses_of_its_type),
        cmocka_unit_test(an_answer_fits_into_a_packet),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
