/* service.h - loads the state that sessions share from files: policy, secrets, rules, authority. */
#ifndef FILTERD_JAIL_EGRESS_SERVICE_H
#define FILTERD_JAIL_EGRESS_SERVICE_H

#include "jail/egress/session.h"

struct egress_files {
    const char *policy;
    struct egress_judge_options judge;
};

/* Reads everything; opens neither the log nor a socket. `s` must be zero except log and `cut`. Call deinit after a
 * failure, too. */
MUST_CHECK bool egress_service_init(struct egress_service *s, const struct egress_files *files, struct error *err);
void egress_service_deinit(struct egress_service *s);

/* Writes the certificate to trust, if there is one. INVALID: there is one, but no path. */
MUST_CHECK bool egress_service_write_authority(const struct egress_service *s, const char *path, struct error *err);

#endif
