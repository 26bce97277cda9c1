/* features.h - probes which isolation mechanisms this machine supports. */
#ifndef FILTERD_JAIL_CTL_FEATURES_H
#define FILTERD_JAIL_CTL_FEATURES_H

#include <stddef.h>

#include "base/error.h"

struct jail_feature {
    const char *name;
    bool is_there;
    bool is_needed; /* required for any jail; otherwise a policy may do without it */
    char detail[200]; /* the result of the probe, or the failure */
};

enum { JAIL_FEATURES_MAX = 16 };

/* Fills `found`, returns how many. Leaves nothing behind. */
size_t jail_features_find(struct jail_feature found[JAIL_FEATURES_MAX]);

#endif
