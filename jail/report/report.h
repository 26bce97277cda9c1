/* report.h - the report of a run: one signed JSON file in the folder that the policy names.
 *
 * It is written twice: ID.open.json before the command starts, and ID.json, which replaces it, at the end. A run whose
 * launcher was killed therefore leaves its open report, and a folder that cannot be written refuses the run. A
 * report has the digests of the policy and of copied inputs, the end of the run, and what was missing, denied and used; it has
 * no content of input or output. */
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

/* Writes the open report. The policy must name a folder for reports; policy and command are borrowed. */
MUST_CHECK bool jail_report_begin(struct jail_report *r, const struct jail_policy *p, char *const *command,
                                  struct error *err);
/* Replaces it by the final report. `why`: the error that refused the run; NULL when the command was started. */
MUST_CHECK bool jail_report_end(struct jail_report *r, const struct jail_outcome *o, const struct error *why,
                                struct error *err);
void jail_report_close(struct jail_report *r);

#endif
