#include "jail/kill/members.h"

#include <signal.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
    PAGE = 4096,
    HANDLES = 800, /* at a time; a process may mostly have 1024 descriptors */
    USUAL = 512,   /* of a part, so that parts of unlike size have room */
};

/* A part of cgroup.procs: "17\n4711\n23"; the last number may go on in the next part. */
static int64_t each_in_part(const char *text, ssize_t len, pid_t *pid, void (*act)(void *context, pid_t pid), void *context)
{
    int64_t n = 0;

    for (ssize_t i = 0; i < len; i++) {
        if (text[i] != '\n') {
            *pid = *pid * 10 + (text[i] - '0');
            continue;
        }
        n++;
        if (act != NULL && *pid > 0) {
            act(context, *pid);
        }
        *pid = 0;
    }
    return n;
}

int64_t jail_members_each(int procs, void (*act)(void *context, pid_t pid), void *context)
{
    char text[PAGE];
    off_t at = 0;
    pid_t pid = 0;
    int64_t n = 0;

    for (;;) {
        ssize_t len = procs < 0 ? -1 : pread(procs, text, sizeof(text), at);
        if (len <= 0) {
            return len < 0 ? -1 : n;
        }
        n += each_in_part(text, len, &pid, act, context);
        at += len;
    }
}

/* A part of the list: by their numbers, as places in it move when members end. */
struct part {
    pid_t of, number; /* members whose number leaves `number` when divided by `of` */
    size_t n;
    pid_t pids[HANDLES];
    int handles[HANDLES];
    bool is_member[HANDLES];
};

static void open_handle(void *context, pid_t pid)
{
    struct part *p = context;

    if (pid % p->of != p->number || p->n == HANDLES) {
        return;
    }
    int handle = (int)syscall(SYS_pidfd_open, pid, 0);
    if (handle >= 0) {
        p->pids[p->n] = pid;
        p->handles[p->n] = handle;
        p->is_member[p->n++] = false;
    }
}

static void confirm(void *context, pid_t pid)
{
    struct part *p = context;

    for (size_t i = 0; i < p->n; i++) {
        p->is_member[i] |= p->pids[i] == pid;
    }
}

static int64_t signal_members(const struct part *p)
{
    int64_t n = 0;

    for (size_t i = 0; i < p->n; i++) {
        n += p->is_member[i] && syscall(SYS_pidfd_send_signal, p->handles[i], SIGKILL, NULL, 0) == 0;
        (void)close(p->handles[i]);
    }
    return n;
}

int64_t jail_members_kill(int procs)
{
    int64_t listed = jail_members_each(procs, NULL, NULL), n = 0;
    int64_t parts = listed / USUAL + 1;

    for (pid_t i = 0; listed > 0 && listed <= JAIL_MEMBERS_MAX && i < parts; i++) {
        struct part p = {.of = (pid_t)parts, .number = i};
        (void)jail_members_each(procs, open_handle, &p);
        (void)jail_members_each(procs, confirm, &p);
        n += signal_members(&p);
    }
    return n;
}
