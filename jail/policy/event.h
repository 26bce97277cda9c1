/* event.h - security events of a jail: stored for the run's report, in the order of arrival.
 *
 * All are counted; at most JAIL_EVENTS_MAX are stored with their detail. A detail is one readable line: names, places and
 * rules, never content; text chosen by the jail is truncated and stripped of control characters. One thread. */
#ifndef FILTERD_JAIL_POLICY_EVENT_H
#define FILTERD_JAIL_POLICY_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum { JAIL_EVENTS_MAX = 256, JAIL_EVENT_DETAIL = 160 };

enum jail_event_kind {
    JAIL_EVENT_PATH_HONEYTOKEN,      /* a honeytoken was opened */
    JAIL_EVENT_SYSCALL_REFUSED, /* a denied system call that ordinary programs do not make */
    JAIL_EVENT_NET_HOST,        /* a host, port, method or path that no rule allows, or a hidden server name */
    JAIL_EVENT_NET_ADDRESS,     /* an address that no rule may reach: metadata, private, loopback */
    JAIL_EVENT_NET_RAW,         /* bypassing the egress proxy: UDP, ICMP, a port without a listener */
    JAIL_EVENT_NET_DNS,         /* a query for a name that no rule allows */
    JAIL_EVENT_NET_BUDGET,      /* a rate or a byte budget was exhausted */
    JAIL_EVENT_NET_CREDENTIAL,  /* a credential outside its scope */
    JAIL_EVENT_BODY_CANARY,     /* outgoing content of a honeytoken */
    JAIL_EVENT_BODY_REFUSED,    /* the filter refused outgoing or incoming content */
    JAIL_EVENT_LIMIT_REACHED,   /* more memory, processes, time or output than is allowed */
    JAIL_EVENT_NET_LOST,        /* the egress proxy ended before the jail, which has no network since then */
    JAIL_EVENT_KINDS
};

/* The name in reports: "path.honeytoken", "net.host". */
const char *jail_event_name(enum jail_event_kind kind);
/* The kind of violation that filterd counts (filterd-policy(5)); NULL: none. */
const char *jail_event_violation(enum jail_event_kind kind);

struct jail_event {
    enum jail_event_kind kind;
    int64_t utc_ns;
    char detail[JAIL_EVENT_DETAIL];
};

/* Zero everything up to `items` for an empty list; `items` from n on may be uninitialised. */
struct jail_events {
    size_t n;
    uint64_t counts[JAIL_EVENT_KINDS];
    void (*forward)(void *context, const struct jail_event *event); /* called for each event at once; may be NULL */
    void *context;
    struct jail_event items[JAIL_EVENTS_MAX];
};

void jail_event_report(struct jail_events *e, enum jail_event_kind kind, const char *detail);

#endif
