/* stages.h - who gets a policy bundle when, as an operator writes it: "1:10m,25%:30m,web-1+web-2:1h,100%".
 *
 * A number of nodes, a share of them or names, and for how long: a number of seconds, minutes or hours, 0 when left out. The last
 * is 100%. The database reads it (filterd.publish in packaging/postgresql/bundles.sql). Pure. */
#ifndef FILTERD_LINK_STAGES_H
#define FILTERD_LINK_STAGES_H

#include "base/error.h"

/* INVALID says what is expected. */
MUST_CHECK bool link_stages_check(const char *text, struct error *err);

#endif
