/* outputs.h - copies files from the command's outputs folder to a quarantine outside.
 *
 * Reads them through the folder's own mount when no process of the jail is left. Copies only regular files with
 * one name, as data: no links, devices or sockets, no permissions or attributes. A file is copied whole or not
 * at all. Holes remain holes and are not counted; space for the rest is counted and reserved before it is
 * written. A file system without reservation may not support holes either: there a file counts with
 * its full length. */
#ifndef FILTERD_JAIL_LAUNCHER_OUTPUTS_H
#define FILTERD_JAIL_LAUNCHER_OUTPUTS_H

#include <stdint.h>

#include "jail/policy/policy.h"

enum { JAIL_OUTPUTS_DEPTH_MAX = 16 };

/* Why a file, or a folder with its contents, is not copied. */
enum jail_outputs_refusal {
    JAIL_OUTPUTS_KIND, /* not regular, more than one name, too deep, not readable */
    JAIL_OUTPUTS_SIZE, /* it would exceed outputs.size */
    JAIL_OUTPUTS_ROOM, /* the quarantine's file system, quota or file size limit has no space for it */
    JAIL_OUTPUTS_TIME, /* outputs.deadline had passed */
    JAIL_OUTPUTS_REFUSALS
};

struct jail_outputs_report {
    char folder[JAIL_PATH_MAX]; /* created for this run; empty: nothing was copied */
    int64_t files, bytes;       /* bytes written, without holes */
    int64_t refused[JAIL_OUTPUTS_REFUSALS];
};

/* "kind", "size", "room", "time". */
const char *jail_outputs_refusal_name(enum jail_outputs_refusal why);
int64_t jail_outputs_refused(const struct jail_outputs_report *report);

/* Opens the quarantine, a folder that others cannot write, before the jail starts. */
int jail_outputs_open(const struct jail_policy *p, struct error *err);
/* `mount`: the outputs folder; `run` names the new folder in the quarantine. Ignores SIGXFSZ, so that a file size limit
 * is an error of a write. */
MUST_CHECK bool jail_outputs_collect(const struct jail_policy *p, int mount, int quarantine, const char *run,
                                     struct jail_outputs_report *report, struct error *err);

#endif
