/* bundle_check.h - whether an evidence bundle holds: every file, every signature, every line.
 *
 * The bundle comes from anybody: nothing in it is believed before it is verified. Pure; the bundle is borrowed. */
#ifndef FILTERD_EVIDENCE_BUNDLE_CHECK_H
#define FILTERD_EVIDENCE_BUNDLE_CHECK_H

#include "record/log_policy.h"

struct bundle_report {
    uint64_t lines, size;
    char origin[CHECKPOINT_ORIGIN_MAX + 1];
    unsigned witnesses; /* that have cosigned the checkpoint */
};

/* `policy` is the auditor's; NULL: the one inside is taken, and the bundle is only consistent with itself. INVALID, MALFORMED
 * and LIMIT name what does not hold; NO_MEMORY: it could not be checked. */
MUST_CHECK bool bundle_check(struct span bundle, const struct log_policy *policy, struct bundle_report *out, struct error *err);

#endif
