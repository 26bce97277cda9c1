/* options.h - the table of single values in a jail's policy: reading, defaults, printing and the
 * manual follow it. Sections of YAML are mappings one deep; section "" is the top. */
#ifndef FILTERD_JAIL_POLICY_OPTIONS_H
#define FILTERD_JAIL_POLICY_OPTIONS_H

#include "base/yaml.h"
#include "jail/policy/policy.h"

enum jail_option_kind {
    JAIL_OPTION_COUNT,
    JAIL_OPTION_SIZE, /* bytes, or with K, M, G, T */
    JAIL_OPTION_TIME, /* with ms, s, m, h */
    JAIL_OPTION_CPU,  /* processors, as 1.5 */
    JAIL_OPTION_FLAG,
    JAIL_OPTION_CHOICE,
    JAIL_OPTION_PATH, /* inside the jail */
    JAIL_OPTION_NAME, /* letters, digits, '-', '_', '.' */
    JAIL_OPTION_HOST_PATH, /* a folder of the host */
};

struct jail_option {
    const char *section, *key;
    enum jail_option_kind kind;
    bool may_be_none; /* the word `none`: no limit */
    size_t offset;    /* in struct jail_policy: int64_t, bool, unsigned or const char * by kind */
    int64_t min, max;
    const char *initial;        /* as in YAML; NULL: required (at the top) or left out */
    const char *const *choices; /* of JAIL_OPTION_CHOICE, NULL-terminated */
};

extern const struct jail_option jail_options[];
extern const size_t jail_options_count;

/* Relative host paths start from `folder`. */
MUST_CHECK bool jail_option_read(const struct jail_option *o, const struct yaml_node *node, const char *folder,
                                 struct jail_policy *p, struct error *err);
MUST_CHECK bool jail_option_print(const struct jail_option *o, const struct jail_policy *p, struct buf *out,
                                  struct error *err);

/* An absolute path of the jail, in its simplest form, outside the places that the jail makes. */
MUST_CHECK bool jail_read_inside_path(const struct yaml_node *node, struct jail_policy *p, const char **out,
                                      struct error *err);
MUST_CHECK bool jail_read_host_path(const struct yaml_node *node, const char *folder, struct jail_policy *p,
                                    const char **out, struct error *err);
/* A text without NUL bytes, copied and NUL-terminated. */
MUST_CHECK bool jail_read_string(const struct yaml_node *node, struct jail_policy *p, const char **out,
                                 struct error *err);
/* Appends a quoted YAML (and JSON) string. */
MUST_CHECK bool jail_print_string(const char *text, struct buf *out, struct error *err);

#endif
