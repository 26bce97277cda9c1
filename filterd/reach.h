/* reach.h - the files and ports that the service may reach: what its configuration names, and nothing else. */
#ifndef FILTERD_REACH_H
#define FILTERD_REACH_H

#include "service/service.h"

/* The path of an address unix:/path; NULL of others. */
const char *reach_socket(const char *address);
/* Restricts this process to them, for good. Each but the options may be NULL. Before the first thread. */
void reach_restrict(const struct service_options *o, const struct upstreams *upstreams, const struct endpoints *endpoints,
                    const struct witnesses *witnesses);

#endif
