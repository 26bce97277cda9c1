#include "server/child_process.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

bool child_process_run(void (*work)(void *context), void *context)
{
    const pid_t pid = fork();
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
