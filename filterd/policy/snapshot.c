/* snapshot.c - all policies of one file over one set of rules. */
#include <sodium.h>
#include <stdlib.h>

#include "policy/policy_read.h"

enum { SNAPSHOT_MEMORY_MAX = 256 * 1024 * 1024 };

static int compare_tenants(const void *a, const void *b)
{
    const struct tenant_policy *x = a, *y = b;
    size_t len = x->tenant.len < y->tenant.len ? x->tenant.len : y->tenant.len;
    int order = len > 0 ? memcmp(x->tenant.ptr, y->tenant.ptr, len) : 0;

    return order != 0 ? order : (x->tenant.len > y->tenant.len) - (x->tenant.len < y->tenant.len);
}

static bool read_policy_name(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                             struct error *err)
{
    const struct policy **policy = out;
    struct span name;

    (void)f;
    if (!yaml_read_text(node, &name, err)) {
        return false;
    }
    *policy = snapshot_policy(policy_reader(r)->snapshot, name, (struct span){0});
    return *policy != NULL || yaml_error(node, err, "there is no policy '" SPAN_FMT "'", SPAN_ARG(name));
}

static const struct field_type policy_name_type = {"text", read_policy_name, NULL, 0};
static const struct field policy_name = {"name", &field_text, FIELD_AT(struct policy, name), .initial = NULL};
static const struct field tenant_name = {"tenant", &field_text, FIELD_AT(struct tenant_policy, tenant), .initial = NULL};

const struct field tenant_fields[] = {
    {"policy", &policy_name_type, FIELD_AT(struct tenant_policy, policy), .is_required = true},
    {"supervisor", &field_flag, FIELD_AT(struct tenant_policy, is_supervised), .initial = "true"},
    {0},
};

const struct field snapshot_fields[] = {
    {"policies", &field_map, FIELD_LIST_AT(struct snapshot, policies, n_policies), .fields = policy_fields,
     .entry = sizeof(struct policy), .key = &policy_name, .check = policy_check, .is_required = true},
    {"tenants", &field_map, FIELD_LIST_AT(struct snapshot, tenants, n_tenants), .fields = tenant_fields,
     .entry = sizeof(struct tenant_policy), .key = &tenant_name},
    {"violations", &violations_type, FIELD_AT(struct snapshot, violations), .fields = violations_fields},
    {0},
};

static bool load(struct snapshot *s, const char *path, struct span yaml, struct error *err)
{
    const struct policy_reader context = {.snapshot = s, .yaml = yaml, .path = path};
    const struct field_reader r = {.arena = &s->memory, .context = &context};
    const struct yaml_node *root = NULL;

    if (!fields_parse(&s->memory, path, yaml, &root, err) || !fields_read(&r, snapshot_fields, root, s, err)) {
        return false;
    }
    if (s->n_tenants > 0) {
        qsort(s->tenants, s->n_tenants, sizeof(*s->tenants), compare_tenants);
    }
    return snapshot_policy(s, span_str("default"), (struct span){0}) != NULL ||
           yaml_error(yaml_get(root, "policies"), err, "a policy 'default' expected");
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
    if (!load(s, path, yaml, err) || !arena_copy(&s->memory, yaml, &s->text, err)) {
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

static void free_exception(const struct policy_exception *e)
{
    regex_free(e->matches);
    if (e->value != NULL) {
        sodium_memzero(e->value->key, DIGEST_KEY);
    }
}

void snapshot_unref(struct snapshot *s)
{
    if (s == NULL || atomic_fetch_sub_explicit(&s->references, 1, memory_order_acq_rel) != 1) {
        return;
    }
    for (size_t i = 0; i < s->n_policies; i++) {
        for (size_t k = 0; k < s->policies[i].n_exceptions; k++) {
            free_exception(&s->policies[i].exceptions[k]);
        }
    }
    rule_set_unref(s->rules);
    arena_deinit(&s->memory);
    free(s);
}

void snapshot_give_key(struct snapshot *s, struct span key_id, const uint8_t key[DIGEST_KEY])
{
    for (size_t i = 0; i < s->n_policies; i++) {
        for (size_t k = 0; k < s->policies[i].n_exceptions; k++) {
            struct policy_token *value = s->policies[i].exceptions[k].value;
            if (value != NULL && span_equal(value->key_id, key_id)) {
                memcpy(value->key, key, DIGEST_KEY);
                value->has_key = true;
            }
        }
    }
}

bool snapshot_seals(const struct snapshot *s)
{
    for (size_t i = 0; i < s->n_policies; i++) {
        if (s->policies[i].seal != NULL) {
            return true;
        }
    }
    return false;
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

    return found == NULL || found->is_supervised;
}

const struct policy *snapshot_policy(const struct snapshot *s, struct span name, struct span tenant)
{
    if (name.len > 0) {
        return policy_named(s, name);
    }
    const struct tenant_policy *found = find_tenant(s, tenant);
    return found != NULL ? found->policy : policy_named(s, span_str("default"));
}
