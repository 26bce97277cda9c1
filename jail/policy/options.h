/* options.h - the keys of a jail's policy: their tables, types of values specific to jails, and functions that print the
 * values. */
#ifndef FILTERD_JAIL_POLICY_OPTIONS_H
#define FILTERD_JAIL_POLICY_OPTIONS_H

#include "base/fields.h"
#include "jail/policy/policy.h"

/* `context` of a reader of policies. */
struct jail_reader {
    const char *folder; /* where relative paths of the machine begin */
};

/* All are const char *, except jail_cpu: int64_t, thousandths. */
extern const struct field_type jail_name, /* letters, digits, '-', '_', '.' */
    jail_inside_path,                     /* an absolute simple path in the jail, outside the folders that the jail creates */
    jail_host_path,                       /* of the machine, simple */
    jail_cpu;                             /* processors, as 1.5 */

/* The whole file (policy_read.c), the mappings in it, one of `inputs`, and `network` (network.c, struct jail_network).
 * Mappings of single values are read into struct jail_policy itself. */
extern const struct field jail_policy_fields[], jail_input_fields[], jail_environment_fields[], jail_network_fields[];
extern const struct field jail_syscalls_fields[], jail_work_fields[], jail_tmp_fields[], jail_snapshots_fields[],
    jail_outputs_fields[], jail_filter_fields[], jail_report_fields[], jail_limits_fields[];

/* Appends "key: value" of a single value, indented; nothing for an absent text and for values with their own printer. */
MUST_CHECK bool jail_option_print(const struct field *f, const struct jail_policy *p, const char *indent, struct buf *out,
                                  struct error *err);
/* Appends a quoted YAML (and JSON) string. */
MUST_CHECK bool jail_print_string(const char *text, struct buf *out, struct error *err);

#endif
