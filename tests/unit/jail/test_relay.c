#include "testing.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "jail/launcher/relay.h"

static struct jail_relay relay;
static int in[2], out[2];

static int set_up(void **state)
{
    (void)state;
    (void)signal(SIGPIPE, SIG_IGN);
    if (pipe2(in, O_NONBLOCK | O_CLOEXEC) != 0 || pipe2(out, O_NONBLOCK | O_CLOEXEC) != 0) {
        return 1;
    }
    jail_relay_init(&relay, in[0], out[1]);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        (void)close(in[i]);
        (void)close(out[i]);
    }
    return 0;
}

/* Steps until nothing is possible any more. */
static void carry(void)
{
    struct pollfd p = jail_relay_wanted(&relay);

    while (p.fd >= 0 && poll(&p, 1, 0) > 0) {
        jail_relay_step(&relay, &p);
        p = jail_relay_wanted(&relay);
    }
}

static void bytes_arrive_as_they_were(void **state)
{
    char got[16];

    (void)state;
    assert_int_equal(write(in[1], "a\0b", 3), 3);
    carry();
    assert_int_equal(read(out[0], got, sizeof(got)), 3);
    assert_memory_equal(got, "a\0b", 3);
    assert_int_equal(relay.carried, 3);
    assert_false(jail_relay_is_over(&relay));
}

static void the_end_of_input_is_over_when_the_rest_is_out(void **state)
{
    (void)state;
    assert_int_equal(write(in[1], "x", 1), 1);
    (void)close(in[1]);
    in[1] = -1;
    carry();
    assert_true(jail_relay_is_over(&relay));
    assert_int_equal(relay.carried, 1);
}

static void a_reader_that_waits_makes_the_writer_wait(void **state)
{
    static char block[JAIL_RELAY_BYTES];
    size_t written = 0;

    (void)state;
    for (int i = 0; i < 1000; i++) {
        ssize_t n = write(in[1], block, sizeof(block));
        written += n > 0 ? (size_t)n : 0;
        carry();
    }
    assert_true(relay.len > 0); /* both pipes and the buffer are full, nothing more was taken */
    assert_true(written < sizeof(block) * 1000);
    size_t got = 0;
    for (ssize_t n = 1; n > 0;) {
        n = read(out[0], block, sizeof(block));
        got += n > 0 ? (size_t)n : 0;
        carry();
    }
    assert_int_equal(got, written);
}

static void a_reader_that_went_away_ends_it(void **state)
{
    (void)state;
    (void)close(out[0]);
    out[0] = -1;
    assert_int_equal(write(in[1], "x", 1), 1);
    carry();
    assert_true(jail_relay_is_over(&relay));
    assert_int_equal(jail_relay_wanted(&relay).fd, -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(bytes_arrive_as_they_were, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_end_of_input_is_over_when_the_rest_is_out, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_that_waits_makes_the_writer_wait, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_that_went_away_ends_it, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
