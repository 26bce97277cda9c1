#include "jail/launcher/event.h"

#include <stdio.h>
#include <time.h>

enum { DELETE = 0x7f };

const char *jail_event_name(enum jail_event_kind kind)
{
    static const char *const names[] = {
        [JAIL_EVENT_PATH_DECOY] = "path.decoy",       [JAIL_EVENT_SYSCALL_REFUSED] = "syscall.refused",
        [JAIL_EVENT_NET_HOST] = "net.host",           [JAIL_EVENT_NET_ADDRESS] = "net.address",
        [JAIL_EVENT_NET_RAW] = "net.raw",             [JAIL_EVENT_NET_DNS] = "net.dns",
        [JAIL_EVENT_NET_BUDGET] = "net.budget",       [JAIL_EVENT_NET_CREDENTIAL] = "net.credential",
        [JAIL_EVENT_BODY_REFUSED] = "body.refused",   [JAIL_EVENT_NET_LOST] = "net.lost",
    };

    return (unsigned)kind < JAIL_EVENT_KINDS ? names[kind] : "unknown";
}

/* A line that is printed to a terminal, and counted on to be one. */
static void make_plain(char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < ' ' || *text == DELETE) {
            *text = '?';
        }
    }
}

void jail_event_report(struct jail_events *e, enum jail_event_kind kind, const char *detail)
{
    struct jail_event event = {.kind = kind};
    struct timespec now;

    if ((unsigned)kind >= JAIL_EVENT_KINDS) {
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    event.utc_ns = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
    (void)snprintf(event.detail, sizeof(event.detail), "%s", detail);
    make_plain(event.detail);
    e->counts[kind]++;
    if (e->n < JAIL_EVENTS_MAX) {
        e->items[e->n++] = event;
    }
    if (e->forward != NULL) {
        e->forward(e->context, &event);
    }
}
