/* dns.h - the jail's resolver: answers for hosts that a rule allows, and for no others.
 *
 * A query for another name is refused and not forwarded, so that names exfiltrate
 * nothing; so is every type but A and AAAA. Addresses that the rule may not reach are omitted. */
#ifndef FILTERD_JAIL_EGRESS_DNS_H
#define FILTERD_JAIL_EGRESS_DNS_H

#include "jail/egress/dns_message.h"
#include "jail/egress/session.h"

struct egress_dns;

/* Serves a UDP socket until `stop` is readable; both are borrowed. NULL with err. */
struct egress_dns *egress_dns_start(struct egress_service *service, int fd, int stop, struct error *err);
/* Waits for the threads, each as long as a lookup under way takes. */
void egress_dns_join(struct egress_dns *d);

/* Takes a connection over, answers what it asks (RFC 1035, 4.2.2), one after the other, and closes it. */
void egress_dns_serve(struct egress_service *service, int fd);

/* One packet to its answer, recorded; false when there is none. */
bool egress_dns_answer(struct egress_service *service, struct span packet, struct buf *out);

#endif
