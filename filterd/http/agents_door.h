/* agents_door.h - where jails register with filterd, and the thread that looks after them.
 *
 * A Unix socket (jail/lease/agent_wire.h says what is spoken there). For each jail the thread renews
 * the lease, takes its violations, and ends it when its launcher is gone but it is not. It also puts
 * on record what the killer did, and takes up questions that no operator answered. Whoever may open
 * the socket may register; a name that one user's jail bears is not another user's, but root's. */
#ifndef FILTERD_HTTP_AGENTS_DOOR_H
#define FILTERD_HTTP_AGENTS_DOOR_H

#include "base/address.h"
#include "http/service.h"

struct agents_door;

/* Binds the socket with that mode; ADDRESS_NONE: jails cannot register, the rest is done all the same. NULL with err. */
struct agents_door *agents_door_open(struct service *s, const struct address *a, unsigned mode, struct error *err);
MUST_CHECK bool agents_door_start(struct agents_door *d, struct error *err);
/* Every lease ends with it. NULL is fine. */
void agents_door_close(struct agents_door *d);

#endif
