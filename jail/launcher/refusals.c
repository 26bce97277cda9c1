#include "jail/launcher/refusals.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <poll.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/span.h"

enum { TURN_MS = 10, AHEAD_MS = 10 * 1000 };
enum { AT_ONCE = 16, NAME_MAX_BYTES = 64, COMMAND_MAX = 32, ROOM = 1024, SOCKET_KIND = 0xf };

/* The kernel's may be longer than those of our headers. */
union request {
    struct seccomp_notif notif;
    char room[ROOM];
};
union answer {
    struct seccomp_notif_resp response;
    char room[ROOM];
};

static void name_call(int number, char name[NAME_MAX_BYTES])
{
    char *text CLEANUP(cleanup_free) = seccomp_syscall_resolve_num_arch(SCMP_ARCH_NATIVE, number);

    if (text == NULL) {
        (void)snprintf(name, NAME_MAX_BYTES, "number %d", number);
    } else {
        (void)snprintf(name, NAME_MAX_BYTES, "%s", text);
    }
}

static void name_socket(const struct seccomp_data *data, char name[NAME_MAX_BYTES])
{
    static const struct {
        unsigned family;
        const char *name;
    } families[] = {{AF_INET, "IPv4"},        {AF_INET6, "IPv6"},  {AF_PACKET, "packets"},     {AF_VSOCK, "vsock"},
                    {AF_CAN, "CAN"},          {AF_ALG, "ciphers"}, {AF_BLUETOOTH, "Bluetooth"}, {AF_XDP, "XDP"}};
    unsigned family = (unsigned)data->args[0], kind = (unsigned)data->args[1] & SOCKET_KIND;
    const char *what = "another family";

    for (size_t i = 0; i < COUNT(families); i++) {
        what = families[i].family == family ? families[i].name : what;
    }
    static const char *const kinds[] = {[SOCK_STREAM] = "stream",       [SOCK_DGRAM] = "datagram", [SOCK_RAW] = "raw",
                                        [SOCK_SEQPACKET] = "seqpacket", [SOCK_DCCP] = "DCCP"};
    const char *how = kind < COUNT(kinds) && kinds[kind] != NULL ? kinds[kind] : "strange";
    (void)snprintf(name, NAME_MAX_BYTES, "a %s socket of %s, protocol %u", how, what,
                   (unsigned)data->args[2]);
}

/* The name that a program has is its own choice; the event makes it plain. */
static void name_command(unsigned pid, char name[COMMAND_MAX])
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%u/comm", pid);
    int fd CLEANUP(cleanup_fd) = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, name, COMMAND_MAX - 1);
    name[n < 0 ? 0 : n] = '\0';
    name[strcspn(name, "\n")] = '\0';
}

/* Go's listeners try MPTCP first and fall back: recorded, not counted as an event. */
static bool is_honest(const struct seccomp_data *data, bool is_socket)
{
    return is_socket && data->args[2] == IPPROTO_MPTCP && ((unsigned)data->args[1] & SOCKET_KIND) == SOCK_STREAM;
}

static void report(const struct seccomp_notif *request, const struct jail_egress *w, struct jail_events *events)
{
    bool is_socket = request->data.nr == SCMP_SYS(socket);
    char name[NAME_MAX_BYTES], command[COMMAND_MAX], detail[JAIL_EVENT_DETAIL];

    if (is_socket) {
        name_socket(&request->data, name);
        jail_egress_note(w, name);
    } else {
        name_call(request->data.nr, name);
    }
    if (is_honest(&request->data, is_socket)) {
        return;
    }
    name_command(request->pid, command);
    (void)snprintf(detail, sizeof(detail), "%s by %s", name, command[0] == '\0' ? "a process" : command);
    jail_event_report(events, is_socket ? JAIL_EVENT_NET_RAW : JAIL_EVENT_SYSCALL_REFUSED, detail);
}

bool jail_refusals_wait(const struct jail_refusals *r)
{
    return r->next_ms - clock_monotonic_ms() > AHEAD_MS;
}

static void throttle(struct jail_refusals *r)
{
    int64_t now = clock_monotonic_ms();

    r->next_ms = (r->next_ms > now ? r->next_ms : now) + TURN_MS;
}

void jail_refusals_take(struct jail_refusals *r, int notify_fd, const struct jail_egress *w, struct jail_events *events)
{
    struct pollfd p = {.fd = notify_fd, .events = POLLIN};

    for (int i = 0; i < AT_ONCE && !jail_refusals_wait(r) && poll(&p, 1, 0) == 1 && (p.revents & POLLIN) != 0; i++) {
        union request request = {.room = {0}};
        union answer answer = {.room = {0}};
        if (ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_RECV, &request) != 0) {
            continue; /* the process has exited */
        }
        throttle(r);
        report(&request.notif, w, events);
        answer.response.id = request.notif.id;
        answer.response.error = -EPERM;
        (void)!ioctl(notify_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer);
    }
}
