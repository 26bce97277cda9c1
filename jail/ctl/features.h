/* features.h - what this machine gives a jail, found out by trying. */
#ifndef FILTERD_JAIL_CTL_FEATURES_H
#define FILTERD_JAIL_CTL_FEATURES_H

#include <stddef.h>

#include "base/error.h"

struct jail_feature {
    const char *name;
    bool is_there;
    bool is_needed; /* no jail without it; else it is a mechanism that a policy may go without */
    char detail[200]; /* what was found, or what failed */
};

enum { JAIL_FEATURES_MAX = 16 };

/* Fills `found`, returns how many. Leaves nothing behind. */
size_t jail_features_find(struct jail_feature found[JAIL_FEATURES_MAX]);

#endif
