/* dns.h - the jail's resolver, which answers only for hosts that a rule allows.
 *
 * It refuses a query for another name, or of a type other than A and AAAA, and does not forward it, so that names cannot
 * exfiltrate data. It omits addresses that the rule may not reach. */
#ifndef FILTERD_JAIL_EGRESS_DNS_H
#define FILTERD_JAIL_EGRESS_DNS_H

#include "jail/egress/dns_message.h"
#include "jail/egress/session.h"

struct egress_dns;

/* Serves a UDP socket until `stop` is readable; both are borrowed. NULL with err. */
struct egress_dns *egress_dns_start(struct egress_service *service, int fd, int stop, struct error *err);
/* Waits for the threads, each until its active lookup ends. */
void egress_dns_join(struct egress_dns *d);

/* Takes a connection over, answers its queries in sequence (RFC 1035, 4.2.2), and closes it. */
void egress_dns_serve(struct egress_service *service, int fd);

#endif
