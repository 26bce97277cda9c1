/* policy_read.c - a jail's policy from YAML: the table of single values, and the lists. */
#include <fnmatch.h>

#include "base/cleanup.h"
#include "jail/policy/builtin.h"
#include "jail/policy/network.h"
#include "jail/policy/options.h"
#include "jail/policy/policy_check.h"

enum { ARENA_KEEP = 16 * 1024, ARENA_MAX = 8 * 1024 * 1024, PRINT_MAX = 1024 * 1024 };

/* Secrets by the names they usually have. */
static const char *const names_by_default[] = {"*.env",       ".env*",   "*.key",   "*.pem",  "*.p12",  "id_rsa*",
                                               "id_ed25519*", ".netrc",  ".npmrc",  ".pypirc", "*.kdbx"};

struct reader {
    struct jail_policy *policy;
    const char *folder;
};

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
            return yaml_error(at, err, "variable %s stands twice", name);
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

static bool read_pass(const struct reader *r, const struct yaml_node *list, struct error *err)
{
    if (!yaml_expect(list, YAML_SEQUENCE, "pass", err)) {
        return false;
    }
    for (const struct yaml_node *c = list->first; c != NULL; c = c->next) {
        const char *name = NULL;
        if (!jail_read_string(c, r->policy, &name, err) || !add_variable(c, r->policy, name, NULL, err)) {
            return false;
        }
    }
    return true;
}

static bool read_set(const struct reader *r, const struct yaml_node *map, struct error *err)
{
    if (!yaml_expect(map, YAML_MAPPING, "set", err)) {
        return false;
    }
    for (const struct yaml_node *c = map->first; c != NULL; c = c->next) {
        struct yaml_node key = {.kind = YAML_SCALAR, .text = c->key, .file = c->file, .line = c->key_line,
                                .column = c->key_column};
        const char *name = NULL, *value = NULL;
        if (!jail_read_string(&key, r->policy, &name, err) || !jail_read_string(c, r->policy, &value, err) ||
            !add_variable(&key, r->policy, name, value, err)) {
            return false;
        }
    }
    return true;
}

static bool read_environment(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"pass", "set", NULL};

    if (!yaml_expect(node, YAML_MAPPING, "environment", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *pass = yaml_get(node, "pass"), *set = yaml_get(node, "set");
    return (pass == NULL || read_pass(r, pass, err)) && (set == NULL || read_set(r, set, err));
}

static bool read_input(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    static const char *const keys[] = {"from", "to", "snapshot", NULL};
    struct jail_policy *p = r->policy;
    struct jail_input input = {0};

    if (!yaml_expect(node, YAML_MAPPING, "input", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *from = yaml_get(node, "from"), *to = yaml_get(node, "to"), *snapshot = yaml_get(node, "snapshot");
    if (from == NULL || to == NULL) {
        return yaml_error(node, err, "'from' and 'to' expected");
    }
    if (!jail_read_host_path(from, r->folder, p, &input.from, err) ||
        !jail_read_inside_path(to, p, &input.to, err) ||
        (snapshot != NULL && !yaml_read_flag(snapshot, &input.is_snapshot, err))) {
        return false;
    }
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (jail_path_is_within(input.to, p->inputs[i].to) || jail_path_is_within(p->inputs[i].to, input.to)) {
            return yaml_error(to, err, "a place outside that of another input (%s) expected", p->inputs[i].to);
        }
    }
    if (p->n_inputs == JAIL_INPUTS_MAX) {
        return yaml_error(node, err, "at most %d inputs expected", JAIL_INPUTS_MAX);
    }
    p->inputs[p->n_inputs++] = input;
    return true;
}

static bool read_inputs(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "inputs", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_input(r, c, err)) {
            return false;
        }
    }
    return true;
}

