#include "http/notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int notify_fd = -1; /* written once, before threads */

/* Connected here, before the sandbox takes connect() away. */
void notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET"); /* NOLINT(concurrency-mt-unsafe): no thread yet */
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    size_t len = path == NULL ? 0 : strlen(path);

    if (len == 0 || len >= sizeof(to.sun_path)) {
        return;
    }
    memcpy(to.sun_path, path, len);
    if (to.sun_path[0] == '@') {
        to.sun_path[0] = '\0'; /* an abstract name */
    }
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (const struct sockaddr *)&to,
                           (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) != 0) {
        close(fd);
        fd = -1;
    }
    notify_fd = fd;
}

void notify_send(const char *state)
{
    if (notify_fd >= 0) {
        (void)send(notify_fd, state, strlen(state), MSG_NOSIGNAL | MSG_DONTWAIT);
    }
}
