/* snapshot.c - all policies of one file over one set of rules. */
#include <stdlib.h>

#include "base/yaml.h"
#include "policy/policy_read.h"

enum { SNAPSHOT_MEMORY_MAX = 256 * 1024 * 1024 };

static bool read_policies(struct snapshot *s, const struct yaml_node *node, struct span yaml, struct error *err)
{
    if (!yaml_expect(node, YAML_MAPPING, "policies", err)) {
        return false;
    }
    struct policy *policies = arena_array(&s->memory, node->n, sizeof(*policies), err);
    if (policies == NULL) {
        return false;
    }
    s->policies = policies;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!policy_read(&s->memory, s->rules, c, yaml, &policies[s->n_policies++], err)) {
            return false;
        }
    }
    return snapshot_policy(s, span_str("default"), (struct span){0}) != NULL ||
           yaml_error(node, err, "a policy 'default' expected");
}

static int compare_tenants(const void *a, const void *b)
{
    const struct tenant_policy *x = a, *y = b;
    size_t len = x->tenant.len < y->tenant.len ? x->tenant.len : y->tenant.len;
    int order = len > 0 ? memcmp(x->tenant.ptr, y->tenant.ptr, len) : 0;

    return order != 0 ? order : (x->tenant.len > y->tenant.len) - (x->tenant.len < y->tenant.len);
}

static bool read_tenant(struct snapshot *s, const struct yaml_node *node, struct tenant_policy *out, struct error *err)
{
    static const char *const keys[] = {"policy", "supervisor", NULL};
    const struct yaml_node *c;
    struct span name;
    bool is_supervised = true;

    if (!yaml_expect(node, YAML_MAPPING, "tenant", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    if ((c = yaml_get(node, "policy")) == NULL) {
        return yaml_error(node, err, "'policy' expected");
    }
    if (!yaml_read_text(c, &name, err)) {
        return false;
    }
    const struct yaml_node *flag = yaml_get(node, "supervisor");
    if (flag != NULL && !yaml_read_flag(flag, &is_supervised, err)) {
        return false;
    }
    *out = (struct tenant_policy){.tenant = node->key,
                                  .policy = snapshot_policy(s, name, (struct span){0}),
                                  .is_unsupervised = !is_supervised};
    return out->policy != NULL || yaml_error(c, err, "there is no policy '" SPAN_FMT "'", SPAN_ARG(name));
}

static bool read_tenants(struct snapshot *s, const struct yaml_node *node, struct error *err)
{
    if (!yaml_expect(node, YAML_MAPPING, "tenants", err)) {
        return false;
    }
    struct tenant_policy *tenants = arena_array(&s->memory, node->n, sizeof(*tenants), err);
    if (tenants == NULL) {
        return false;
    }
    size_t n = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_tenant(s, c, &tenants[n++], err)) {
            return false;
        }
    }
    if (n > 0) {
        qsort(tenants, n, sizeof(*tenants), compare_tenants);
    }
    s->tenants = tenants;
    s->n_tenants = n;
    return true;
}

static bool load(struct snapshot *s, const char *path, struct span yaml, struct error *err)
{
    static const char *const keys[] = {"policies", "tenants", "violations", NULL};
    const struct yaml_node *c;
    struct yaml_node *root = NULL;
    struct span file, text;

    if (!arena_copy(&s->memory, span_of(path, strlen(path) + 1), &file, err) ||
        !arena_copy(&s->memory, yaml, &text, err) || !yaml_parse(&s->memory, file.ptr, text, &root, err)) {
        return false;
    }
    if (root == NULL || (c = yaml_get(root, "policies")) == NULL) {
        return error_set(err, ERROR_INVALID, "%s:1:1: 'policies:' expected", path);
    }
    return yaml_expect(root, YAML_MAPPING, "policy file", err) && yaml_check_keys(root, keys, err) &&
           read_policies(s, c, text, err) && ((c = yaml_get(root, "tenants")) == NULL || read_tenants(s, c, err)) &&
           ((c = yaml_get(root, "violations")) == NULL || violations_read(&s->memory, c, &s->violations, err));
}

struct snapshot *snapshot_load(struct rule_set *rules, const char *path, struct span yaml, struct error *err)
{
    struct snapshot *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "policy: no memory");
        return NULL;
    }
    arena_init(&s->memory, 0, SNAPSHOT_MEMORY_MAX);
    atomic_init(&s->references, 1);
    s->rules = rule_set_ref(rules);
    if (!load(s, path, yaml, err)) {
        snapshot_unref(s);
        return NULL;
    }
    return s;
}

struct snapshot *snapshot_ref(struct snapshot *s)
{
    (void)atomic_fetch_add_explicit(&s->references, 1, memory_order_relaxed);
    return s;
}

void snapshot_unref(struct snapshot *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; i < s->n_policies; i++) {
        for (size_t k = 0; k < s->policies[i].n_exceptions; k++) {
            regex_free(s->policies[i].exceptions[k].matches);
        }
    }
    rule_set_unref(s->rules);
    arena_deinit(&s->memory);
    free(s);
}

static const struct policy *policy_named(const struct snapshot *s, struct span name)
{
    for (size_t i = 0; i < s->n_policies; i++) {
        if (span_equal(s->policies[i].name, name)) {
            return &s->policies[i];
        }
    }
    return NULL;
}

static const struct tenant_policy *find_tenant(const struct snapshot *s, struct span tenant)
{
    const struct tenant_policy key = {.tenant = tenant};

    return s->n_tenants == 0 ? NULL : bsearch(&key, s->tenants, s->n_tenants, sizeof(*s->tenants), compare_tenants);
}

bool snapshot_may_supervise(const struct snapshot *s, struct span tenant)
{
    const struct tenant_policy *found = find_tenant(s, tenant);

    return found == NULL || !found->is_unsupervised;
}

const struct policy *snapshot_policy(const struct snapshot *s, struct span name, struct span tenant)
{
    if (name.len > 0) {
        return policy_named(s, name);
    }
    const struct tenant_policy *found = find_tenant(s, tenant);
    return found != NULL ? found->policy : policy_named(s, span_str("default"));
}
