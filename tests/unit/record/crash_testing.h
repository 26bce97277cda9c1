/* crash_testing.h - lets a process crash just before its n-th change of the disk: an fsync, unlink or rename.
 *
 * Replaces these functions of the C library in the test that includes it; for one file of a test. */
#ifndef FILTERD_TESTS_CRASH_TESTING_H
#define FILTERD_TESTS_CRASH_TESTING_H

#include "testing.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CRASHED = 77 }; /* exit code */

static unsigned crash_at; /* 0: never */

static void crash_change(void)
{
    static unsigned n;

    if (crash_at > 0 && ++n == crash_at) {
        _exit(CRASHED);
    }
}

int fsync(int fd)
{
    crash_change();
    return fdatasync(fd);
}

int unlink(const char *path)
{
    crash_change();
    return unlinkat(AT_FDCWD, path, 0);
}

int rename(const char *from, const char *to)
{
    crash_change();
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}

/* Runs it in a child that crashes before its `at`-th change; false when it came to its end. */
static bool crash(void (*run)(void), unsigned at)
{
    int status = 0;
    pid_t child = fork();

    assert_true(child >= 0);
    if (child == 0) {
        crash_at = at;
        run();
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_true(WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == CRASHED);
    return WEXITSTATUS(status) == CRASHED;
}

#endif
