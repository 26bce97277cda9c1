/* ext_proc.h - the listener for Envoy's external processing (ext_proc), a gRPC service on a socket of its own.
 *
 * Envoy forwards requests and answers itself and sends each part of them here first. An exchange is judged, recorded and counted as one
 * of the reverse proxy is (proxy/proxy.h), for the upstream that the call's metadata `filterd-upstream` names: its protocol, policy,
 * block style and limits; its URL and credential are not used. Connections are served by the reactors of the proxy.
 *
 * The address is opened before the sandbox; the reactors run from service_start on. */
#ifndef FILTERD_ENVOY_EXT_PROC_H
#define FILTERD_ENVOY_EXT_PROC_H

#include "service/listener.h"

struct ext_proc;

/* Binds the address; it may be NULL or "none": then *out is NULL. Refuses one that other machines can reach if there is neither a
 * token nor a client CA, and every one if there is no upstream. */
MUST_CHECK bool ext_proc_open(struct service *s, const char *address, struct ext_proc **out, struct error *err);
MUST_CHECK bool ext_proc_check(const char *address, bool has_credentials, bool has_upstreams, struct error *err);
/* Accepts connections. Accepts NULL. */
MUST_CHECK bool ext_proc_start(struct ext_proc *e, struct error *err);
/* Accepts no more connections, and tells those that are open to make no more calls. Accepts NULL. */
void ext_proc_drain(struct ext_proc *e);
/* Closes them and waits until that is done; before the reactors stop. Accepts NULL. */
void ext_proc_stop(struct ext_proc *e);

#endif
