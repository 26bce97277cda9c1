#include "policy/violation_hooks.h"

#define MS INT64_C(1000000)
#define TIME_LONGEST (400 * 86400e3)
#define WEIGHT_MAX 1e6
#define SCORE_MAX 1e9

static const char *const kinds[] = {
    [VIOLATION_SECRET] = "secret", [VIOLATION_PII] = "pii",         [VIOLATION_INJECTION] = "injection",
    [VIOLATION_CONTENT] = "content", [VIOLATION_BLOCK] = "block",   [VIOLATION_EGRESS] = "egress",
    [VIOLATION_NETWORK] = "network", [VIOLATION_DNS] = "dns",       [VIOLATION_HONEYTOKEN] = "honeytoken",
    [VIOLATION_PATH] = "path",     [VIOLATION_SYSCALL] = "syscall", [VIOLATION_LIMIT] = "limit",
    [VIOLATION_OUTPUT] = "output", [VIOLATION_COUNT] = NULL};

static const char *const reactions[] = {"alert", "throttle", "cut_network", "freeze", "ask", "kill", "revoke", NULL};

_Static_assert(COUNT(reactions) == REACTION_KINDS + 1, "one name each");

const char *violation_name(enum violation v)
{
    return kinds[v];
}

bool violation_find(struct span name, enum violation *v)
{
    for (unsigned i = 0; i < VIOLATION_COUNT; i++) {
        if (span_is(name, kinds[i])) {
            *v = (enum violation)i;
            return true;
        }
    }
    return false;
}

const char *reaction_name(enum reaction r)
{
    return reactions[__builtin_ctz((unsigned)r)];
}

/* --- values --------------------------------------------------------------- */

static const char *const reactions_after_question[] = {"kill", "resume", NULL};

/* "6/m": kept as the time between two. */
static bool read_rate(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    int64_t count, window_ms;

    (void)r, (void)f;
    if (!fields_read_rate(node, 1, 1000000, &count, &window_ms, err)) {
        return false;
    }
    *(int64_t *)out = window_ms * MS / count;
    return true;
}

static bool read_weights(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    double *weights = out;

    (void)r;
    if (node->kind != YAML_MAPPING || node->n == 0) {
        return yaml_expected(node, err, "a mapping of at least one weight");
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct yaml_node key = fields_key(c);
        unsigned kind = 0;
        if (!yaml_read_choice(&key, f->names, &kind, err) || !yaml_read_number(c, f->min, f->max, &weights[kind], err)) {
            return false;
        }
    }
    return true;
}

static bool read_thresholds(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct violations *v = out;

    if (node->kind != YAML_SEQUENCE || node->n == 0 || node->n > VIOLATION_THRESHOLDS_MAX) {
        return yaml_expected(node, err, "a list of 1 to %d entries", VIOLATION_THRESHOLDS_MAX);
    }
    v->n_thresholds = 0;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        struct violation_threshold *t = &v->thresholds[v->n_thresholds];
        if (!fields_read(r, f->fields, c, t, err)) {
            return false;
        }
        if (t->at <= (v->n_thresholds == 0 ? 0 : t[-1].at)) {
            return yaml_error(c, err, "'at' above 0, and above that of the entry before, expected");
        }
        v->n_thresholds++;
    }
    return true;
}

/* --- the keys ------------------------------------------------------------- */

static const struct field_type rate_type = {"rate", read_rate, NULL, 0}, weights_type = {"mapping", read_weights, NULL, 0},
                               thresholds_type = {"list", read_thresholds, NULL, 0};

const struct field violation_threshold_fields[] = {
    {"at", &field_number, FIELD_AT(struct violation_threshold, at), 0, SCORE_MAX, .is_required = true},
    {"do", &field_choices, FIELD_AT(struct violation_threshold, reactions), .names = reactions, .is_required = true},
    {0},
};

#define AT(member) FIELD_AT(struct violations, member)
const struct field violation_ask_fields[] = {
    {"within", &field_ns, AT(ask_ns), 1, TIME_LONGEST, .initial = "5m"},
    {"otherwise", &field_choice, AT(ask_resumes), .names = reactions_after_question, .initial = "kill"},
    {0},
};

const struct field violations_fields[] = {
    {"weights", &weights_type, AT(weights), 0, WEIGHT_MAX, .names = kinds, .is_required = true},
    {"half_life", &field_ns, AT(half_life_ns), 1, TIME_LONGEST, .is_required = true},
    {"actions", &thresholds_type, FIELD_WHOLE, .fields = violation_threshold_fields, .is_required = true},
    {"throttle", &rate_type, AT(throttle_ns), .initial = "6/m"},
    {"ask", &field_mapping, FIELD_WHOLE, .fields = violation_ask_fields},
    {"hooks", &field_list, FIELD_LIST_AT(struct violations, hooks, n_hooks), 1, VIOLATION_HOOKS_MAX,
     .fields = violation_hook_fields, .entry = sizeof(struct violation_hook), .check = violation_hook_check},
    {0},
};

static bool read_violations(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct violations *v = out;

    (void)f;
    *v = (struct violations){.is_on = true};
    return fields_read(r, violations_fields, node, v, err);
}

const struct field_type violations_type = {"mapping", read_violations, NULL, 0};

bool violations_read(struct arena *a, const struct yaml_node *node, struct violations *out, struct error *err)
{
    const struct field_reader r = {.arena = a};

    return read_violations(&r, NULL, node, out, err);
}
