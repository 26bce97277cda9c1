/* options.h - the keys of a jail's policy: their tables, the types of values that only a jail has, and how the values of
 * the tables are printed. */
#ifndef FILTERD_JAIL_POLICY_OPTIONS_H
#define FILTERD_JAIL_POLICY_OPTIONS_H

#include "base/fields.h"
#include "jail/policy/policy.h"

/* `context` of a reader of policies. */
struct jail_reader {
    const char *folder; /* where relative paths of the machine begin */
};

/* All are const char *, but for the processors: int64_t, thousandths. */
extern const struct field_type jail_name, /* letters, digits, '-', '_', '.' */
    jail_inside_path,                     /* an absolute path of the jail, simple, outside the places that the jail makes */
    jail_host_path,                       /* of the machine, simple */
    jail_cpu;                             /* processors, as 1.5 */

/* The whole file (policy_read.c), the mappings in it, one of `inputs`, and `network` (network.c, struct jail_network).
 * Mappings of single values are read into struct jail_policy itself. */
extern const struct field jail_policy_fields[], jail_input_fields[], jail_environment_fields[], jail_network_fields[];
extern const struct field jail_syscalls_fields[], jail_work_fields[], jail_tmp_fields[], jail_snapshots_fields[],
    jail_outputs_fields[], jail_filter_fields[], jail_report_fields[], jail_limits_fields[];

/* "key: value" of a single value, indented; nothing for a text that is not there and for all that has a printer of its own. */
MUST_CHECK bool jail_option_print(const struct field *f, const struct jail_policy *p, const char *indent, struct buf *out,
                                  struct error *err);
/* Appends a quoted YAML (and JSON) string. */
MUST_CHECK bool jail_print_string(const char *text, struct buf *out, struct error *err);

#endif
