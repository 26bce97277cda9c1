/* report.h - what is left of a run: one signed JSON file in the folder that the policy names.
 *
 * Written twice: ID.open.json before the command begins, and ID.json in its place when all is over. So a run whose
 * launcher was killed has left its open report, and a folder that cannot be written refuses the run. A
 * report names the policy's digest, those of copied inputs, how it ended, what was missing, denied and used; never what was read,
 * written or said. */
#ifndef FILTERD_JAIL_REPORT_REPORT_H
#define FILTERD_JAIL_REPORT_REPORT_H

#include "base/uuid.h"
#include "jail/launcher/run.h"
#include "jail/report/signature.h"

struct jail_report {
    int folder;
    char id[UUID_TEXT + 1]; /* names the file */
    struct jail_signing_key key;
    const struct jail_policy *policy;
    char *const *command;
    int64_t started_ns; /* since 1970 */
};

/* Writes the open report. The policy names a folder for reports; both are kept, not copied. */
MUST_CHECK bool jail_report_begin(struct jail_report *r, const struct jail_policy *p, char *const *command,
                                  struct error *err);
/* Puts the whole one in its place. `why`: what refused the run; NULL when the command was started. */
MUST_CHECK bool jail_report_end(struct jail_report *r, const struct jail_outcome *o, const struct error *why,
                                struct error *err);
void jail_report_close(struct jail_report *r);

#endif
