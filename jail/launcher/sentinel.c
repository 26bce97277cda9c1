#include "jail/launcher/sentinel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/kill/kill.h"
#include "jail/launcher/launch.h"

enum { NICE = -10, KILL_DEADLINE_MS = 60000 };

/* The warden may have died before or after it made any of them. */
static void open_groups(struct jail_cgroups *g)
{
    for (size_t i = 0; i < g->n; i++) {
        struct jail_tree *tree = &g->trees[i];
        tree->fd = tree->path[0] == '\0' ? -1 : open(tree->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    }
}

/* It only runs when everything hangs on it: before a thousand processes that fork. Root only. */
static void come_first(void)
{
    const struct sched_param lowest = {.sched_priority = 1};

    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &lowest) != 0) {
        (void)setpriority(PRIO_PROCESS, 0, NICE);
    }
}

/* Waits for a message; false when filterd's end of the lease has closed. */
static bool await(int channel, int lease)
{
    struct pollfd polled[] = {{.fd = channel, .events = POLLIN}, {.fd = lease}};

    while (poll(polled, COUNT(polled), -1) < 0 && errno == EINTR) {
    }
    return polled[0].revents != 0 || (polled[1].revents & (POLLHUP | POLLERR)) == 0;
}

static _Noreturn void watch(int channel, struct jail_cgroups *g)
{
    struct jail_kill_target target;
    struct jail_message m;
    int fds[JAIL_DESCRIPTORS_MAX], lease = -1;
    bool is_over = false, is_aimed = false;

    (void)setsid();
    (void)prctl(PR_SET_NAME, "jail-sentinel", 0, 0, 0);
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    jail_close_others(&channel, 1);
    (void)close_range(0, 2, 0);
    while (!is_over && await(channel, lease) && jail_message_receive(channel, &m, fds)) {
        is_over = m.kind == JAIL_MESSAGE_ENDED;
        if (m.kind == JAIL_MESSAGE_GO) { /* the groups are made; of JAIL_MESSAGE_MOUNTS it is enough to have it */
            open_groups(g);
            jail_kill_open(&target, g, fds[0]);
            come_first();
            is_aimed = true;
            lease = fds[1];
        }
    }
    if (!is_over) {
        if (!is_aimed) {
            open_groups(g);
            jail_kill_open(&target, g, -1);
        }
        (void)jail_kill(&target, KILL_DEADLINE_MS);
    }
    bool is_gone = jail_cgroups_remove(g);
    jail_cgroups_sweep(g);
    _exit(is_gone ? 0 : 1);
}

bool jail_sentinel_start(struct jail_sentinel *s, const struct jail_cgroups *g, struct error *err)
{
    struct jail_cgroups own = *g;
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "sentinel");
    }
    pid_t pid = fork();
    if (pid == 0) {
        watch(ends[1], &own);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_errno(err, "sentinel");
    }
    *s = (struct jail_sentinel){.channel = ends[0], .pid = pid};
    return true;
}

bool jail_sentinel_watch(const struct jail_sentinel *s, int pidfd, int lease, struct error *err)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_GO};
    const int fds[] = {pidfd, lease};

    return jail_message_send(s->channel, &m, fds, lease < 0 ? 1 : 2) || error_errno(err, "sentinel");
}

void jail_sentinel_keep_mounts(const struct jail_sentinel *s, pid_t first)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_MOUNTS};
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%d/ns/mnt", (int)first);
    int mounts CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
    if (mounts >= 0) {
        (void)!jail_message_send(s->channel, &m, &mounts, 1);
    }
}

void jail_sentinel_dismiss(struct jail_sentinel *s)
{
    const struct jail_message m = {.kind = JAIL_MESSAGE_ENDED};

    if (s->pid > 0) {
        (void)!jail_message_send(s->channel, &m, NULL, 0);
        (void)waitpid(s->pid, NULL, WNOHANG);
    }
    cleanup_fd(&s->channel);
    *s = (struct jail_sentinel){.channel = -1};
}
