/* policy_read.c - parses a jail's policy from YAML: the lists, the profile and the table of top-level keys. */
#include <fnmatch.h>

#include "jail/policy/builtin.h"
#include "jail/policy/network.h"
#include "jail/policy/options.h"
#include "jail/policy/policy_check.h"

enum { ARENA_KEEP = 16 * 1024, ARENA_MAX = 8 * 1024 * 1024, PROFILES_MAX = 16 };

/* Secrets by the names they usually have. */
static const char *const names_by_default[] = {"*.env",       ".env*",   "*.key",   "*.pem",  "*.p12",  "id_rsa*",
                                               "id_ed25519*", ".netrc",  ".npmrc",  ".pypirc", "*.kdbx"};

/* --- lists ---------------------------------------------------------------- */

static bool add_variable(const struct yaml_node *at, struct jail_policy *p, const char *name, const char *value,
                         struct error *err)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

    if (name[0] == '\0' || strspn(name, letters) != strlen(name) || (name[0] >= '0' && name[0] <= '9')) {
        return yaml_error(at, err, "a variable's name expected: letters, digits and '_'");
    }
    for (size_t i = 0; i < p->n_variables; i++) {
        if (strcmp(p->variables[i].name, name) != 0) {
            continue;
        }
        if (!p->variables[i].is_of_profile) {
            return yaml_error(at, err, "variable %s occurs twice", name);
        }
        p->variables[i] = (struct jail_variable){.name = name, .value = value};
        return true;
    }
    if (p->n_variables == JAIL_VARIABLES_MAX) {
        return yaml_error(at, err, "at most %d variables expected", JAIL_VARIABLES_MAX);
    }
    p->variables[p->n_variables++] = (struct jail_variable){.name = name, .value = value};
    return true;
}

/* A text that may be empty, as `pass`, `set` and patterns have it. */
static bool read_string(const struct field_reader *r, const struct yaml_node *node, const char **out, struct error *err)
{
    const struct field any = {.type = &field_string};

    return field_string.read(r, &any, node, out, err);
}

static bool expect_list(const struct yaml_node *node, struct error *err)
{
    return node->kind == YAML_SEQUENCE || yaml_expected(node, err, "a list");
}

