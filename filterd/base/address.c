#include "base/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { BACKLOG = 1024, PORT_DIGITS = 5 };

static bool parse_port(const char *text, in_port_t *port)
{
    unsigned value = 0;
    size_t len = strlen(text);

    if (len == 0 || len > PORT_DIGITS || strspn(text, "0123456789") != len) {
        return false;
    }
    for (; *text != '\0'; text++) {
        value = value * 10 + (unsigned)(*text - '0');
    }
    *port = htons((in_port_t)value);
    return value <= 65535;
}

static bool parse_unix(const char *path, struct address *out, struct error *err)
{
    size_t len = strlen(path);

    if (path[0] != '/' || len >= sizeof(out->socket.local.sun_path)) {
        return error_set(err, ERROR_INVALID, "'unix:%s': an absolute path of at most %zu bytes expected", path,
                         sizeof(out->socket.local.sun_path) - 1);
    }
    out->kind = ADDRESS_UNIX;
    out->socket.local.sun_family = AF_UNIX;
    memcpy(out->socket.local.sun_path, path, len + 1);
    out->len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len + 1);
    return true;
}

static bool parse_tcp(const char *text, struct address *out)
{
    char host[64];
    const char *colon = strrchr(text, ':');
    bool is_v6 = text[0] == '[';

    if (parse_port(text, &out->socket.v4.sin_port) ||
        (strncmp(text, "localhost:", 10) == 0 && parse_port(text + 10, &out->socket.v4.sin_port))) {
        out->kind = ADDRESS_TCP;
        out->socket.v4.sin_family = AF_INET;
        out->socket.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        out->len = sizeof(out->socket.v4);
        return true;
    }
    if (colon == NULL || (size_t)(colon - text) >= sizeof(host)) {
        return false;
    }
    size_t skip = is_v6 ? 1 : 0;
    size_t len = (size_t)(colon - text);
    if (is_v6 && (len < 2 || text[len - 1] != ']')) {
        return false;
    }
    len -= 2 * skip;
    memcpy(host, text + skip, len);
    host[len] = '\0';
    out->kind = ADDRESS_TCP;
    if (is_v6) {
        out->socket.v6.sin6_family = AF_INET6;
        out->len = sizeof(out->socket.v6);
        return inet_pton(AF_INET6, host, &out->socket.v6.sin6_addr) == 1 &&
               parse_port(colon + 1, &out->socket.v6.sin6_port);
    }
    out->socket.v4.sin_family = AF_INET;
    out->len = sizeof(out->socket.v4);
    return inet_pton(AF_INET, host, &out->socket.v4.sin_addr) == 1 &&
           parse_port(colon + 1, &out->socket.v4.sin_port);
}

bool address_parse(const char *text, struct address *out, struct error *err)
{
    struct address a = {.kind = ADDRESS_NONE};

    if (strncmp(text, "unix:", 5) == 0) {
        if (!parse_unix(text + 5, &a, err)) {
            return false;
        }
    } else if (strcmp(text, "none") != 0 && !parse_tcp(text, &a)) {
        return error_set(err, ERROR_INVALID,
                         "'%s': an address like 127.0.0.1:8470, localhost:8470, 8470, [::1]:8470, unix:/path or none expected",
                         text);
    }
    *out = a;
    return true;
}

bool address_is_local(const struct address *a)
{
    if (a->kind != ADDRESS_TCP) {
        return true;
    }
    if (a->socket.any.sa_family == AF_INET6) {
        return IN6_IS_ADDR_LOOPBACK(&a->socket.v6.sin6_addr);
    }
    return (ntohl(a->socket.v4.sin_addr.s_addr) >> 24) == 127;
}

void address_text(const struct address *a, char text[ADDRESS_TEXT])
{
    char host[INET6_ADDRSTRLEN] = "";

    if (a->kind == ADDRESS_NONE) {
        (void)snprintf(text, ADDRESS_TEXT, "none");
    } else if (a->kind == ADDRESS_UNIX) {
        (void)snprintf(text, ADDRESS_TEXT, "unix:%s", a->socket.local.sun_path);
    } else if (a->socket.any.sa_family == AF_INET6) {
        (void)inet_ntop(AF_INET6, &a->socket.v6.sin6_addr, host, sizeof(host));
        (void)snprintf(text, ADDRESS_TEXT, "[%s]:%u", host, ntohs(a->socket.v6.sin6_port));
    } else {
        (void)inet_ntop(AF_INET, &a->socket.v4.sin_addr, host, sizeof(host));
        (void)snprintf(text, ADDRESS_TEXT, "%s:%u", host, ntohs(a->socket.v4.sin_port));
    }
}

/* A socket file on which no process listens is left from a crash and is replaced; else it is in use. */
static bool clear_stale(const struct address *a, struct error *err)
{
    const char *path = a->socket.local.sun_path;
    struct stat info;

    if (lstat(path, &info) != 0) {
        return true;
    }
    if (!S_ISSOCK(info.st_mode)) {
        return error_set(err, ERROR_INVALID, "unix:%s: a file that is no socket is there", path);
    }
    int probe CLEANUP(cleanup_fd) = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (probe < 0) {
        return error_errno(err, "unix:%s", path);
    }
    if (connect(probe, &a->socket.any, a->len) == 0) {
        return error_set(err, ERROR_DENIED, "unix:%s: another program listens there", path);
    }
    if (errno != ECONNREFUSED || unlink(path) != 0) {
        return error_errno(err, "unix:%s", path);
    }
    return true;
}

static bool prepare_unix(const struct address *a, struct error *err)
{
    char directory[sizeof(a->socket.local.sun_path)];
    const char *slash = strrchr(a->socket.local.sun_path, '/');

    memcpy(directory, a->socket.local.sun_path, sizeof(directory));
    directory[slash - a->socket.local.sun_path] = '\0';
    return (directory[0] == '\0' || file_make_directory(directory, err)) && clear_stale(a, err);
}

static bool bind_and_listen(int fd, struct address *a, unsigned mode)
{
    static const int on = 1;

    if (a->kind == ADDRESS_TCP) {
        (void)setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
        return bind(fd, &a->socket.any, a->len) == 0 && listen(fd, BACKLOG) == 0 &&
               getsockname(fd, &a->socket.any, &a->len) == 0;
    }
    /* No client can connect before listen, so the mode is in force from the first connection on. */
    return bind(fd, &a->socket.any, a->len) == 0 &&
           chmod(a->socket.local.sun_path, (mode_t)mode) == 0 && listen(fd, BACKLOG) == 0;
}

static bool listen_as(int type, struct address *a, unsigned mode, int *fd, struct error *err)
{
    char text[ADDRESS_TEXT];

    address_text(a, text);
    if (a->kind == ADDRESS_UNIX && !prepare_unix(a, err)) {
        return false;
    }
    int opened = socket(a->socket.any.sa_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (opened < 0 || !bind_and_listen(opened, a, mode)) {
        error_errno(err, "%s", text);
        cleanup_fd(&opened);
        return false;
    }
    *fd = opened;
    return true;
}

bool address_listen(struct address *a, unsigned mode, int *fd, struct error *err)
{
    return listen_as(SOCK_STREAM, a, mode, fd, err);
}

bool address_listen_packets(struct address *a, unsigned mode, int *fd, struct error *err)
{
    return listen_as(SOCK_SEQPACKET, a, mode, fd, err);
}
