/* places.h - default paths: systemd's directories, the desktop's, the system's.
 */
#ifndef FILTERD_PLACES_H
#define FILTERD_PLACES_H

#include "base/arena.h"
#include "service/service.h"

/* Fills in what the configuration left open. Fails when there is no place for the record. */
MUST_CHECK bool places_find(struct arena *a, struct service_options *s, struct error *err);

#endif
