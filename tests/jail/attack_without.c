/* attack_without.c - a kernel that lacks something, as far as a program can tell: a filter answers in its place. */
#include "attack.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define IS(value, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (value), (then), (otherwise))
#define HAS(bits, then, otherwise) BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, (bits), (then), (otherwise))
#define ANSWER(what) BPF_STMT(BPF_RET | BPF_K, (what))

static struct sock_filter no_landlock[] = {
    LOAD(nr),
    IS(SYS_landlock_create_ruleset, 0, 1),
    ANSWER(SECCOMP_RET_ERRNO | ENOSYS),
    ANSWER(SECCOMP_RET_ALLOW),
};

/* clone3's flags are in memory, where no filter looks; nobody but launchers of jails needs it. */
static struct sock_filter no_user_namespaces[] = {
    LOAD(nr),
    IS(SYS_clone3, 0, 1),
    ANSWER(SECCOMP_RET_ERRNO | EPERM),
    IS(SYS_clone, 1, 0),
    IS(SYS_unshare, 0, 3),
    LOAD(args[0]),
    HAS(CLONE_NEWUSER, 0, 1),
    ANSWER(SECCOMP_RET_ERRNO | EPERM),
    ANSWER(SECCOMP_RET_ALLOW),
};

int run_without(const char *what, char **command)
{
    const struct {
        const char *what;
        struct sock_fprog filter;
    } kernels[] = {{"landlock", {COUNT(no_landlock), no_landlock}}, {"userns", {COUNT(no_user_namespaces), no_user_namespaces}}};

    for (size_t i = 0; i < COUNT(kernels); i++) {
        if (strcmp(kernels[i].what, what) == 0 && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
            prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &kernels[i].filter) == 0) {
            (void)execvp(command[0], command);
        }
    }
    perror("attack: without");
    return 2;
}
