/* cache.h - where filterctl keeps compiled rules between its runs. */
#ifndef FILTERD_CTL_CACHE_H
#define FILTERD_CTL_CACHE_H

#include <limits.h>

#include "ctl/options.h"

/* --cache, or the user's own folder; NULL for none: by the options, because there is no such folder, or because others can
 * write it. */
const char *cache_directory(const struct arguments *args, char path[PATH_MAX]);

#endif
