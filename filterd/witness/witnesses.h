/* witnesses.h - the witnesses of this service's log: a policy file (record/log_policy.h) without logs, in which each witness
 * has an URL.
 *
 * It names the witnesses and the quorum. Immutable. */
#ifndef FILTERD_WITNESS_WITNESSES_H
#define FILTERD_WITNESS_WITNESSES_H

#include "record/log_policy.h"

struct witnesses {
    struct buf text; /* of the file */
    struct log_policy policy;
    struct {
        char *url; /* of add-checkpoint */
        unsigned port;
    } targets[LOG_POLICY_MEMBERS_MAX]; /* by member of the policy; url NULL: a group */
};

/* NULL on failure. INVALID: a log, a witness without URL, or one that is not http or https; "FILE: line N: ...". */
struct witnesses *witnesses_load(const char *path, struct error *err);
void witnesses_free(struct witnesses *w); /* accepts NULL */

#endif
