#include "testing.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "jail/egress/wire/link.h"

static const uint64_t second = 1000000000;

struct fixture {
    struct egress_link link;
    int other;
};

static int set_up(void **state)
{
    static struct fixture f;
    int pair[2];
    struct error err = {0};

    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    assert_true(egress_link_init(&f.link, pair[0], 20000, clock_monotonic_ns() + 20 * second, &err));
    f.other = pair[1];
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    egress_link_deinit(&f->link);
    close(f->other);
    return 0;
}

static void bytes_come_and_are_taken(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    assert_int_equal(write(f->other, "hello", 5), 5);
    assert_true(egress_link_fill(&f->link, &err));
    assert_true(span_is(egress_link_pending(&f->link), "hello"));
    egress_link_take(&f->link, 4);
    assert_int_equal(write(f->other, "!", 1), 1);
    assert_true(egress_link_fill(&f->link, &err));
    assert_true(span_is(egress_link_pending(&f->link), "o!"));
    assert_int_equal(f->link.received, 6);
    assert_int_equal(shutdown(f->other, SHUT_WR), 0);
    assert_true(egress_link_fill(&f->link, &err));
    assert_true(f->link.is_ended);
    assert_true(span_is(egress_link_pending(&f->link), "o!"));
}

static void the_buffer_has_an_end(void **state)
{
    static char bytes[EGRESS_LINK_BUFFER];
    struct fixture *f = *state;
    struct error err = {0};

    for (size_t sent = 0; egress_link_pending(&f->link).len < sizeof(bytes);) {
        if (sent < sizeof(bytes)) {
            ssize_t n = send(f->other, bytes, sizeof(bytes) - sent, MSG_DONTWAIT);
            assert_true(n > 0);
            sent += (size_t)n;
        }
        assert_true(egress_link_fill(&f->link, &err));
    }
    assert_false(egress_link_fill(&f->link, &err));
    assert_int_equal(err.kind, ERROR_LIMIT);
    assert_int_equal(f->link.stopped, EGRESS_STOP_NONE);
}

static void waiting_ends(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    f->link.idle_ms = 1;
    assert_false(egress_link_fill(&f->link, &err));
    assert_int_equal(f->link.stopped, EGRESS_STOP_TIME);
    f->link.idle_ms = 20000;
    f->link.deadline_ns = clock_monotonic_ns();
    assert_false(egress_link_fill(&f->link, &err));
}

static void all_waits_end_at_once(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};
    int cut = eventfd(1, 0);

    f->link.cut = cut;
    assert_false(egress_link_fill(&f->link, &err));
    assert_int_equal(f->link.stopped, EGRESS_STOP_TIME);
    close(cut);
}

static void quotas_are_never_passed(void **state)
{
    struct fixture *f = *state;
    egress_quota quota = 5;
    struct error err = {0};
    char got[16];

    f->link.quota_out = &quota;
    assert_true(egress_link_send(&f->link, span_str("abc"), &err));
    assert_false(egress_link_send(&f->link, span_str("def"), &err));
    assert_int_equal(f->link.stopped, EGRESS_STOP_QUOTA);
    assert_true(egress_link_send(&f->link, span_str("de"), &err));
    assert_int_equal(read(f->other, got, sizeof(got)), 5);
    assert_int_equal(quota, 0);
    quota = 2;
    f->link.quota_in = &quota;
    assert_int_equal(write(f->other, "abc", 3), 3);
    assert_false(egress_link_fill(&f->link, &err));
    assert_int_equal(egress_link_pending(&f->link).len, 0);
}

static void a_vanished_peer_is_an_error(void **state)
{
    struct fixture *f = *state;
    struct error err = {0};

    close(f->other);
    f->other = -1;
    assert_false(egress_link_send(&f->link, span_str("abc"), &err));
    assert_int_equal(err.kind, ERROR_SYSTEM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_come_and_are_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_buffer_has_an_end, set_up, tear_down),
        cmocka_unit_test_setup_teardown(waiting_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_waits_end_at_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quotas_are_never_passed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_vanished_peer_is_an_error, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