static bool read_pass(const struct field_reader *r, const struct field *f, const struct yaml_node *list, void *out,
                      struct error *err)
{
    (void)f;
    if (!expect_list(list, err)) {
        return false;
    }
    for (const struct yaml_node *c = list->first; c != NULL; c = c->next) {
        const char *name = NULL;
        if (!read_string(r, c, &name, err) || !add_variable(c, out, name, NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool read_set(const struct field_reader *r, const struct field *f, const struct yaml_node *map, void *out,
                     struct error *err)
{
    (void)f;
    if (map->kind != YAML_MAPPING) {
        return yaml_expected(map, err, "a mapping");
    }
    for (const struct yaml_node *c = map->first; c != NULL; c = c->next) {
        const struct yaml_node key = fields_key(c);
        const char *name = NULL, *value = NULL;
        if (!read_string(r, &key, &name, err) || !read_string(r, c, &value, err) ||
            !add_variable(&key, out, name, value, err)) {
            return false;
        }
    }
    return true;
}

static bool read_input(const struct field_reader *r, const struct yaml_node *node, struct jail_policy *p, struct error *err)
{
    struct jail_input input = {0};

    if (!fields_read(r, jail_input_fields, node, &input, err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (jail_path_is_within(input.to, p->inputs[i].to) || jail_path_is_within(p->inputs[i].to, input.to)) {
            return yaml_expected(yaml_get(node, "to"), err, "a place outside that of another input (%s)", p->inputs[i].to);
        }
    }
    if (p->n_inputs == JAIL_INPUTS_MAX) {
        return yaml_error(node, err, "at most %d inputs expected", JAIL_INPUTS_MAX);
    }
    p->inputs[p->n_inputs++] = input;
    return true;
}

static bool read_inputs(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    (void)f;
    if (!expect_list(node, err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_input(r, c, out, err)) {
            return false;
        }
    }
    return true;
}

static bool read_denied_names(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                              struct error *err)
{
    struct jail_policy *p = out;

    (void)f;
    if (!expect_list(node, err)) {
        return false;
    }
    p->n_denied_names = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const char *pattern = NULL;
        if (!read_string(r, c, &pattern, err)) {
            return false;
        }
        if (pattern[0] == '\0' || strchr(pattern, '/') != NULL) {
            return yaml_error(c, err, "a pattern of one name expected, without '/'");
        }
        if (p->n_denied_names == JAIL_NAMES_MAX) {
            return yaml_error(c, err, "at most %d patterns expected", JAIL_NAMES_MAX);
        }
        p->denied_names[p->n_denied_names++] = pattern;
    }
    return true;
}

static bool read_honeytokens(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                             struct error *err)
{
    struct jail_policy *p = out;

    if (!expect_list(node, err)) {
        return false;
    }
    p->n_honeytokens = 0; /* those of a profile */
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (p->n_honeytokens == JAIL_HONEYTOKENS_MAX) {
            return yaml_error(c, err, "at most %d honeytokens expected", JAIL_HONEYTOKENS_MAX);
        }
        if (!jail_inside_path.read(r, f, c, &p->honeytokens[p->n_honeytokens], err)) {
            return false;
        }
        for (size_t i = 0; i < p->n_honeytokens; i++) {
            if (jail_path_is_within(p->honeytokens[i], p->honeytokens[p->n_honeytokens]) || jail_path_is_within(p->honeytokens[p->n_honeytokens], p->honeytokens[i])) {
                return yaml_error(c, err, "a file that is no other honeytoken, and no folder of one, expected");
            }
        }
        p->n_honeytokens++;
    }
    return true;
}

/* --- the profile that a policy begins with -------------------------------- */

/* Whatever the policy says comes later, so it wins; lists but deny_names add up. */
static bool read_profile(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    const char *names[PROFILES_MAX + 1] = {NULL};
    const struct yaml_node *root = NULL;
    struct jail_policy *p = out;
    unsigned choice = 0;

    (void)f;
    for (unsigned i = 0; i < jail_builtin_count && i < PROFILES_MAX; i++) {
        names[i] = jail_builtins[i].name;
    }
    if (!yaml_read_choice(node, names, &choice, err)) {
        return false;
    }
    const struct jail_builtin *b = &jail_builtins[choice];
    if (!fields_parse(r->arena, b->name, span_of(b->yaml, b->len), &root, err) ||
        !fields_read_keys(r, jail_policy_fields, root, p, err)) {
        return false;
    }
    for (size_t i = 0; i < p->n_variables; i++) {
        p->variables[i].is_of_profile = true;
    }
    return true;
}

/* --- the tables -------------------------------------------------------------- */

static const char *const missing[] = {"refuse", "degrade", NULL};
static const char *const denied[] = {"refuse", "honeytoken", NULL};

static const struct field_type pass_type = {"list", read_pass, NULL, 0}, set_type = {"mapping", read_set, NULL, 0},
                               inputs_type = {"list", read_inputs, NULL, 0},
                               names_type = {"list", read_denied_names, NULL, 0},
                               honeytokens_type = {"list", read_honeytokens, NULL, 0},
                               profile_type = {"name", read_profile, NULL, 0};

const struct field jail_environment_fields[] = {
    {"pass", &pass_type, FIELD_WHOLE, .max = JAIL_VARIABLES_MAX},
    {"set", &set_type, FIELD_WHOLE, .max = JAIL_VARIABLES_MAX},
    {0},
};

#define AT(member) FIELD_AT(struct jail_input, member)
const struct field jail_input_fields[] = {
    {"from", &jail_host_path, AT(from), .is_required = true},
    {"to", &jail_inside_path, AT(to), .is_required = true},
    {"snapshot", &field_flag, AT(is_snapshot), .initial = "false"},
    {0},
};
#undef AT

#define AT(member) FIELD_AT(struct jail_policy, member)
#define SECTION(table) &field_mapping, FIELD_WHOLE, .fields = jail_##table##_fields
const struct field jail_policy_fields[] = {
    {"profile", &profile_type, FIELD_WHOLE, .initial = NULL}, /* first: the others win */
    {"name", &jail_name, AT(name), .min = 1, .max = 64, .is_required = true},
    {"hostname", &jail_name, AT(hostname), 1, 63, .initial = "jail"},
    {"network", &jail_network_type, FIELD_WHOLE, .initial = "none"},
    {"on_missing_mechanism", &field_choice, AT(on_missing), .names = missing, .initial = "refuse"},
    {"on_denied_name", &field_choice, AT(on_denied), .names = denied, .initial = "refuse"},
    {"environment", SECTION(environment)},
    {"inputs", &inputs_type, FIELD_WHOLE, .max = JAIL_INPUTS_MAX},
    {"deny_names", &names_type, FIELD_WHOLE, .max = JAIL_NAMES_MAX},
    {"honeytokens", &honeytokens_type, FIELD_WHOLE, .max = JAIL_HONEYTOKENS_MAX},
    {"syscalls", SECTION(syscalls)},
    {"work", SECTION(work)},
    {"tmp", SECTION(tmp)},
    {"snapshots", SECTION(snapshots)},
    {"outputs", SECTION(outputs)},
    {"filter", SECTION(filter)},
    {"report", SECTION(report)},
    {"limits", SECTION(limits)},
    {0},
};

static bool read_policy(const struct field_reader *r, const char *file, struct span yaml, struct jail_policy *p,
                        struct error *err)
{
    const struct yaml_node *root = NULL;

    if (!fields_parse(r->arena, file, yaml, &root, err) || !fields_set_defaults(r, jail_policy_fields, p, err)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(names_by_default); i++) {
        p->denied_names[p->n_denied_names++] = names_by_default[i];
    }
    return fields_read_keys(r, jail_policy_fields, root, p, err) && jail_policy_check(root, p, err);
}

struct jail_policy *jail_policy_read(const char *file, const char *folder, struct span yaml, struct error *err)
{
    struct jail_policy *p = calloc(1, sizeof(*p));
    const struct jail_reader context = {.folder = folder};

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&p->arena, ARENA_KEEP, ARENA_MAX);
    const struct field_reader r = {.arena = &p->arena, .context = &context};
    if (!read_policy(&r, file, yaml, p, err)) {
        jail_policy_free(p);
        return NULL;
    }
    return p;
}

void jail_policy_free(struct jail_policy *p)
{
    if (p != NULL) {
        arena_deinit(&p->arena);
        free(p);
    }
}

bool jail_policy_has_snapshots(const struct jail_policy *p)
{
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (p->inputs[i].is_snapshot) {
            return true;
        }
    }
    return false;
}

bool jail_policy_denies_name(const struct jail_policy *p, const char *name)
{
    for (size_t i = 0; i < p->n_denied_names; i++) {
        /* Other letter cases are denied too: what is ".ENV" to one program is ".env" to another. */
        if (fnmatch(p->denied_names[i], name, FNM_CASEFOLD) == 0) {
            return true;
        }
    }
    return false;
}
