/* test_live_exceptions.c - the file of exceptions in the state directory: written, and read with a policy that takes them. */
#include "testing.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "state/live_exceptions.h"
#include "support/judge.h"

static const char rules[] = "rules:\n" TEST_RULE("one", "secret", "critical", "0.9", "pattern: 'one-[a-z0-9]{8}'");
#define POLICY(review) "policies:\n  default: {rules: [local], actions: [{category: secret, action: block}]" review "}\n"

static char folder[40], path[64];
static struct judge j;
static struct error err;

static int set_up(void **state)
{
    (void)state;
    memset(&j, 0, sizeof(j));
    (void)snprintf(folder, sizeof(folder), "/tmp/filterd-live-XXXXXX");
    if (mkdtemp(folder) == NULL) {
        return -1;
    }
    (void)snprintf(path, sizeof(path), "%s/exceptions.yaml", folder);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    judge_deinit(&j);
    (void)unlink(path);
    return rmdir(folder);
}

static void use(const char *policy)
{
    judge_deinit(&j);
    memset(&j, 0, sizeof(j));
    if (!judge_init(&j, rules, policy, false)) {
        fail_msg("%s", j.err.text);
    }
}

static bool save(size_t n)
{
    const struct live_exception one = {.id = span_str("ex-1"), .rule = span_str("one"), .tenant = span_str(""), .app = span_str("web"),
                                       .until_s = 4102444800, .by = span_str("anna"), .approver = span_str("ben")};
    bool is_changed = false;

    if (!live_exceptions_save(folder, &one, n, &is_changed, &err)) {
        fail_msg("%s", err.text);
    }
    return is_changed;
}

static enum action verdict(void)
{
    j.x.who = (struct identity){.app = span_str("web")};
    judge_text(&j, span_str("one-abcdefgh"));
    return j.x.action;
}

static void a_file_is_written_when_it_changes_and_for_the_owner_alone(void **state)
{
    struct stat info;

    (void)state;
    assert_false(save(0)); /* none of them, and no file: the same */
    assert_int_not_equal(stat(path, &info), 0);
    assert_true(save(1));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_false(save(1));
    assert_true(save(0));
    assert_false(save(0));
}

static void it_is_read_where_a_policy_takes_it(void **state)
{
    (void)state;
    use(POLICY(", review: {exceptions: live}"));
    assert_true(live_exceptions_load(j.snapshot, folder, &err)); /* there is no file */
    assert_int_equal(verdict(), ACTION_BLOCK);
    assert_true(save(1));
    use(POLICY(", review: {exceptions: live}"));
    assert_true(live_exceptions_load(j.snapshot, folder, &err));
    assert_int_equal(verdict(), ACTION_ALLOW);
    use(POLICY(""));
    assert_true(live_exceptions_load(j.snapshot, folder, &err));
    assert_int_equal(verdict(), ACTION_BLOCK);
    use(POLICY(", review: {exceptions: live}"));
    assert_true(live_exceptions_load(j.snapshot, NULL, &err));
    assert_int_equal(verdict(), ACTION_BLOCK);
}

/* Who can write it could let anything through. */
static void a_file_that_others_can_write_is_refused(void **state)
{
    (void)state;
    assert_true(save(1));
    assert_int_equal(chmod(path, 0666), 0);
    use(POLICY(", review: {exceptions: live}"));
    assert_false(live_exceptions_load(j.snapshot, folder, &err));
    assert_int_equal(err.kind, ERROR_DENIED);
    assert_int_equal(verdict(), ACTION_BLOCK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_file_is_written_when_it_changes_and_for_the_owner_alone, set_up, tear_down),
        cmocka_unit_test_setup_teardown(it_is_read_where_a_policy_takes_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_file_that_others_can_write_is_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
