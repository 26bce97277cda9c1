#include "jail/launcher/relay.h"

#include <errno.h>
#include <unistd.h>

void jail_relay_init(struct jail_relay *r, int from, int to)
{
    r->from = from;
    r->to = to;
    r->at = r->len = 0;
    r->carried = 0;
}

struct pollfd jail_relay_wanted(const struct jail_relay *r)
{
    if (r->len > 0) {
        return (struct pollfd){.fd = r->to, .events = POLLOUT};
    }
    return (struct pollfd){.fd = r->to < 0 ? -1 : r->from, .events = POLLIN};
}

static void take(struct jail_relay *r)
{
    ssize_t n = read(r->from, r->bytes, sizeof(r->bytes));

    if (n > 0) {
        r->at = 0;
        r->len = (size_t)n;
    } else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
        r->from = -1; /* EIO: the last process closed the terminal */
    }
}

static void give(struct jail_relay *r)
{
    ssize_t n = write(r->to, r->bytes + r->at, r->len);

    if (n > 0) {
        r->at += (size_t)n;
        r->len -= (size_t)n;
        r->carried += (uint64_t)n;
    } else if (n < 0 && errno != EINTR && errno != EAGAIN) {
        r->from = r->to = -1; /* the reader is gone: the writer gets EPIPE from its own pipe */
        r->len = 0;
    }
}

void jail_relay_step(struct jail_relay *r, const struct pollfd *p)
{
    if (p->fd < 0 || p->revents == 0) {
        return;
    }
    if (r->len > 0) {
        give(r);
    } else {
        take(r);
    }
}

bool jail_relay_is_over(const struct jail_relay *r)
{
    return (r->from < 0 && r->len == 0) || r->to < 0;
}
