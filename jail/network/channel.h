/* channel.h - messages between the launcher and filterd-egress: datagrams, with descriptors.
 *
 * One channel a jail (AF_UNIX, SOCK_SEQPACKET). filterd-egress says READY once it could serve; the jail's init
 * answers with the sockets it made in the jail's network (SOCKETS); from then on filterd-egress reports what it refused
 * (EVENT) until either side's end, which is the other's, too. */
#ifndef FILTERD_JAIL_NETWORK_CHANNEL_H
#define FILTERD_JAIL_NETWORK_CHANNEL_H

#include <stddef.h>

#include "base/error.h"

enum {
    JAIL_CHANNEL_TEXT = 4096,
    JAIL_CHANNEL_SOCKETS_MAX = 64,
};

enum jail_channel_kind {
    JAIL_CHANNEL_READY = 1, /* to the launcher; text: the certificate of the jail's authority (PEM), or nothing */
    JAIL_CHANNEL_FAILED,    /* to the launcher; text: why it does not serve */
    JAIL_CHANNEL_SOCKETS,     /* to filterd-egress; the sockets, in the order of the counts; text: the jail's canary */
    JAIL_CHANNEL_EVENT,     /* to the launcher; event: of jail/policy/event.h; text: its detail */
    JAIL_CHANNEL_NOTE,      /* to filterd-egress; text: a socket that the jail was refused, for the record */
};

struct jail_channel_message {
    enum jail_channel_kind kind;
    int event;
    /* of SOCKETS: capturing listeners, proxy listeners; listeners and datagram sockets of port 53; a packet socket */
    unsigned n_streams, n_proxies, n_name_streams, n_names, n_packets;
    char text[JAIL_CHANNEL_TEXT];
};

/* One datagram. `flags` of sendmsg: MSG_DONTWAIT drops it when the other side does not read. */
MUST_CHECK bool jail_channel_send(int channel, const struct jail_channel_message *m, const int *fds, size_t n,
                                  int flags);

/* What came; NOTHING: no datagram without waiting, where flags say MSG_DONTWAIT. */
enum jail_channel_result { JAIL_CHANNEL_END, JAIL_CHANNEL_NOTHING, JAIL_CHANNEL_CAME };
/* Descriptors are the caller's, close-on-exec; *n is 0 where none came. A datagram that is malformed is the end. */
enum jail_channel_result jail_channel_receive(int channel, struct jail_channel_message *m,
                                              int fds[JAIL_CHANNEL_SOCKETS_MAX], size_t *n, int flags);

#endif