static bool read_denied_names(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    struct jail_policy *p = r->policy;

    if (!yaml_expect(node, YAML_SEQUENCE, "deny_names", err)) {
        return false;
    }
    p->n_denied_names = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const char *pattern = NULL;
        if (!jail_read_string(c, p, &pattern, err)) {
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

/* A scalar is the word `none`, of the table of single values. */
static bool read_network(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    unsigned none;

    return node->kind == YAML_SCALAR ? yaml_read_choice(node, (const char *const[]){"none", NULL}, &none, err)
                                     : jail_network_read(node, r->folder, r->policy, err);
}

static bool read_honeytokens(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    struct jail_policy *p = r->policy;

    if (!yaml_expect(node, YAML_SEQUENCE, "honeytokens", err)) {
        return false;
    }
    p->n_honeytokens = 0; /* those of a profile */
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (p->n_honeytokens == JAIL_HONEYTOKENS_MAX) {
            return yaml_error(c, err, "at most %d honeytokens expected", JAIL_HONEYTOKENS_MAX);
        }
        if (!jail_read_inside_path(c, p, &p->honeytokens[p->n_honeytokens], err)) {
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

static const struct list {
    const char *key;
    bool (*read)(const struct reader *r, const struct yaml_node *node, struct error *err);
} lists[] = {
    {"environment", read_environment}, {"inputs", read_inputs},   {"deny_names", read_denied_names},
    {"network", read_network},         {"honeytokens", read_honeytokens},
};

/* --- single values -------------------------------------------------------- */

static const struct jail_option *find_option(const char *section, struct span key)
{
    for (size_t i = 0; i < jail_options_count; i++) {
        if (strcmp(jail_options[i].section, section) == 0 && span_is(key, jail_options[i].key)) {
            return &jail_options[i];
        }
    }
    return NULL;
}

static const char *find_section(struct span key)
{
    for (size_t i = 0; i < jail_options_count; i++) {
        if (jail_options[i].section[0] != '\0' && span_is(key, jail_options[i].section)) {
            return jail_options[i].section;
        }
    }
    return NULL;
}

static bool unknown_key(const struct yaml_node *node, struct error *err)
{
    return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here", node->file, node->key_line,
                     node->key_column, SPAN_ARG(node->key));
}

static bool set_defaults(const struct reader *r, struct error *err)
{
    for (size_t i = 0; i < jail_options_count; i++) {
        const struct jail_option *o = &jail_options[i];
        if (o->initial == NULL) {
            continue;
        }
        const struct yaml_node node = {
            .kind = YAML_SCALAR, .text = span_str(o->initial), .is_plain = true, .file = "default"};
        if (!jail_option_read(o, &node, r->folder, r->policy, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < COUNT(names_by_default); i++) {
        r->policy->denied_names[r->policy->n_denied_names++] = names_by_default[i];
    }
    return true;
}

static bool read_section(const struct reader *r, const struct yaml_node *node, const char *section, struct error *err)
{
    if (!yaml_expect(node, YAML_MAPPING, section, err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct jail_option *o = find_option(section, c->key);
        if (o == NULL) {
            return unknown_key(c, err);
        }
        if (!jail_option_read(o, c, r->folder, r->policy, err)) {
            return false;
        }
    }
    return true;
}

static bool read_key(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (span_is(node->key, lists[i].key)) {
            return lists[i].read(r, node, err);
        }
    }
    const char *section = find_section(node->key);
    if (section != NULL) {
        return read_section(r, node, section, err);
    }
    const struct jail_option *o = find_option("", node->key);
    return o != NULL ? jail_option_read(o, node, r->folder, r->policy, err) : unknown_key(node, err);
}

/* --- the profile that a policy begins with -------------------------------- */

static const struct jail_builtin *find_builtin(struct span name)
{
    for (unsigned i = 0; i < jail_builtin_count; i++) {
        if (span_is(name, jail_builtins[i].name)) {
            return &jail_builtins[i];
        }
    }
    return NULL;
}

static bool unknown_profile(const struct yaml_node *node, struct error *err)
{
    struct buf names CLEANUP(buf_deinit);

    buf_init(&names, PRINT_MAX);
    for (unsigned i = 0; i < jail_builtin_count; i++) {
        if (!buf_appendf(&names, err, "%s%s", i > 0 ? ", " : "", jail_builtins[i].name)) {
            return false;
        }
    }
    return yaml_error(node, err, "profile: one of these expected: %.*s", (int)names.len, names.data);
}

/* Whatever the policy says comes later, so it wins; lists but deny_names add up. */
static bool read_profile(const struct reader *r, const struct yaml_node *node, struct error *err)
{
    struct yaml_node *root = NULL;
    const struct jail_builtin *b;

    if (!yaml_expect(node, YAML_SCALAR, "profile", err)) {
        return false;
    }
    if ((b = find_builtin(node->text)) == NULL) {
        return unknown_profile(node, err);
    }
    if (!yaml_parse(&r->policy->arena, b->name, span_of(b->yaml, b->len), &root, err) ||
        !yaml_expect(root, YAML_MAPPING, "profile", err)) {
        return false;
    }
    for (const struct yaml_node *c = root->first; c != NULL; c = c->next) {
        if (!span_is(c->key, "name") && !read_key(r, c, err)) {
            return false;
        }
    }
    for (size_t i = 0; i < r->policy->n_variables; i++) {
        r->policy->variables[i].is_of_profile = true;
    }
    return true;
}

static bool read_keys(const struct reader *r, const struct yaml_node *root, struct error *err)
{
    const struct yaml_node *profile = yaml_get(root, "profile");

    if (profile != NULL && !read_profile(r, profile, err)) {
        return false;
    }
    for (const struct yaml_node *c = root->first; c != NULL; c = c->next) {
        if (c != profile && !read_key(r, c, err)) {
            return false;
        }
    }
    return true;
}

static bool read_policy(const struct reader *r, const char *file, struct span yaml, struct error *err)
{
    struct jail_policy *p = r->policy;
    struct yaml_node *root = NULL;

    if (!yaml_parse(&p->arena, file, yaml, &root, err)) {
        return false;
    }
    if (root == NULL) {
        return error_set(err, ERROR_INVALID, "%s:1:1: a policy expected", file);
    }
    if (!yaml_expect(root, YAML_MAPPING, "policy", err) || !set_defaults(r, err)) {
        return false;
    }
    return read_keys(r, root, err) && jail_policy_check(root, p, err);
}

struct jail_policy *jail_policy_read(const char *file, const char *folder, struct span yaml, struct error *err)
{
    struct jail_policy *p = calloc(1, sizeof(*p));
    const struct reader r = {.policy = p, .folder = folder};

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    arena_init(&p->arena, ARENA_KEEP, ARENA_MAX);
    if (!read_policy(&r, file, yaml, err)) {
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
