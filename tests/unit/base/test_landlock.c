#include "testing.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/landlock.h"

static struct error err;

/* What the rules bind stays bound, so each look is taken in a process of its own. */
static bool holds_in_child(bool (*look)(void))
{
    int status = 1;
    pid_t pid = fork();

    if (pid == 0) {
        _exit(look() ? 0 : 1);
    }
    return waitpid(pid, &status, 0) == pid && status == 0;
}

static bool enter_with_usr(unsigned also, unsigned port)
{
    int version = landlock_version();
    int ruleset = landlock_new(version, also, &err), usr = open("/usr", O_PATH | O_DIRECTORY);

    return landlock_allow(ruleset, version, usr, LANDLOCK_READ_FILE | LANDLOCK_READ_DIR, &err) &&
           (port == 0 || landlock_allow_port(ruleset, port, &err)) && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           landlock_enter(ruleset, &err);
}

static bool look_at_files(void)
{
    return enter_with_usr(0, 0) && open("/usr/bin/env", O_RDONLY) >= 0 && open("/usr/lib", O_RDONLY | O_DIRECTORY) >= 0 &&
           open("/etc/passwd", O_RDONLY) < 0 && errno == EACCES && open("/usr/bin/env", O_WRONLY) < 0 &&
           open("/", O_RDONLY | O_DIRECTORY) < 0;
}

static bool reaches(unsigned port)
{
    struct sockaddr_in to = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    /* Nobody listens there: what Landlock lets through is refused by the kernel for that. */
    return connect(fd, (struct sockaddr *)&to, sizeof(to)) == 0 || errno != EACCES;
}

static bool look_at_connections(void)
{
    return enter_with_usr(LANDLOCK_ALSO_CONNECTIONS, 9) && reaches(9) && !reaches(10);
}

static bool look_at_connections_not_asked_about(void)
{
    return enter_with_usr(0, 0) && reaches(10);
}

static void files_are_denied_but_for_what_is_given_back(void **state)
{
    (void)state;
    if (landlock_version() == 0) {
        skip();
    }
    assert_true(holds_in_child(look_at_files));
}

static void connections_are_denied_where_asked_for(void **state)
{
    (void)state;
    if (landlock_version() < LANDLOCK_VERSION_CONNECTIONS) {
        skip();
    }
    assert_true(holds_in_child(look_at_connections));
    assert_true(holds_in_child(look_at_connections_not_asked_about));
}

static void what_is_no_file_gets_no_rule(void **state)
{
    (void)state;
    if (landlock_version() == 0) {
        skip();
    }
    int ruleset = landlock_new(1, 0, &err);
    assert_true(ruleset >= 0);
    assert_false(landlock_allow(ruleset, 1, -1, LANDLOCK_READ_FILE, &err));
    assert_int_equal(close(ruleset), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_are_denied_but_for_what_is_given_back),
        cmocka_unit_test(connections_are_denied_where_asked_for),
        cmocka_unit_test(what_is_no_file_gets_no_rule),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
