#include "jail/launcher/handover.h"

#include <errno.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "base/cleanup.h"

enum {
    ROOM = 12 * 1024 * 1024, /* for a policy, which may be 256 KiB of YAML, and what follows from it; unused pages are never there */
    PIECE = 32 * 1024,
    DESCRIPTORS = JAIL_DESCRIPTORS_MAX,
};

void jail_handover_init(struct jail_handover *h)
{
    *h = (struct jail_handover){0};
}

/* In the order in which they are sent. */
static void list_descriptors(struct jail_launch *l, int *all[DESCRIPTORS])
{
    size_t n = 0;

    for (size_t i = 0; i < COUNT(l->stdio); i++) {
        all[n++] = &l->stdio[i];
    }
    all[n++] = &l->egress;
    for (size_t i = 0; i < COUNT(l->inputs); i++) {
        all[n++] = &l->inputs[i];
    }
    for (size_t i = 0; i < COUNT(l->cgroup_fds); i++) {
        all[n++] = &l->cgroup_fds[i];
    }
}

bool jail_handover_reserve(struct jail_handover *h, struct error *err)
{
    void *memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    int *descriptors[DESCRIPTORS];

    if (memory == MAP_FAILED) { /* NOLINT(performance-no-int-to-ptr): the system's own constant */
        return error_errno(err, "memory");
    }
    h->memory = memory;
    arena_init_in(&h->arena, memory, ROOM);
    h->launch = arena_alloc(&h->arena, sizeof(*h->launch), err);
    if (h->launch == NULL) {
        return false;
    }
    *h->launch = (struct jail_launch){.control = -1, .authority = ""};
    list_descriptors(h->launch, descriptors);
    for (size_t i = 0; i < COUNT(descriptors); i++) {
        *descriptors[i] = -1;
    }
    return true;
}

void jail_handover_close(struct jail_handover *h)
{
    int *descriptors[DESCRIPTORS];

    if (h->launch == NULL) {
        return;
    }
    h->launch->egress = -1;
    list_descriptors(h->launch, descriptors);
    for (size_t i = 0; i < COUNT(descriptors); i++) {
        cleanup_fd(descriptors[i]);
        *descriptors[i] = -1;
    }
}

void jail_handover_deinit(struct jail_handover *h)
{
    jail_handover_close(h);
    if (h->memory != NULL) {
        (void)munmap(h->memory, ROOM);
    }
    jail_handover_init(h);
}

/* An init that stands still makes nobody deaf. */
static bool await_room(int channel, int cancel, struct error *err)
{
    struct pollfd p[] = {{.fd = channel, .events = POLLOUT}, {.fd = cancel, .events = POLLIN}};

    while (poll(p, COUNT(p), -1) < 0 && errno == EINTR) {
    }
    return p[1].revents == 0 || error_set(err, ERROR_LIMIT, "the launcher received a signal before the command began");
}

/* Datagrams, so that each has a beginning and an end. */
static bool send_memory(const struct jail_handover *h, size_t bytes, int channel, int cancel, struct error *err)
{
    for (size_t done = 0; done < bytes;) {
        size_t n = bytes - done < PIECE ? bytes - done : PIECE;
        if (!await_room(channel, cancel, err)) {
            return false;
        }
        ssize_t sent = send(channel, (const char *)h->memory + done, n, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) {
            continue;
        }
        if (sent != (ssize_t)n) {
            return error_errno(err, "channel");
        }
        done += n;
    }
    return true;
}

bool jail_handover_send(const struct jail_handover *h, int channel, int cancel, struct error *err)
{
    const struct jail_message go = {.kind = JAIL_MESSAGE_GO, .bytes = arena_extent(&h->arena)};
    int *descriptors[DESCRIPTORS], open[DESCRIPTORS];
    size_t n = 0;

    list_descriptors(h->launch, descriptors);
    for (size_t i = 0; i < COUNT(descriptors); i++) {
        if (*descriptors[i] >= 0) {
            open[n++] = *descriptors[i];
        }
    }
    return (jail_message_send(channel, &go, open, n) || error_errno(err, "channel")) &&
           send_memory(h, go.bytes, channel, cancel, err);
}

static bool receive_memory(struct jail_handover *h, size_t bytes, int channel)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t n = recv(channel, (char *)h->memory + done, bytes - done, 0);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            return false;
        }
        done += (size_t)n;
    }
    return true;
}

bool jail_handover_receive(struct jail_handover *h, int channel)
{
    int *descriptors[DESCRIPTORS], fds[JAIL_DESCRIPTORS_MAX];
    struct jail_message m;
    size_t n = 0;

    if (!jail_message_receive(channel, &m, fds) || m.kind != JAIL_MESSAGE_GO || m.bytes > ROOM ||
        !receive_memory(h, m.bytes, channel)) {
        return false;
    }
    list_descriptors(h->launch, descriptors);
    for (size_t i = 0; i < COUNT(descriptors); i++) {
        *descriptors[i] = *descriptors[i] < 0 ? -1 : fds[n++]; /* the same one, under this process's number */
    }
    h->launch->control = channel;
    return true;
}
