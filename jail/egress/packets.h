/* packets.h - records packets that reach no listener: UDP, ICMP, other ports. They are never forwarded.
 *
 * The launcher made the packet socket in the jail's network (jail/network/capture.h). Lines per
 * second are limited; one more line has the number of the rest. */
#ifndef FILTERD_JAIL_EGRESS_PACKETS_H
#define FILTERD_JAIL_EGRESS_PACKETS_H

#include "jail/egress/attempt.h"

struct egress_packet {
    const char *kind; /* static: "tcp", "udp", "icmp", "ip" */
    uint16_t port;    /* 0: none */
    char to[EGRESS_ADDRESS_TEXT];
};

/* Parses the head of an IP packet; false when it is invalid, a reply, or addressed to the jail itself. `ports`: TCP ports with
 * listeners, whose connections are recorded elsewhere. */
bool egress_packet_read(struct span bytes, const uint16_t *ports, size_t n_ports, struct egress_packet *out);

struct egress_packets;

/* Reads them until `stop` is readable; log, ports and descriptors are borrowed. NULL with err. */
struct egress_packets *egress_packets_start(struct egress_log *log, int fd, int stop, const uint16_t *ports,
                                            size_t n_ports, struct error *err);
void egress_packets_join(struct egress_packets *p);

#endif
