/* outputs.h - files that the command left in its outputs folder, copied to a quarantine outside.
 *
 * Read when nothing of the jail runs any more, through the folder's own mount. Only regular files with
 * one name each come out, as data: no links, devices, sockets, no rights, no attributes. A file comes out whole or not
 * at all. Holes stay holes and cost nothing; what is not a hole is counted, and room for it is reserved before it is
 * written. Where the quarantine's file system reserves no room it may not know holes either: there a file counts with
 * its whole length. */
#ifndef FILTERD_JAIL_LAUNCHER_OUTPUTS_H
#define FILTERD_JAIL_LAUNCHER_OUTPUTS_H

#include <stdint.h>

#include "jail/policy/policy.h"

enum { JAIL_OUTPUTS_DEPTH_MAX = 16 };

/* Why a file, or a folder with all that is in it, stays behind. */
enum jail_outputs_refusal {
    JAIL_OUTPUTS_KIND, /* not regular, more than one name, too deep, not readable */
    JAIL_OUTPUTS_SIZE, /* it would pass outputs.size */
    JAIL_OUTPUTS_ROOM, /* the quarantine's file system, quota or limit of file sizes has no room for it */
    JAIL_OUTPUTS_TIME, /* outputs.deadline was over */
    JAIL_OUTPUTS_REFUSALS
};

struct jail_outputs_report {
    char folder[JAIL_PATH_MAX]; /* made for this run; empty: nothing came out */
    int64_t files, bytes;       /* bytes that were written: holes are none */
    int64_t refused[JAIL_OUTPUTS_REFUSALS];
};

/* "kind", "size", "room", "time". */
const char *jail_outputs_refusal_name(enum jail_outputs_refusal why);
int64_t jail_outputs_refused(const struct jail_outputs_report *report);

/* Opens the quarantine, a folder that others cannot write, before the jail starts. */
int jail_outputs_open(const struct jail_policy *p, struct error *err);
/* `mount`: the outputs folder; `run` names the new folder in the quarantine. SIGXFSZ is ignored, so that a limit of file
 * sizes is an error of a write. */
MUST_CHECK bool jail_outputs_collect(const struct jail_policy *p, int mount, int quarantine, const char *run,
                                     struct jail_outputs_report *report, struct error *err);

#endif
