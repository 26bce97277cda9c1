/* upstream_read.h - the keys of an upstreams file, and of one upstream; for upstream.c and tests. */
#ifndef FILTERD_UPSTREAM_UPSTREAM_READ_H
#define FILTERD_UPSTREAM_UPSTREAM_READ_H

#include "base/fields.h"
#include "upstream/upstream.h"

/* Into struct upstreams and struct upstream. */
extern const struct field upstreams_fields[], upstream_fields[];

#endif
