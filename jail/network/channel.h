/* channel.h - messages between the launcher and filterd-egress: datagrams, with descriptors.
 *
 * Each jail has one channel (AF_UNIX, SOCK_SEQPACKET). filterd-egress sends READY when it is able to serve; the jail's init
 * answers with the sockets it made in the jail's network (SOCKETS); from then on filterd-egress reports refusals
 * (EVENT). When either side closes the channel, the other ends, too. */
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
    JAIL_CHANNEL_FAILED,    /* to the launcher; text: why filterd-egress cannot serve */
    JAIL_CHANNEL_SOCKETS,     /* to filterd-egress; the sockets, in the order of the counts; text: the jail's canary */
    JAIL_CHANNEL_EVENT,     /* to the launcher; event: of jail/policy/event.h; text: its detail */
    JAIL_CHANNEL_NOTE,      /* to filterd-egress; text: a socket that the jail was denied, for the record */
};

struct jail_channel_message {
    enum jail_channel_kind kind;
    int event;
    /* of SOCKETS: capturing listeners, proxy listeners; listeners and datagram sockets of port 53; a packet socket */
    unsigned n_streams, n_proxies, n_name_streams, n_names, n_packets;
    char text[JAIL_CHANNEL_TEXT];
};

/* Sends one datagram. `flags` of sendmsg: with MSG_DONTWAIT it is dropped when the peer does not read. */
MUST_CHECK bool jail_channel_send(int channel, const struct jail_channel_message *m, const int *fds, size_t n,
                                  int flags);

/* The result of a receive; NOTHING: no datagram is waiting, with MSG_DONTWAIT. */
enum jail_channel_result { JAIL_CHANNEL_END, JAIL_CHANNEL_NOTHING, JAIL_CHANNEL_CAME };
/* The caller owns the descriptors, which are close-on-exec; *n is their number. A malformed datagram is the END. */
enum jail_channel_result jail_channel_receive(int channel, struct jail_channel_message *m,
                                              int fds[JAIL_CHANNEL_SOCKETS_MAX], size_t *n, int flags);

#endif
