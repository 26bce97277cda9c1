#include "server/listening.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

bool listening_open_quiet(int *quiet, struct error *err)
{
    *quiet = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    return *quiet >= 0 || error_errno(err, "server: eventfd");
}

void listening_end(int fd, int quiet)
{
    int taken;

    do {
        taken = dup3(quiet, fd, O_CLOEXEC);
    } while (taken < 0 && errno == EINTR);
    if (taken < 0) {
        (void)shutdown(fd, SHUT_RDWR);
    }
}
