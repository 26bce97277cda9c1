/* message.c - datagrams between the processes of a launch, with descriptors. */
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/linux_calls.h"
#include "jail/launcher/launch.h"

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(JAIL_DESCRIPTORS_MAX * sizeof(int))];
};

bool jail_message_send(int channel, const struct jail_message *m, const int *fds, size_t n)
{
    union control control = {0};
    struct iovec part = {.iov_base = (void *)(uintptr_t)m, .iov_len = sizeof(*m)};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;

    if (n > 0) {
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);
        *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))};
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    do {
        sent = sendmsg(channel, &header, MSG_NOSIGNAL);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)sizeof(*m);
}

static void close_all(int fds[JAIL_DESCRIPTORS_MAX])
{
    for (size_t i = 0; i < JAIL_DESCRIPTORS_MAX; i++) {
        cleanup_fd(&fds[i]);
        fds[i] = -1;
    }
}

bool jail_message_receive(int channel, struct jail_message *m, int fds[JAIL_DESCRIPTORS_MAX])
{
    union control control = {0};
    struct iovec part = {.iov_base = m, .iov_len = sizeof(*m)};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    ssize_t n;

    for (size_t i = 0; i < JAIL_DESCRIPTORS_MAX; i++) {
        fds[i] = -1;
    }
    do {
        n = recvmsg(channel, &header, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    const struct cmsghdr *c = n < 0 ? NULL : CMSG_FIRSTHDR(&header);
    if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
        memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    }
    if (n != (ssize_t)sizeof(*m) || (header.msg_flags & MSG_CTRUNC) != 0) {
        close_all(fds);
        return false;
    }
    m->error.text[sizeof(m->error.text) - 1] = '\0';
    return true;
}

static int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

void jail_close_others(const int *kept, size_t n)
{
    int sorted[JAIL_INPUTS_MAX + 8];
    unsigned from = 3;

    memcpy(sorted, kept, n * sizeof(int));
    qsort(sorted, n, sizeof(int), compare);
    for (size_t i = 0; i < n; i++) {
        if (sorted[i] >= (int)from) {
            if (sorted[i] > (int)from) {
                (void)close_range(from, (unsigned)sorted[i] - 1, 0);
            }
            from = (unsigned)sorted[i] + 1;
        }
    }
    (void)close_range(from, ~0U, 0);
}
