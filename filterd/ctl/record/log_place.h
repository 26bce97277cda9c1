/* log_place.h - where filterd keeps its decision log. */
#ifndef FILTERD_CTL_RECORD_LOG_PLACE_H
#define FILTERD_CTL_RECORD_LOG_PLACE_H

#include <limits.h>

#include "ctl/options.h"

/* What --config says; else what a running filterd says, asked at --operators or at the default socket; else the first of its
 * default places that can be read. Fails with what was tried. */
MUST_CHECK bool log_place_find(const struct arguments *args, char path[PATH_MAX], struct error *err);

#endif
