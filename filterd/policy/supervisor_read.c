/* supervisor_read.c - a policy's key `supervisor` from YAML (filterd-policy(5)). */
#include <stdio.h>

#include "policy/policy_read.h"
#include "policy/supervisor.h"

/* `[0.4, 0.9]`: from the first on, below the second; 1 is inclusive. */
static bool read_between(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    struct policy_condition *when = out;
    double low = 0, high = 0;

    (void)r, (void)f;
    if (node->kind != YAML_SEQUENCE || node->n != 2) {
        return yaml_expected(node, err, "two numbers, as [0.4, 0.9],");
    }
    if (!yaml_read_number(node->first, 0, 1, &low, err) || !yaml_read_number(node->first->next, 0, 1, &high, err)) {
        return false;
    }
    when->min_confidence = low;
    when->max_confidence = high;
    return low < high || yaml_expected(node, err, "the lower number first");
}

/* A classifier is a rule whose findings come from a model: its id, or the part of the id after "classifier-". */
static bool read_classifier(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    const struct rule_set *rules = policy_reader(r)->snapshot->rules;
    struct supervisor_trigger *trigger = out;
    struct yaml_node rule = *node;
    char id[80];
    int len = node->kind == YAML_SCALAR ? snprintf(id, sizeof(id), "classifier-" SPAN_FMT, SPAN_ARG(node->text)) : -1;

    if (len > 0 && (size_t)len < sizeof(id) && rule_set_find(rules, span_str(id)) != NULL) {
        rule.text = rule_set_find(rules, span_str(id))->id;
    } else if (len <= 0 || rule_set_find(rules, node->text) == NULL) {
        return yaml_expected(node, err, "the id of a classifier's rule");
    }
    rule.key = span_str("rule");
    trigger->of_classifiers = true;
    return condition_rules.read(r, f, &rule, &trigger->when.rules, err);
}

/* With a condition that no finding can meet the supervisor would silently never be asked. */
static bool check_trigger(const struct field_reader *r, const struct yaml_node *node, const struct supervisor_trigger *t,
                          struct error *err)
{
    for (size_t i = 0; t->of_classifiers && i < t->when.rules.n; i++) {
        const struct rule *rule = rule_set_find(policy_reader(r)->snapshot->rules, t->when.rules.items[i]);
        if (rule != NULL && t->when.max_confidence < 1 && t->when.max_confidence <= rule->threshold) {
            return yaml_error(node, err, "rule '" SPAN_FMT "' finds nothing below its threshold of %g", SPAN_ARG(rule->id),
                              rule->threshold);
        }
    }
    return true;
}

static bool read_when(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    const struct yaml_node *c = node->kind == YAML_SEQUENCE ? node->first : node;
    size_t n = node->kind == YAML_SEQUENCE ? node->n : 1;
    struct policy_supervisor *s = out;

    (void)f;
    if (node->kind == YAML_SCALAR) {
        s->is_always = span_is(node->text, "always");
        return s->is_always || yaml_expected(node, err, "'always', a condition or a list of conditions");
    }
    if (n == 0) {
        return yaml_expected(node, err, "at least one condition");
    }
    struct supervisor_trigger *triggers = arena_array(r->arena, n, sizeof(*triggers), err);
    if (triggers == NULL) {
        return false;
    }
    memset(triggers, 0, n * sizeof(*triggers));
    s->triggers = triggers;
    for (; s->n_triggers < n; s->n_triggers++, triggers++, c = c->next) {
        if (c->kind == YAML_MAPPING && c->n == 0) {
            return yaml_error(c, err, "'always', or what a finding must be, expected");
        }
        if (!fields_read(r, supervisor_trigger_fields, c, triggers, err) || !check_trigger(r, c, triggers, err)) {
            return false;
        }
    }
    return true;
}

static bool read_failure(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    unsigned choice = 0;

    (void)r;
    if (!yaml_read_choice(node, f->names, &choice, err)) {
        return false;
    }
    *(enum action *)out = choice == 0 ? ACTION_BLOCK : ACTION_ALLOW;
    return true;
}

static bool read_supervisor(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                            struct error *err)
{
    struct policy_supervisor *s = arena_alloc(r->arena, sizeof(*s), err);

    if (s == NULL) {
        return false;
    }
    *s = (struct policy_supervisor){.categories = (1U << SUPERVISOR_CATEGORY_COUNT) - 1};
    if (!fields_read(r, f->fields, node, s, err)) {
        return false;
    }
    if (yaml_get(node, "when") == NULL && yaml_get(node, "sample") == NULL) {
        return yaml_error(node, err, "'when' expected");
    }
    *(const struct policy_supervisor **)out = s;
    return true;
}

static const char *const failures[] = {"block", "allow", NULL};
static const struct field_type between_type = {"two numbers", read_between, NULL, 0},
                               classifier_type = {"text", read_classifier, NULL, 0},
                               when_type = {"condition", read_when, NULL, 0},
                               failure_type = {"choice", read_failure, NULL, 0};
const struct field_type policy_supervisor_type = {"mapping", read_supervisor, NULL, 0};

_Static_assert(offsetof(struct supervisor_trigger, when) == 0, "CONDITION_FIELDS");

const struct field supervisor_trigger_fields[] = {
    CONDITION_FIELDS,
    {"between", &between_type, FIELD_WHOLE, .min = 0, .max = 1},
    {"classifier", &classifier_type, 0, sizeof(struct span_list), .min = 1},
    {0},
};

#define AT(member) FIELD_AT(struct policy_supervisor, member)
const struct field policy_supervisor_fields[] = {
    {"when", &when_type, FIELD_WHOLE, .initial = NULL},
    {"deadline", &field_ns, AT(deadline_ns), 50, 120e3, .initial = "1500ms"},
    {"categories", &field_choices, AT(categories), .names = supervisor_category_names},
    {"on_failure", &failure_type, AT(on_failure), .names = failures, .initial = "block"},
    {"action", &field_choice, AT(action), .names = action_names, .initial = "block"},
    {"hold", &field_choice, AT(hold), .names = hold_names, .initial = "all"},
    {"questions", &field_integer, AT(questions), 1, SUPERVISOR_QUESTIONS_MAX, .initial = "32"},
    {"later", &field_flag, AT(is_later), .initial = "false"},
    {"sample", &field_number, AT(sample), 0, 1, .initial = "0"},
    {0},
};
