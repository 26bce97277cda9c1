#include "jail/policy/event.h"

#include <stdio.h>

#include "base/clock.h"

enum { DELETE = 0x7f };

static const struct {
    const char *name, *violation;
} kinds[JAIL_EVENT_KINDS] = {
    [JAIL_EVENT_PATH_HONEYTOKEN] = {"path.honeytoken", "honeytoken"},
    [JAIL_EVENT_SYSCALL_REFUSED] = {"syscall.refused", "syscall"},
    [JAIL_EVENT_NET_HOST] = {"net.host", "egress"},
    [JAIL_EVENT_NET_ADDRESS] = {"net.address", "egress"},
    [JAIL_EVENT_NET_RAW] = {"net.raw", "network"},
    [JAIL_EVENT_NET_DNS] = {"net.dns", "dns"},
    [JAIL_EVENT_NET_BUDGET] = {"net.budget", "egress"},
    [JAIL_EVENT_NET_CREDENTIAL] = {"net.credential", "egress"},
    [JAIL_EVENT_BODY_CANARY] = {"body.canary", "honeytoken"},
    [JAIL_EVENT_BODY_REFUSED] = {"body.refused", "block"},
    [JAIL_EVENT_LIMIT_REACHED] = {"limit.reached", "limit"},
    [JAIL_EVENT_NET_LOST] = {"net.lost", NULL},
};

const char *jail_event_name(enum jail_event_kind kind)
{
    return (unsigned)kind < JAIL_EVENT_KINDS ? kinds[kind].name : "unknown";
}

const char *jail_event_violation(enum jail_event_kind kind)
{
    return (unsigned)kind < JAIL_EVENT_KINDS ? kinds[kind].violation : NULL;
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
    struct jail_event event = {.kind = kind, .utc_ns = clock_utc_ns()};

    if ((unsigned)kind >= JAIL_EVENT_KINDS) {
        return;
    }
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
