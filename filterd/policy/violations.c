#include "policy/violation_hooks.h"

#define SECOND INT64_C(1000000000)

static const double weight_max = 1e6, score_max = 1e9;

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

bool violations_read_time(const struct yaml_node *node, int64_t *ns, struct error *err)
{
    static const struct {
        const char *suffix;
        double seconds;
    } units[] = {{"ms", 1e-3}, {"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86400}};
    char text[32], *end = NULL;

    if (node->kind == YAML_SCALAR && node->text.len > 0 && node->text.len < sizeof(text) && node->text.ptr[0] >= '0' &&
        node->text.ptr[0] <= '9') {
        memcpy(text, node->text.ptr, node->text.len);
        text[node->text.len] = '\0';
        double value = strtod(text, &end);
        for (size_t i = 0; i < COUNT(units); i++) {
            double seconds = value * units[i].seconds;
            if (strcmp(end, units[i].suffix) == 0 && seconds >= 1e-3 && seconds <= 400 * 86400.0) {
                *ns = (int64_t)(seconds * (double)SECOND);
                return true;
            }
        }
    }
    return yaml_error(node, err, "a time such as 90s, 10m, 1h or 2d, from 1ms to 400d, expected");
}

/* "6/m": so many in each second, minute or hour; kept as the time between two. */
static bool read_rate(const struct yaml_node *node, int64_t *ns, struct error *err)
{
    static const char letters[] = "smh";
    static const int64_t windows[] = {SECOND, 60 * SECOND, 3600 * SECOND};
    char text[16], *end = NULL;

    if (node->kind == YAML_SCALAR && node->text.len > 0 && node->text.len < sizeof(text) && node->text.ptr[0] >= '1' &&
        node->text.ptr[0] <= '9') {
        memcpy(text, node->text.ptr, node->text.len);
        text[node->text.len] = '\0';
        long count = strtol(text, &end, 10);
        const char *unit = end[0] == '/' && end[1] != '\0' && end[2] == '\0' ? strchr(letters, end[1]) : NULL;
        if (unit != NULL && count <= 1000000) {
            *ns = windows[unit - letters] / count;
            return true;
        }
    }
    return yaml_error(node, err, "a rate such as 6/m expected: a number up to 1000000, and s, m or h");
}

/* --- sections ------------------------------------------------------------- */

static bool read_weights(const struct yaml_node *node, struct violations *out, struct error *err)
{
    if (!yaml_expect(node, YAML_MAPPING, "weights", err) || !yaml_check_keys(node, kinds, err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        enum violation v = VIOLATION_SECRET;
        if (!violation_find(c->key, &v) || !yaml_read_number(c, 0, weight_max, &out->weights[v], err)) {
            return false;
        }
    }
    return node->n > 0 || yaml_error(node, err, "at least one weight expected");
}

static bool read_reaction(const struct yaml_node *node, unsigned *bits, struct error *err)
{
    unsigned choice = 0;

    if (!yaml_read_choice(node, reactions, &choice, err)) {
        return false;
    }
    *bits |= 1U << choice;
    return true;
}

static bool read_reactions(const struct yaml_node *node, unsigned *bits, struct error *err)
{
    if (node->kind != YAML_SEQUENCE) {
        return read_reaction(node, bits, err);
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_reaction(c, bits, err)) {
            return false;
        }
    }
    return *bits != 0 || yaml_error(node, err, "at least one action expected");
}

static bool read_threshold(const struct yaml_node *node, struct violation_threshold *out, struct error *err)
{
    static const char *const keys[] = {"at", "do", NULL};

    *out = (struct violation_threshold){0};
    if (!yaml_expect(node, YAML_MAPPING, "action", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *at = yaml_get(node, "at"), *reaction = yaml_get(node, "do");
    if (at == NULL || reaction == NULL) {
        return yaml_error(node, err, "'at' and 'do' expected");
    }
    return yaml_read_number(at, 0, score_max, &out->at, err) &&
           (out->at > 0 || yaml_error(at, err, "a score above 0 expected")) &&
           read_reactions(reaction, &out->reactions, err);
}

static bool read_thresholds(const struct yaml_node *node, struct violations *out, struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "actions", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        struct violation_threshold *t = &out->thresholds[out->n_thresholds];
        if (out->n_thresholds == VIOLATION_THRESHOLDS_MAX) {
            return yaml_error(c, err, "at most %d actions expected", VIOLATION_THRESHOLDS_MAX);
        }
        if (!read_threshold(c, t, err)) {
            return false;
        }
        if (out->n_thresholds > 0 && t->at <= t[-1].at) {
            return yaml_error(c, err, "'at' above that of the action before expected");
        }
        out->n_thresholds++;
    }
    return out->n_thresholds > 0 || yaml_error(node, err, "at least one action expected");
}

static bool read_ask(const struct yaml_node *node, struct violations *out, struct error *err)
{
    static const char *const keys[] = {"within", "otherwise", NULL};
    static const char *const words[] = {"kill", "resume", NULL};
    unsigned choice = 0;

    if (!yaml_expect(node, YAML_MAPPING, "ask", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *within = yaml_get(node, "within"), *otherwise = yaml_get(node, "otherwise");
    if ((within != NULL && !violations_read_time(within, &out->ask_ns, err)) ||
        (otherwise != NULL && !yaml_read_choice(otherwise, words, &choice, err))) {
        return false;
    }
    out->ask_resumes = choice == 1;
    return true;
}

bool violations_read(struct arena *a, const struct yaml_node *node, struct violations *out, struct error *err)
{
    static const char *const keys[] = {"weights", "half_life", "actions", "throttle", "ask", "hooks", NULL};

    *out = (struct violations){.is_on = true, .throttle_ns = 10 * SECOND, .ask_ns = 300 * SECOND};
    if (!yaml_expect(node, YAML_MAPPING, "violations", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *weights = yaml_get(node, "weights"), *half_life = yaml_get(node, "half_life");
    const struct yaml_node *actions = yaml_get(node, "actions");
    const struct yaml_node *throttle = yaml_get(node, "throttle"), *ask = yaml_get(node, "ask");
    const struct yaml_node *hooks = yaml_get(node, "hooks");
    if (weights == NULL || half_life == NULL || actions == NULL) {
        return yaml_error(node, err, "'weights', 'half_life' and 'actions' expected");
    }
    return read_weights(weights, out, err) && violations_read_time(half_life, &out->half_life_ns, err) &&
           read_thresholds(actions, out, err) && (throttle == NULL || read_rate(throttle, &out->throttle_ns, err)) &&
           (ask == NULL || read_ask(ask, out, err)) &&
           (hooks == NULL || violation_hooks_read(a, hooks, out, err));
}
