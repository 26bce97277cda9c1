#include "scan/child.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static bool may_run;

void child_allow(bool is_allowed)
{
    may_run = is_allowed;
}

bool child_run(void (*work)(void *context), void *context)
{
    const pid_t pid = may_run ? fork() : -1;
    int status = -1;

    if (pid == 0) {
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
        work(context);
        _exit(0);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
