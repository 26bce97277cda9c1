/* agents_door.h - the registration socket of jails, and the thread that serves it.
 *
 * The socket is a Unix socket of datagrams with boundaries; jail/lease/agent_wire.h is its protocol. For each jail the
 * thread renews the lease, counts reported violations, and kills the jail when its launcher ends before it. The thread
 * also records what the killer did, and acts on questions that no operator answered in time. Any user with access to
 * the socket can register a jail under any agent name, except a name that another user's jail has; root may. */
#ifndef FILTERD_HTTP_AGENTS_DOOR_H
#define FILTERD_HTTP_AGENTS_DOOR_H

#include "base/address.h"
#include "http/service.h"

struct registration_socket;

/* Binds the socket with that mode. With ADDRESS_NONE jails cannot register; the thread does the rest. NULL with err. */
struct registration_socket *registration_socket_open(struct service *s, const struct address *a, unsigned mode,
                                                     struct error *err);
MUST_CHECK bool registration_socket_start(struct registration_socket *d, struct error *err);
/* Ends every lease. Accepts NULL. */
void registration_socket_close(struct registration_socket *d);

#endif
