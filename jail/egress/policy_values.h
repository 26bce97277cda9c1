/* policy_values.h - single values of the egress policy's YAML; for the policy_*.c files alone. */
#ifndef FILTERD_JAIL_EGRESS_POLICY_VALUES_H
#define FILTERD_JAIL_EGRESS_POLICY_VALUES_H

#include "base/yaml.h"
#include "jail/egress/policy.h"

/* What reads one key of a mapping into a struct: `out` is the field. */
struct egress_field {
    const char *key;
    bool (*read)(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                 struct error *err);
    size_t offset;
    int64_t min, max;
    bool is_required;
    const char *const *names; /* of choices, NULL-terminated */
};

/* Every key of the mapping must be a field's; required ones must be there. */
MUST_CHECK bool egress_fields_read(struct arena *a, const struct egress_field *fields, size_t n,
                                   const struct yaml_node *mapping, void *out, struct error *err);

/* The readers; what `out` points to is behind each. */
typedef bool egress_read_fn(struct arena *a, const struct egress_field *f, const struct yaml_node *node, void *out,
                            struct error *err);
egress_read_fn egress_read_count;   /* int64_t */
egress_read_fn egress_read_size;    /* int64_t: bytes, or with K, M, G; `none` when max is EGRESS_NONE */
egress_read_fn egress_read_time;    /* int64_t: with ms, s, m, h; `none` likewise */
egress_read_fn egress_read_rate;    /* struct egress_rate: 60/m, with s, m or h */
egress_read_fn egress_read_choice;  /* unsigned */
egress_read_fn egress_read_name;    /* struct span */
egress_read_fn egress_read_string;  /* struct span, not empty, without NUL, and NUL-terminated */
egress_read_fn egress_read_methods; /* struct egress_texts */
egress_read_fn egress_read_paths;   /* struct egress_texts */
egress_read_fn egress_read_classes; /* unsigned: bits */

/* Lists of other things: the array in the arena. */
MUST_CHECK bool egress_read_hosts(struct arena *a, const struct yaml_node *node,
                                  const struct egress_host_pattern **out, size_t *n, struct error *err);
MUST_CHECK bool egress_read_ports(struct arena *a, const struct yaml_node *node, const uint16_t **out, size_t *n,
                                  struct error *err);
MUST_CHECK bool egress_read_addresses(struct arena *a, const struct yaml_node *node,
                                      const struct sockaddr_storage **out, size_t *n, struct error *err);

#endif
