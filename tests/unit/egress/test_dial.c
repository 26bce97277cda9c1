#include "testing.h"

#include <arpa/inet.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "jail/egress/dial.h"

static struct sockaddr_storage v4(const char *text)
{
    struct sockaddr_storage a = {.ss_family = AF_INET};

    assert_int_equal(inet_pton(AF_INET, text, &((struct sockaddr_in *)&a)->sin_addr), 1);
    return a;
}

static bool resolve(const struct egress_rule *rule, const char *name, struct egress_addresses *out, struct error *err)
{
    struct egress_host host;
    char refused[EGRESS_ADDRESS_TEXT];

    assert_true(egress_host_read(span_str(name), &host, err));
    bool is_found = egress_resolve(rule, &host, 443, &(struct egress_time_limit){5000, -1}, out, refused, err);
    assert_int_equal(refused[0] != '\0', !is_found && err->kind == ERROR_DENIED);
    return is_found;
}

static void forbidden_addresses_are_dropped(void **state)
{
    const struct sockaddr_storage pinned[] = {v4("10.0.0.1"), v4("93.184.216.34"), v4("169.254.169.254")};
    const struct egress_rule strict = {.addresses = pinned, .n_addresses = 3};
    const struct egress_rule inside = {.addresses = pinned, .n_addresses = 3, .may_reach = EGRESS_PRIVATE};
    struct egress_addresses found;
    struct error err = {0};

    (void)state;
    assert_true(resolve(&strict, "a.test", &found, &err));
    assert_int_equal(found.n, 1);
    const struct sockaddr_in *first = (const struct sockaddr_in *)&found.items[0];
    assert_int_equal(first->sin_addr.s_addr, inet_addr("93.184.216.34"));
    assert_int_equal(ntohs(first->sin_port), 443);
    assert_true(resolve(&inside, "a.test", &found, &err));
    assert_int_equal(found.n, 2);
}

static void filterds_proxy_is_where_the_operator_says(void **state)
{
    struct egress_via plain = {.scheme = EGRESS_HTTP, .port = 8470}, secure = {.scheme = EGRESS_HTTPS, .port = 8470};
    char refused[EGRESS_ADDRESS_TEXT];
    struct egress_addresses found;
    struct error err = {0};

    (void)state;
    assert_true(egress_host_read(span_str("127.0.0.1"), &plain.host, &err));
    assert_true(egress_resolve_via(&plain, &(struct egress_time_limit){5000, -1}, &found, refused, &err));
    assert_int_equal(ntohs(((const struct sockaddr_in *)&found.items[0])->sin_port), 8470);
    assert_true(egress_host_read(span_str("10.0.0.1"), &plain.host, &err));
    assert_false(egress_resolve_via(&plain, &(struct egress_time_limit){5000, -1}, &found, refused, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_true(egress_host_read(span_str("10.0.0.1"), &secure.host, &err));
    assert_true(egress_resolve_via(&secure, &(struct egress_time_limit){5000, -1}, &found, refused, &err));
    egress_resolve_unused(&found);
    assert_int_equal(found.n, 1);
    assert_int_equal(((const struct sockaddr_in *)&found.items[0])->sin_addr.s_addr, inet_addr("192.0.2.1"));
}

static void literal_addresses_are_checked_likewise(void **state)
{
    static const char *const refused[] = {"127.0.0.1", "[::1]", "169.254.169.254", "[::ffff:8.8.8.8]", "10.1.2.3", "0.0.0.0"};
    const struct egress_rule rule = {.may_reach = 0};
    struct egress_addresses found;
    struct error err = {0};

    (void)state;
    for (size_t i = 0; i < COUNT(refused); i++) {
        assert_false(resolve(&rule, refused[i], &found, &err));
        assert_int_equal(err.kind, ERROR_DENIED);
    }
    assert_true(resolve(&rule, "93.184.216.34", &found, &err));
    assert_int_equal(found.n, 1);
}

static void names_of_this_machine_are_no_way_in(void **state)
{
    const struct egress_rule strict = {.may_reach = 0}, open = {.may_reach = EGRESS_LOOPBACK};
    struct egress_addresses found;
    struct error err = {0};

    (void)state;
    assert_false(resolve(&strict, "localhost", &found, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_true(resolve(&open, "localhost", &found, &err));
}

static void the_first_that_answers_is_taken(void **state)
{
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t len = sizeof(local);
    struct egress_addresses addresses = {.n = 2};
    char text[EGRESS_ADDRESS_TEXT];
    struct error err = {0};
    int fd = -1;

    (void)state;
    assert_int_equal(bind(listener, (struct sockaddr *)&local, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&local, &len), 0);
    memcpy(&addresses.items[1], &local, len);
    local.sin_addr.s_addr = htonl(INADDR_LOOPBACK + 1); /* nobody listens there */
    memcpy(&addresses.items[0], &local, len);
    assert_true(egress_connect(&addresses, 5000, -1, &fd, text, &err));
    assert_string_equal(text, "127.0.0.1");
    close(fd);
    close(listener);
    assert_false(egress_connect(&addresses, 5000, -1, &fd, text, &err));
}

static void a_cut_ends_the_waiting(void **state)
{
    enum { HOUR_MS = 3600 * 1000, TRIES = 64 };
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct egress_addresses addresses = {.n = 1};
    socklen_t len = sizeof(place);
    char text[EGRESS_ADDRESS_TEXT];
    int fd = -1, others[TRIES], listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    int cut = eventfd(1, EFD_CLOEXEC);
    struct error err = {0};

    (void)state;
    assert_true(listener >= 0 && cut >= 0 && bind(listener, (struct sockaddr *)&place, len) == 0 && listen(listener, 0) == 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&place, &len), 0);
    for (int i = 0; i < TRIES; i++) { /* nobody takes them, so that there is no more room */
        others[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)!connect(others[i], (struct sockaddr *)&place, len);
    }
    memcpy(&addresses.items[0], &place, sizeof(place));
    assert_false(egress_connect(&addresses, HOUR_MS, cut, &fd, text, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    for (int i = 0; i < TRIES; i++) {
        (void)close(others[i]);
    }
    (void)close(listener);
    (void)close(cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forbidden_addresses_are_dropped),
        cmocka_unit_test(filterds_proxy_is_where_the_operator_says),
        cmocka_unit_test(literal_addresses_are_checked_likewise),
        cmocka_unit_test(names_of_this_machine_are_no_way_in),
        cmocka_unit_test(the_first_that_answers_is_taken),
        cmocka_unit_test(a_cut_ends_the_waiting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
