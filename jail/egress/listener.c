#include "jail/egress/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/address.h"
#include "base/cleanup.h"
#include "base/log.h"

enum { SOCKET_MODE = 0600 };

static bool has_option(int fd, int option, int wanted)
{
    int value = 0;
    socklen_t len = sizeof(value);

    return getsockopt(fd, SOL_SOCKET, option, &value, &len) == 0 && value == wanted;
}

/* A socket that another process made, such as init inside the jail's network namespace. */
static bool take_passed(const char *number, int type, int *fd, struct error *err)
{
    char *end = NULL;
    long value = strtol(number, &end, 10);

    if (end == number || *end != '\0' || value < 3 || value > INT16_MAX || !has_option((int)value, SO_TYPE, type) ||
        !has_option((int)value, SO_ACCEPTCONN, type == SOCK_STREAM)) {
        return error_set(err, ERROR_INVALID, "fd:%s: a %s socket expected", number,
                         type == SOCK_STREAM ? "listening" : "datagram");
    }
    if (fcntl((int)value, F_SETFL, O_NONBLOCK) != 0 || fcntl((int)value, F_SETFD, FD_CLOEXEC) != 0) {
        return error_errno(err, "fd:%s", number);
    }
    *fd = (int)value;
    return true;
}

static bool read_address(const char *text, struct address *out, struct error *err)
{
    if (!address_parse(text, out, err)) {
        return error_wrap(err, "%s", text);
    }
    return (out->kind != ADDRESS_NONE && address_is_local(out)) ||
           error_set(err, ERROR_INVALID, "%s: a loopback address or a Unix socket expected", text);
}

bool egress_listener_open(const char *text, int *fd, struct error *err)
{
    struct address address;
    char shown[ADDRESS_TEXT];

    if (strncmp(text, "fd:", 3) == 0) {
        return take_passed(text + 3, SOCK_STREAM, fd, err);
    }
    if (!read_address(text, &address, err) || !address_listen(&address, SOCKET_MODE, fd, err)) {
        return false;
    }
    address_text(&address, shown);
    log_info("egress: listening on %s", shown);
    return true;
}

bool egress_datagrams_open(const char *text, int *fd, struct error *err)
{
    struct address address;
    char shown[ADDRESS_TEXT];

    if (strncmp(text, "fd:", 3) == 0) {
        return take_passed(text + 3, SOCK_DGRAM, fd, err);
    }
    if (!read_address(text, &address, err)) {
        return false;
    }
    if (address.kind != ADDRESS_TCP) {
        return error_set(err, ERROR_INVALID, "%s: a loopback address and a port expected", text);
    }
    int opened CLEANUP(cleanup_fd) = socket(address.socket.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened < 0 || bind(opened, &address.socket.any, address.len) != 0 ||
        getsockname(opened, &address.socket.any, &address.len) != 0) {
        return error_errno(err, "%s", text);
    }
    address_text(&address, shown);
    log_info("egress: answering names on %s", shown);
    *fd = opened;
    opened = -1; /* NOLINT(clang-analyzer-deadcode.DeadStores): cleanup_fd reads it */
    return true;
}

void egress_listener_close(const char *text, int fd)
{
    close(fd);
    if (strncmp(text, "unix:", 5) == 0) {
        (void)unlink(text + 5);
    }
}
