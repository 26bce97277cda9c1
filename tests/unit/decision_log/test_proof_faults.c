/* The proof of a log while its signer, or the disk with its tiles, fails. */
#include "unit/decision_log/proven_log_testing.h"

static void a_signer_that_has_gone_makes_the_log_unready_and_delays_nothing(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 2);
    must(decision_log_checkpoint(p.log, &err));
    (void)shutdown(p.signer.socket, SHUT_RDWR);
    add_lines(&p, 2);
    assert_false(decision_log_checkpoint(p.log, &err));
    assert_false(decision_log_is_healthy(p.log));
    add_lines(&p, 2);
    close_proven(&p);
    open_proven(&p);
    close_proven(&p);
    expect_sound(7);
}

static bool becomes_healthy(const struct decision_log *log)
{
    for (int i = 0; i < 1000 && !decision_log_is_healthy(log); i++) {
        usleep(5000);
    }
    return decision_log_is_healthy(log);
}

/* As on a full disk, where the signer keeps what it signed last. */
static void a_signer_that_cannot_write_its_state_is_asked_again(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 2);
    must(decision_log_checkpoint(p.log, &err));
    assert_int_equal(rename(at("signed"), at("away")), 0);
    add_lines(&p, 2);
    assert_false(decision_log_checkpoint(p.log, &err));
    assert_false(decision_log_is_healthy(p.log));
    assert_int_equal(rename(at("away"), at("signed")), 0);
    assert_true(becomes_healthy(p.log));
    close_proven(&p);
    expect_sound(5);
}

/* As on a disk that is full for some seconds, while lines come. */
static void a_tile_that_cannot_be_written_is_tried_again(void **state)
{
    struct proven_log p;
    (void)state;
    open_proven(&p);
    add_lines(&p, 200);
    must(decision_log_checkpoint(p.log, &err));
    assert_int_equal(mkdir(at("record/tile/0/000.new"), 0700), 0);
    add_lines(&p, 100);
    for (int i = 0; i < 4; i++) {
        assert_false(decision_log_checkpoint(p.log, &err));
    }
    assert_int_equal(rmdir(at("record/tile/0/000.new")), 0);
    assert_true(becomes_healthy(p.log));
    close_proven(&p);
    expect_sound(301);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, empty_folder, empty_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_signer_that_has_gone_makes_the_log_unready_and_delays_nothing),
        TEST(a_signer_that_cannot_write_its_state_is_asked_again),
        TEST(a_tile_that_cannot_be_written_is_tried_again),
    };
    (void)signal(SIGPIPE, SIG_IGN);
    if (sodium_init() < 0 || mkdtemp(folder) == NULL) {
        return 1;
    }
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)rmdir(folder);
    return failed;
}
