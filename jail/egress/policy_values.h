/* policy_values.h - types of values of the egress policy's YAML; for policy.c and tests. */
#ifndef FILTERD_JAIL_EGRESS_POLICY_VALUES_H
#define FILTERD_JAIL_EGRESS_POLICY_VALUES_H

#include "base/fields.h"
#include "jail/egress/policy.h"

extern const struct field_type egress_rate, /* struct egress_rate: 60/m, with s, m or h */
    egress_name,                            /* struct span */
    egress_file,                            /* struct span, not empty, without NUL, and NUL-terminated */
    egress_via_url,                         /* struct egress_via */
    /* Lists of one or more, FIELD_LIST_AT: */
    egress_methods, egress_paths, /* struct span */
    egress_hosts,                 /* struct egress_host_pattern */
    egress_ports,                 /* uint16_t */
    egress_addresses;             /* struct sockaddr_storage */

/* Of the file, one rule, one credential and the limits: into struct egress_policy and so on. */
extern const struct field egress_policy_fields[], egress_rule_fields[], egress_credential_fields[], egress_limit_fields[];

#endif
