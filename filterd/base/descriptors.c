#include "base/descriptors.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"

union control {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(DESCRIPTORS_MAX * sizeof(int))];
};

bool descriptors_send(int socket, const void *bytes, size_t len, const int *fds, size_t n, int flags)
{
    union control control;
    struct iovec part = {.iov_base = (void *)(uintptr_t)bytes, .iov_len = len};
    struct msghdr header = {.msg_iov = &part, .msg_iovlen = 1};
    ssize_t sent;

    assert(n <= DESCRIPTORS_MAX);
    if (n > 0) {
        memset(&control, 0, CMSG_SPACE(n * sizeof(int)));
        header.msg_control = control.bytes;
        header.msg_controllen = CMSG_SPACE(n * sizeof(int));
        struct cmsghdr *c = CMSG_FIRSTHDR(&header);
        *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(n * sizeof(int))};
        memcpy(CMSG_DATA(c), fds, n * sizeof(int));
    }
    do {
        sent = sendmsg(socket, &header, MSG_NOSIGNAL | flags);
    } while (sent < 0 && errno == EINTR);
    return sent == (ssize_t)len;
}

/* The kernel writes one control message of descriptors at most. */
static size_t take(struct msghdr *header, int *fds, size_t room)
{
    const struct cmsghdr *c = CMSG_FIRSTHDR(header);

    if (c == NULL || c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) {
        return 0;
    }
    size_t n = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    assert(n <= room);
    memcpy(fds, CMSG_DATA(c), n * sizeof(int));
    return n;
}

/* The room of control messages is CMSG_LEN, not CMSG_SPACE: the padding of CMSG_SPACE after an odd number of descriptors
 * is room for one more, which the kernel would use. */
ssize_t descriptors_receive(int socket, void *bytes, size_t size, int *fds, size_t room, size_t *n, int flags)
{
    union control control;
    struct iovec part = {.iov_base = bytes, .iov_len = size};
    struct msghdr header = {
        .msg_iov = &part, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = CMSG_LEN(room * sizeof(int))};
    ssize_t len;

    assert(room <= DESCRIPTORS_MAX);
    *n = 0;
    do {
        len = recvmsg(socket, &header, MSG_CMSG_CLOEXEC | flags);
    } while (len < 0 && errno == EINTR);
    if (len < 0) {
        return -1;
    }
    *n = take(&header, fds, room);
    bool is_cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
    if (len > 0 && !is_cut) {
        return len;
    }
    descriptors_close(fds, *n);
    *n = 0;
    if (is_cut) {
        errno = EMSGSIZE;
    }
    return is_cut ? -1 : 0;
}

void descriptors_close(const int *fds, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        (void)close(fds[i]);
    }
}

int descriptors_connect(const char *path, struct error *err)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = strlen(path);

    if (len == 0 || len >= sizeof(to.sun_path)) {
        error_set(err, ERROR_INVALID, "%s: a path of at most %zu bytes expected", path, sizeof(to.sun_path) - 1);
        return -1;
    }
    memcpy(to.sun_path, path, len);
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0 || connect(fd, (const struct sockaddr *)&to, sizeof(to)) != 0) {
        error_errno(err, "filterd at %s", path);
        cleanup_fd(&fd);
        return -1;
    }
    return fd;
}
