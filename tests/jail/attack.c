#include "attack.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum verdict judge(bool has_worked, const char *what)
{
    (void)printf("  %s: %s (%s)\n", what, has_worked ? "POSSIBLE" : "held", has_worked ? "no error" : strerror(errno));
    return has_worked ? ESCAPED : HELD;
}

enum verdict both(enum verdict a, enum verdict b)
{
    return a == ESCAPED || b == ESCAPED ? ESCAPED : a == NOT_TRIED || b == NOT_TRIED ? NOT_TRIED : HELD;
}

bool child_succeeds(int (*run)(void))
{
    int status = 0;
    (void)fflush(NULL);
    pid_t pid = fork();

    if (pid == 0) {
        _exit(run());
    }
    return pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

int main(int argc, char **argv)
{
    const struct attack *const lists[] = {attacks_kernel, attacks_process, attacks_files, attacks_network};

    if (argc < 2) {
        (void)fprintf(stderr, "usage: attack ID [ARGUMENT], attack without WHAT COMMAND...\n");
        return 2;
    }
    if (strcmp(argv[1], "without") == 0 && argc > 3) {
        return run_without(argv[2], argv + 3);
    }
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        for (const struct attack *a = lists[i]; a->id != NULL; a++) {
            if (strcmp(a->id, argv[1]) == 0) {
                return (int)a->try(argc > 2 ? argv[2] : NULL);
            }
        }
    }
    (void)fprintf(stderr, "attack: no attack '%s'\n", argv[1]);
    return 2;
}
