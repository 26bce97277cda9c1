#include "jail/network/channel.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(JAIL_CHANNEL_SOCKETS_MAX * sizeof(int))];
};

bool jail_channel_send(int channel, const struct jail_channel_message *m, const int *fds, size_t n, int flags)
{
    union control control = {0};
    size_t len = offsetof(struct jail_channel_message, text) + strnlen(m->text, sizeof(m->text) - 1);
    struct iovec part = {.iov_base = (void *)(uintptr_t)m, .iov_len = len};
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
        sent = sendmsg(channel, &header, MSG_NOSIGNAL | flags);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)len;
}

static size_t take_descriptors(struct msghdr *header, int fds[JAIL_CHANNEL_SOCKETS_MAX])
{
    struct cmsghdr *c = CMSG_FIRSTHDR(header);

    if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
        return 0;
    }
    memcpy(fds, CMSG_DATA(c), c->cmsg_len - CMSG_LEN(0));
    return (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
}

enum jail_channel_result jail_channel_receive(int channel, struct jail_channel_message *m,
                                              int fds[JAIL_CHANNEL_SOCKETS_MAX], size_t *n, int flags)
{
    union control control = {0};
    struct iovec part = {.iov_base = m, .iov_len = sizeof(*m) - 1};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof(control.bytes)};
    ssize_t len;

    *n = 0;
    memset(m, 0, sizeof(*m));
    do {
        len = recvmsg(channel, &header, MSG_CMSG_CLOEXEC | flags);
    } while (len < 0 && errno == EINTR);
    if (len < 0 && errno == EAGAIN) {
        return JAIL_CHANNEL_NOTHING;
    }
    if (len <= 0) {
        return JAIL_CHANNEL_END;
    }
    *n = take_descriptors(&header, fds);
    bool is_whole = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) == 0 &&
                    (size_t)len >= offsetof(struct jail_channel_message, text);
    const unsigned counts[] = {m->n_streams, m->n_proxies, m->n_name_streams, m->n_names, m->n_packets};
    size_t sum = 0;
    for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
        sum += counts[i];
    }
    bool fits = sum == *n && m->n_packets <= 1;
    if (is_whole && fits) {
        return JAIL_CHANNEL_CAME;
    }
    for (size_t i = 0; i < *n; i++) {
        close(fds[i]);
    }
    *n = 0;
    return JAIL_CHANNEL_END;
}
