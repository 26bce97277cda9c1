/* service.h - all that sessions share, from the command line's files: policy, secrets, rules, authority. */
#ifndef FILTERD_JAIL_EGRESS_SERVICE_H
#define FILTERD_JAIL_EGRESS_SERVICE_H

#include "jail/egress/session.h"

struct egress_files {
    const char *policy;
    struct egress_judge_options judge;
};

/* Reads everything, opens neither the log nor a socket. `s` is zeroed but for log and `cut`. What is in it after a
 * failure is to be released as well. */
MUST_CHECK bool egress_service_init(struct egress_service *s, const struct egress_files *files, struct error *err);
void egress_service_deinit(struct egress_service *s);

/* Writes the certificate to trust, where there is one. INVALID: there is one, and no path for it. */
MUST_CHECK bool egress_service_write_authority(const struct egress_service *s, const char *path, struct error *err);

#endif
