#include "testing.h"

#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "scan/child.h"
#include "server/child_process.h"

static int ends[2];

static void write_byte(void *context)
{
    const char *byte = context;

    if (write(ends[1], byte, 1) != 1) {
        abort();
    }
}

static void crash(void *context)
{
    (void)context;
    (void)signal(SIGABRT, SIG_DFL);
    abort();
}

static void change(void *context)
{
    *(int *)context = 2;
}

static void work_runs_and_leaves_this_process_alone(void **state)
{
    char byte = 'x', got = 0;
    int number = 1;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    child_run_by(child_process_run);
    assert_true(child_run(write_byte, &byte));
    assert_int_equal(read(ends[0], &got, 1), 1);
    assert_int_equal(got, 'x');
    assert_true(child_run(change, &number));
    assert_int_equal(number, 1);
}

static void work_that_does_not_return_is_said(void **state)
{
    (void)state;
    child_run_by(child_process_run);
    assert_false(child_run(crash, NULL));
}

static void nothing_runs_without_children(void **state)
{
    int number = 1;

    (void)state;
    child_run_by(NULL);
    assert_false(child_run(change, &number));
    assert_int_equal(number, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(work_runs_and_leaves_this_process_alone),
        cmocka_unit_test(work_that_does_not_return_is_said),
        cmocka_unit_test(nothing_runs_without_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
