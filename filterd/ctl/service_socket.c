#include "ctl/service_socket.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/directory.h"

/* 0, or the errno of the try: a socket that was left behind refuses. One whose queue is full has somebody behind it. */
static int try_socket(const char *path, int type)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd CLEANUP(cleanup_fd) = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    size_t len = strlen(path);

    if (fd < 0 || len >= sizeof(address.sun_path)) {
        return fd < 0 ? errno : ENAMETOOLONG;
    }
    memcpy(address.sun_path, path, len + 1);
    int status = connect(fd, (const struct sockaddr *)&address, sizeof(address));
    return status == 0 || errno == EAGAIN ? 0 : errno;
}

bool service_socket_find(const char *name, int type, const char *option, char path[PATH_MAX], struct error *err)
{
    struct directory_candidates places;
    char tried[sizeof(err->text)] = "";
    size_t len = 0;

    directory_candidates(DIRECTORY_RUNTIME, &places);
    for (unsigned i = 0; i < places.n; i++) {
        int reason = ENAMETOOLONG;
        if ((size_t)snprintf(path, PATH_MAX, "%s/%s", places.paths[i], name) < PATH_MAX) {
            reason = try_socket(path, type);
        }
        if (reason == 0) {
            return true;
        }
        if (len < sizeof(tried)) {
            len += (size_t)snprintf(tried + len, sizeof(tried) - len, "%s%s: %s", i == 0 ? "" : "; ", path,
                                    strerrordesc_np(reason));
        }
    }
    return error_set(err, ERROR_NOT_FOUND, "filterd does not answer at %s; %s names another address", tried, option);
}
