#include "jail/lease/agent_wire.h"

#include <errno.h>
#include <linux/magic.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/vfs.h>

#include "base/cleanup.h"
#include "base/descriptors.h"

void agent_handles_init(struct agent_handles *h)
{
    for (size_t i = 0; i < AGENT_HANDLES; i++) {
        h->fds[i] = -1;
    }
    h->is_unified_quota = false;
}

void agent_handles_close(struct agent_handles *h)
{
    for (size_t i = 0; i < AGENT_HANDLES; i++) {
        cleanup_fd(&h->fds[i]);
    }
    agent_handles_init(h);
}

void agent_handles_of(const struct jail_kill_target *t, struct agent_handles *h)
{
    agent_handles_init(h);
    h->fds[AGENT_HANDLE_INIT] = t->pidfd;
    h->fds[AGENT_HANDLE_KILL] = t->kill;
    h->fds[AGENT_HANDLE_EVENTS] = t->events;
    h->fds[AGENT_HANDLE_FREEZE] = t->freeze;
    h->fds[AGENT_HANDLE_FREEZER] = t->freezer;
    h->fds[AGENT_HANDLE_PROCS] = t->procs;
    h->fds[AGENT_HANDLE_PIDS_MAX] = t->pids_max;
    h->fds[AGENT_HANDLE_PIDS_CURRENT] = t->pids_current;
    h->fds[AGENT_HANDLE_QUOTA] = t->quota;
    h->is_unified_quota = t->is_unified_quota;
}

static int take(struct agent_handles *h, enum agent_handle handle)
{
    int fd = h->fds[handle];

    h->fds[handle] = -1;
    return fd;
}

void agent_handles_take(struct agent_handles *h, struct jail_kill_target *t)
{
    jail_kill_init(t);
    t->pidfd = take(h, AGENT_HANDLE_INIT);
    t->kill = take(h, AGENT_HANDLE_KILL);
    t->events = take(h, AGENT_HANDLE_EVENTS);
    t->freeze = take(h, AGENT_HANDLE_FREEZE);
    t->freezer = take(h, AGENT_HANDLE_FREEZER);
    t->procs = take(h, AGENT_HANDLE_PROCS);
    t->pids_max = take(h, AGENT_HANDLE_PIDS_MAX);
    t->pids_current = take(h, AGENT_HANDLE_PIDS_CURRENT);
    t->quota = take(h, AGENT_HANDLE_QUOTA);
    t->is_unified_quota = h->is_unified_quota;
}

/* --- what came ------------------------------------------------------------ */

static bool is_pidfd(int fd)
{
    return syscall(SYS_pidfd_send_signal, fd, 0, NULL, 0) == 0 || errno == EPERM || errno == ESRCH;
}

/* A file of another kind (a FIFO, a FUSE file) could block the kill. */
static bool is_of_cgroup(int fd)
{
    struct statfs info;

    return fstatfs(fd, &info) == 0 && (info.f_type == CGROUP_SUPER_MAGIC || info.f_type == CGROUP2_SUPER_MAGIC);
}

bool agent_handles_are_right(const struct agent_handles *h)
{
    for (size_t i = 0; i < AGENT_HANDLES; i++) {
        bool is_process = i == AGENT_HANDLE_INIT || i == AGENT_HANDLE_LAUNCHER;
        if (h->fds[i] < 0 || i == AGENT_HANDLE_CUT) {
            continue;
        }
        if (is_process ? !is_pidfd(h->fds[i]) : !is_of_cgroup(h->fds[i])) {
            return false;
        }
    }
    return true;
}

/* --- datagrams ------------------------------------------------------------ */

void agent_message_init(struct agent_message *m, enum agent_message_kind kind)
{
    *m = (struct agent_message){.version = AGENT_WIRE_VERSION, .kind = kind};
}

bool agent_message_send(int fd, struct agent_message *m, const struct agent_handles *h)
{
    int fds[AGENT_HANDLES];
    size_t n = 0;

    m->handles = h != NULL && h->is_unified_quota ? 1U << AGENT_HANDLE_UNIFIED_QUOTA : 0;
    for (size_t i = 0; h != NULL && i < AGENT_HANDLES; i++) {
        if (h->fds[i] >= 0) {
            m->handles |= 1U << i;
            fds[n++] = h->fds[i];
        }
    }
    return descriptors_send(fd, m, sizeof(*m), fds, n, MSG_DONTWAIT);
}

/* Descriptors in the order of their bits. False when there are more or fewer. */
static bool sort(const struct agent_message *m, const int *fds, size_t n, struct agent_handles *h)
{
    size_t at = 0;

    for (size_t i = 0; i < AGENT_HANDLES; i++) {
        if ((m->handles >> i & 1U) != 0 && at < n) {
            h->fds[i] = fds[at++];
        } else if ((m->handles >> i & 1U) != 0) {
            return false;
        }
    }
    h->is_unified_quota = (m->handles >> AGENT_HANDLE_UNIFIED_QUOTA & 1U) != 0;
    return at == n;
}

static bool is_terminated(const char *text, size_t size)
{
    return memchr(text, '\0', size) != NULL;
}

static bool is_message(const struct agent_message *m, ssize_t len)
{
    return len == (ssize_t)sizeof(*m) && m->version == AGENT_WIRE_VERSION && m->kind >= WIRE_HELLO &&
           m->kind <= WIRE_HOOKED && is_terminated(m->agent, sizeof(m->agent)) &&
           is_terminated(m->tenant, sizeof(m->tenant)) && is_terminated(m->jail, sizeof(m->jail)) &&
           is_terminated(m->word, sizeof(m->word)) && is_terminated(m->text, sizeof(m->text));
}

enum agent_received agent_message_receive(int fd, struct agent_message *m, struct agent_handles *h)
{
    int fds[AGENT_HANDLES];
    size_t n;

    if (h != NULL) {
        agent_handles_init(h);
    }
    ssize_t len = descriptors_receive(fd, m, sizeof(*m), fds, AGENT_HANDLES, &n, MSG_DONTWAIT);
    if (len < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        return AGENT_NOTHING;
    }
    if (len == 0 || (len < 0 && errno != EMSGSIZE)) {
        return AGENT_CLOSED;
    }
    bool is_whole = len > 0 && is_message(m, len);
    if (is_whole && (h == NULL ? n == 0 : sort(m, fds, n, h))) {
        return AGENT_RECEIVED;
    }
    descriptors_close(fds, n);
    if (h != NULL) {
        agent_handles_init(h);
    }
    return AGENT_BROKEN;
}

int agent_wire_connect(const char *path, struct error *err)
{
    return descriptors_connect(path, err);
}
