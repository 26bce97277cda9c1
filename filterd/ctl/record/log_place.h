/* log_place.h - where filterd keeps its decision log and its state. */
#ifndef FILTERD_CTL_RECORD_LOG_PLACE_H
#define FILTERD_CTL_RECORD_LOG_PLACE_H

#include <limits.h>

#include "ctl/options.h"

struct log_place {
    char log[PATH_MAX];   /* the open file */
    char state[PATH_MAX]; /* the state directory; where it is not known, the folder of the log */
    bool is_asked;        /* a running filterd has said so */
};

/* What --config says; else what a running filterd says, asked at --operators or at the default socket; else the first of its
 * default places that can be read. Fails with what was tried. */
MUST_CHECK bool log_place_find(const struct arguments *args, struct log_place *out, struct error *err);

#endif
