/* event.h - security events of a jail: kept for the run's report, in the order of arrival.
 *
 * At most JAIL_EVENTS_MAX are kept with their detail, all are counted. A detail is one line for people: names, places and
 * rules, never content; what the jail chose in it is shortened and without control characters. One thread. */
#ifndef FILTERD_JAIL_POLICY_EVENT_H
#define FILTERD_JAIL_POLICY_EVENT_H

#include <stddef.h>
#include <stdint.h>

enum { JAIL_EVENTS_MAX = 256, JAIL_EVENT_DETAIL = 160 };

enum jail_event_kind {
    JAIL_EVENT_PATH_HONEYTOKEN,      /* a honeytoken was opened */
    JAIL_EVENT_SYSCALL_REFUSED, /* a denied system call that ordinary programs do not make */
    JAIL_EVENT_NET_HOST,        /* a host, port, method or path that no rule allows, or a name that hides itself */
    JAIL_EVENT_NET_ADDRESS,     /* an address that no rule may reach: metadata, private, loopback */
    JAIL_EVENT_NET_RAW,         /* bypassing the egress proxy: UDP, ICMP, a port without a listener */
    JAIL_EVENT_NET_DNS,         /* a question for a name that no rule allows */
    JAIL_EVENT_NET_BUDGET,      /* a rate or a number of bytes was used up */
    JAIL_EVENT_NET_CREDENTIAL,  /* a credential outside its scope */
    JAIL_EVENT_BODY_CANARY,     /* outgoing content of a honeytoken */
    JAIL_EVENT_BODY_REFUSED,    /* the filter did not let content out or in */
    JAIL_EVENT_LIMIT_REACHED,   /* more memory, processes, time or output than is allowed */
    JAIL_EVENT_NET_LOST,        /* the egress proxy ended before the jail did; the jail has no network since */
    JAIL_EVENT_KINDS
};

/* "path.honeytoken", "net.host": as weights of violations name them. */
const char *jail_event_name(enum jail_event_kind kind);
/* What filterd counts it as (filterd-policy(5)); NULL: as nothing. */
const char *jail_event_violation(enum jail_event_kind kind);

struct jail_event {
    enum jail_event_kind kind;
    int64_t utc_ns;
    char detail[JAIL_EVENT_DETAIL];
};

/* Nothing in `items` from n on need be written: zeroed up to there it is empty. */
struct jail_events {
    size_t n;
    uint64_t counts[JAIL_EVENT_KINDS];
    void (*forward)(void *context, const struct jail_event *event); /* called for each event at once; may be NULL */
    void *context;
    struct jail_event items[JAIL_EVENTS_MAX];
};

void jail_event_report(struct jail_events *e, enum jail_event_kind kind, const char *detail);

#endif
