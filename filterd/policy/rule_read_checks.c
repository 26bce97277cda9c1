/* rule_read_checks.c - reads the checks of a rule: its own, and those of its file or folder. */
#include "policy/rule_read_parts.h"

static bool read_numbers(struct arena *a, const struct yaml_node *node, struct check_value *value, struct error *err)
{
    if (!yaml_expect(node, YAML_SEQUENCE, "numbers", err)) {
        return false;
    }
    double *numbers = arena_array(a, node->n, sizeof(*numbers), err);
    if (numbers == NULL) {
        return false;
    }
    value->numbers = numbers;
    value->n = node->n;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!yaml_read_number(c, -1e15, 1e15, numbers++, err)) {
            return false;
        }
    }
    return true;
}

static bool read_check_value(struct arena *a, const struct yaml_node *node, enum check_value_kind kind,
                             struct check_value *value, struct error *err)
{
    bool flag = false;

    *value = (struct check_value){.kind = kind};
    switch (kind) {
    case CHECK_NUMBER: return yaml_read_number(node, -1e15, 1e15, &value->number, err);
    case CHECK_TEXT: return yaml_read_text(node, &value->text, err);
    case CHECK_TEXTS: return yaml_read_texts(a, node, &value->texts, &value->n, err);
    case CHECK_NUMBERS: return read_numbers(a, node, value, err);
    case CHECK_FLAG:
    default:
        if (!yaml_read_flag(node, &flag, err)) {
            return false;
        }
        value->number = flag ? 1 : 0;
        return true;
    }
}

static const char *const failures[] = {"lower", "drop", NULL};

#define AT(member) FIELD_AT(struct rule_check, member)
const struct field rule_check_fields[] = {
    {"on_fail", &field_choice, AT(drops), .names = failures, .initial = "drop"},
    {"raise", &field_number, AT(raise), 0, 1, .initial = "0"},
    {"lower", &field_number, AT(lower), 0, 1, .initial = "0.3"},
    {"of", &field_text, AT(group), .initial = NULL},
    {0},
};

/* An argument that every check takes, or one of the check's own. */
static bool read_argument(const struct field_reader *r, const struct yaml_node *node, struct rule_check *check,
                          struct error *err)
{
    for (const struct field *f = rule_check_fields; f->name != NULL; f++) {
        if (span_is(node->key, f->name)) {
            return f->type->read(r, f, node, (char *)check + f->offset, err);
        }
    }
    for (size_t i = 0; check->type->parameters[i].name != NULL; i++) {
        if (span_is(node->key, check->type->parameters[i].name)) {
            check->args.is_given[i] = true;
            return read_check_value(r->arena, node, check->type->parameters[i].kind, &check->args.value[i], err);
        }
    }
    return yaml_error(node, err, "check '%s' has no argument '" SPAN_FMT "'", check->type->name, SPAN_ARG(node->key));
}

static bool arguments_complete(const struct yaml_node *node, const struct rule_check *check, struct error *err)
{
    struct error reason = {0};

    for (size_t i = 0; check->type->parameters[i].name != NULL; i++) {
        if (check->type->parameters[i].is_required && !check->args.is_given[i]) {
            return yaml_error(node, err, "check '%s': '%s' expected", check->type->name, check->type->parameters[i].name);
        }
    }
    return check->type->accepts == NULL || check->type->accepts(&check->args, &reason) ||
           yaml_error(node, err, "check '%s': %s", check->type->name, reason.text);
}

/* "luhn", or "luhn: {prefix: '80840'}". */
static bool read_check(const struct field_reader *r, const struct yaml_node *node, struct rule_check *check, struct error *err)
{
    const struct yaml_node *arguments = NULL;
    struct span name = node->text;

    if (node->kind == YAML_MAPPING && node->n == 1) {
        arguments = node->first;
        name = arguments->key;
    } else if (node->kind != YAML_SCALAR) {
        return yaml_error(node, err, "a check expected: its name, or 'name: {arguments}'");
    }
    *check = (struct rule_check){.type = check_find(name)};
    if (check->type == NULL) {
        return yaml_error(node, err, "there is no check '" SPAN_FMT "'", SPAN_ARG(name));
    }
    if (!fields_set_defaults(r, rule_check_fields, check, err)) {
        return false;
    }
    if (arguments != NULL) {
        if (!yaml_expect(arguments, YAML_MAPPING, check->type->name, err)) {
            return false;
        }
        for (const struct yaml_node *c = arguments->first; c != NULL; c = c->next) {
            if (!read_argument(r, c, check, err)) {
                return false;
            }
        }
    }
    return arguments_complete(node, check, err);
}

static struct span name_of(const struct yaml_node *node)
{
    return node->kind == YAML_MAPPING && node->first != NULL ? node->first->key : node->text;
}

/* "luhn: false": not that one, though every rule has it. */
static bool is_off(const struct yaml_node *node)
{
    const struct yaml_node *value = node->kind == YAML_MAPPING && node->n == 1 ? node->first : NULL;

    return value != NULL && value->kind == YAML_SCALAR && value->is_plain && span_is(value->text, "false") &&
           check_find(value->key) != NULL;
}

bool rule_read_checks(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct rule *rule = out;

    if (node->kind != YAML_SEQUENCE || (double)node->n > f->max) {
        return yaml_expected(node, err, "a list of at most %g checks", f->max);
    }
    struct rule_check *checks = arena_array(r->arena, node->n, sizeof(*checks), err);
    if (checks == NULL) {
        return false;
    }
    rule->checks = checks;
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!is_off(c) && !read_check(r, c, &checks[rule->n_checks++], err)) {
            return false;
        }
    }
    return true;
}

static bool is_named(const struct yaml_node *checks, const struct check_type *type)
{
    for (const struct yaml_node *c = checks != NULL ? checks->first : NULL; c != NULL; c = c->next) {
        if (span_is(name_of(c), type->name)) {
            return true;
        }
    }
    return false;
}

bool rule_add_checks(struct arena *a, const struct yaml_node *node, const struct rule_check *shared, size_t n,
                     struct rule *rule, struct error *err)
{
    const struct yaml_node *own = yaml_get(node, "checks");
    size_t n_checks = rule->n_checks;

    if (n == 0) {
        return true;
    }
    struct rule_check *checks = arena_array(a, n_checks + n, sizeof(*checks), err);
    if (checks == NULL) {
        return false;
    }
    if (n_checks > 0) {
        memcpy(checks, rule->checks, n_checks * sizeof(*checks));
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_named(own, shared[i].type)) {
            checks[n_checks++] = shared[i];
        }
    }
    rule->checks = checks;
    rule->n_checks = n_checks;
    return n_checks <= RULE_CHECKS_MAX ||
           yaml_error(node, err, "at most %d checks expected, those of every rule included", RULE_CHECKS_MAX);
}
