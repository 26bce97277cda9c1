/* outputs.h - files that the command left in its outputs folder, copied to a quarantine outside.
 *
 * Read when nothing of the jail runs any more, through the folder's own mount. Only regular files with
 * one name each come out, as data: no links, devices, sockets, no rights, no attributes. */
#ifndef FILTERD_JAIL_LAUNCHER_OUTPUTS_H
#define FILTERD_JAIL_LAUNCHER_OUTPUTS_H

#include <stdint.h>

#include "jail/policy/policy.h"

enum { JAIL_OUTPUTS_DEPTH_MAX = 16 };

struct jail_outputs_report {
    char folder[JAIL_PATH_MAX]; /* made for this run; empty: nothing came out */
    int64_t files, bytes;
    int64_t refused; /* not regular, more than one name, too deep, not readable */
};

/* Opens the quarantine, a folder that others cannot write, before the jail starts. */
int jail_outputs_open(const struct jail_policy *p, struct error *err);
/* `mount`: the outputs folder; `run` names the new folder in the quarantine. */
MUST_CHECK bool jail_outputs_collect(const struct jail_policy *p, int mount, int quarantine, const char *run,
                                     struct jail_outputs_report *report, struct error *err);

#endif
