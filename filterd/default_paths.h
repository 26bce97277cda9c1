/* default_paths.h - where files are by default: systemd's directories, those of the desktop, those of the system. */
#ifndef FILTERD_DEFAULT_PATHS_H
#define FILTERD_DEFAULT_PATHS_H

#include "base/arena.h"
#include "service/service.h"

/* Sets each path that the configuration left open; their memory is the arena's. Fails when there is no directory for the record. */
MUST_CHECK bool default_paths_set(struct arena *a, struct service_options *s, struct error *err);

#endif
