/* service_parts.h - inside the service: what service_init and a reload both read. For service.c and service_load.c. */
#ifndef FILTERD_SERVICE_SERVICE_PARTS_H
#define FILTERD_SERVICE_SERVICE_PARTS_H

#include "service/service.h"

struct snapshot *service_load_snapshot(const struct service_options *o, struct error *err);
MUST_CHECK bool service_load_tokens(const struct service_options *o, struct tokens **out, struct error *err);

#endif
