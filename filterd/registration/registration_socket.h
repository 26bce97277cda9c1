/* registration_socket.h - the registration socket of jails, and the thread that serves it.
 *
 * The socket is a Unix socket of datagrams with boundaries; jail/lease/agent_wire.h is its protocol. For each jail the
 * thread renews the lease, counts reported violations, and kills the jail when its launcher ends before it. The thread
 * also records the killer's actions, and acts on questions that no operator answered in time. Any user with access to
 * the socket can register a jail under any agent name, except a name that another user's jail has; root can use any name. */
#ifndef FILTERD_REGISTRATION_REGISTRATION_SOCKET_H
#define FILTERD_REGISTRATION_REGISTRATION_SOCKET_H

#include "base/address.h"
#include "enforce/agents.h"
#include "enforce/helper.h"
#include "http/identities.h"
#include "policy/policy.h"

struct registration_socket;

/* The objects that the thread uses. All must outlive the socket. */
struct registration_owner {
    struct agents *agents;
    struct helper *helper;
    struct identities *identities;
    uint64_t kill_test; /* seconds between two self-tests of the kill */
    struct snapshot *(*snapshot)(void *context); /* the current one; the thread releases the reference */
    void *context;
};

/* Binds the socket with that mode. With ADDRESS_NONE jails cannot register; the thread still does its other work. NULL with
 * err. */
struct registration_socket *registration_socket_open(const struct registration_owner *owner, const struct address *a,
                                                     unsigned mode, struct error *err);
MUST_CHECK bool registration_socket_start(struct registration_socket *d, struct error *err);
/* Ends every lease. Accepts NULL. */
void registration_socket_close(struct registration_socket *d);

#endif
