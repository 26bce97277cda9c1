/* supervisor_read.c - a policy's key `supervisor` from YAML (filterd-policy(5)). */
#include <stdio.h>

#include "policy/policy_read.h"
#include "policy/supervisor.h"

#define MS_NS 1000000ULL

enum { DEADLINE_MIN_MS = 50, DEADLINE_MAX_MS = 120000 };

/* An end behind the number: "1500ms", "2s". */
static bool read_deadline(const struct yaml_node *node, uint64_t *out_ns, struct error *err)
{
    struct span text = node->text;
    uint64_t value = 0;
    size_t digits = 0;

    while (node->kind == YAML_SCALAR && digits < text.len && digits < 7 && text.ptr[digits] >= '0' &&
           text.ptr[digits] <= '9') {
        value = value * 10 + (uint64_t)(text.ptr[digits++] - '0');
    }
    struct span unit = node->kind == YAML_SCALAR ? span_slice(text, digits, text.len) : (struct span){.ptr = ""};
    value *= span_is(unit, "s") ? 1000 : 1;
    bool is_good = digits > 0 && (span_is(unit, "s") || span_is(unit, "ms")) && value >= DEADLINE_MIN_MS &&
                   value <= DEADLINE_MAX_MS;
    if (!is_good) {
        return yaml_error(node, err, "a time from %dms to %ds expected, as 1500ms or 2s", DEADLINE_MIN_MS,
                          DEADLINE_MAX_MS / 1000);
    }
    *out_ns = value * MS_NS;
    return true;
}

/* `[0.4, 0.9]`: from the first on, below the second; 1 is inclusive. */
static bool read_between(const struct yaml_node *node, struct policy_condition *when, struct error *err)
{
    double low = 0, high = 0;

    if (node->kind != YAML_SEQUENCE || node->n != 2) {
        return yaml_error(node, err, "two numbers expected, as [0.4, 0.9]");
    }
    if (!yaml_read_number(node->first, 0, 1, &low, err) || !yaml_read_number(node->first->next, 0, 1, &high, err)) {
        return false;
    }
    when->min_confidence = low;
    when->max_confidence = high;
    return low < high || yaml_error(node, err, "the lower number first expected");
}

/* A classifier is a rule whose findings a model makes: its id, or what is behind "classifier-" in it. */
static bool read_classifier(const struct condition_reader *r, const struct yaml_node *node,
                            struct supervisor_trigger *out, struct error *err)
{
    struct yaml_node rule = *node;
    char id[80];
    bool is_known;
    int len = node->kind == YAML_SCALAR ? snprintf(id, sizeof(id), "classifier-" SPAN_FMT, SPAN_ARG(node->text)) : -1;

    if (len > 0 && (size_t)len < sizeof(id) && rule_set_find(r->rules, span_str(id)) != NULL) {
        rule.text = rule_set_find(r->rules, span_str(id))->id;
    } else if (len <= 0 || rule_set_find(r->rules, node->text) == NULL) {
        return yaml_error(node, err, "the id of a classifier's rule expected");
    }
    rule.key = span_str("rule");
    out->of_classifiers = true;
    return policy_read_condition_key(r, &rule, &out->when, &is_known, err);
}

/* A condition that no finding can meet would silently disable the supervisor. */
static bool check_reach(const struct condition_reader *r, const struct yaml_node *node,
                        const struct supervisor_trigger *t, struct error *err)
{
    for (size_t i = 0; t->of_classifiers && i < t->when.rules.n; i++) {
        const struct rule *rule = rule_set_find(r->rules, t->when.rules.items[i]);
        if (rule != NULL && t->when.max_confidence < 1 && t->when.max_confidence <= rule->threshold) {
            return yaml_error(node, err, "rule '" SPAN_FMT "' finds nothing below its threshold of %g", SPAN_ARG(rule->id),
                              rule->threshold);
        }
    }
    return true;
}

static bool read_trigger(const struct condition_reader *r, const struct yaml_node *node,
                         struct supervisor_trigger *out, struct error *err)
{
    *out = (struct supervisor_trigger){.when = {.max_confidence = 1}};
    if (!yaml_expect(node, YAML_MAPPING, "when", err)) {
        return false;
    }
    if (node->n == 0) {
        return yaml_error(node, err, "'always', or what a finding must be, expected");
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        bool is_known = true;
        bool is_read = span_is(c->key, "between")      ? read_between(c, &out->when, err)
                       : span_is(c->key, "classifier") ? read_classifier(r, c, out, err)
                                                       : policy_read_condition_key(r, c, &out->when, &is_known, err);
        if (!is_read) {
            return false;
        }
        if (!is_known) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here", c->file, c->key_line,
                             c->key_column, SPAN_ARG(c->key));
        }
    }
    return check_reach(r, node, out, err);
}

static bool read_when(const struct condition_reader *r, const struct yaml_node *node, struct policy_supervisor *out,
                      struct error *err)
{
    const struct yaml_node *first = node->kind == YAML_SEQUENCE ? node->first : node;
    size_t n = node->kind == YAML_SEQUENCE ? node->n : 1;

    if (node->kind == YAML_SCALAR) {
        out->is_always = span_is(node->text, "always");
        return out->is_always || yaml_error(node, err, "'always', a condition or a list of conditions expected");
    }
    if (n == 0) {
        return yaml_error(node, err, "at least one condition expected");
    }
    struct supervisor_trigger *triggers = arena_array(r->arena, n, sizeof(*triggers), err);
    if (triggers == NULL) {
        return false;
    }
    out->triggers = triggers;
    for (const struct yaml_node *c = first; out->n_triggers < n; c = c->next) {
        if (!read_trigger(r, c, &triggers[out->n_triggers++], err)) {
            return false;
        }
    }
    return true;
}

static bool read_categories(const struct condition_reader *r, const struct yaml_node *node, unsigned *bits,
                            struct error *err)
{
    const struct span *texts;
    size_t n;

    *bits = 0;
    if (!yaml_read_texts(r->arena, node, &texts, &n, err)) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        unsigned category = 0;
        while (category < SUPERVISOR_CATEGORY_COUNT &&
               !span_is(texts[i], supervisor_category_name((enum supervisor_category)category))) {
            category++;
        }
        if (category == SUPERVISOR_CATEGORY_COUNT) {
            return yaml_error(node, err, "harm, hate, self-harm, sexual, injection, pii or secret expected");
        }
        *bits |= 1U << category;
    }
    return n > 0 || yaml_error(node, err, "at least one category expected");
}

static bool read_choice(const struct yaml_node *node, const char *const *choices, const unsigned *values, unsigned *out,
                        struct error *err)
{
    unsigned choice = 0;

    if (!yaml_read_choice(node, choices, &choice, err)) {
        return false;
    }
    *out = values[choice];
    return true;
}

static bool read_questions(const struct yaml_node *node, unsigned *out, struct error *err)
{
    int64_t n = 0;

    if (!yaml_read_integer(node, 1, SUPERVISOR_QUESTIONS_MAX, &n, err)) {
        return false;
    }
    *out = (unsigned)n;
    return true;
}

static bool read_key(const struct condition_reader *r, const struct yaml_node *c, struct policy_supervisor *out,
                     struct error *err)
{
    static const char *const failures[] = {"block", "allow", NULL};
    static const unsigned failure_actions[] = {ACTION_BLOCK, ACTION_ALLOW};
    static const char *const actions[] = {"block", "redact", "allow", NULL};
    static const unsigned all_actions[] = {ACTION_BLOCK, ACTION_REDACT, ACTION_ALLOW};
    static const char *const holds[] = {"all", "paragraph", "sentence", "none", NULL};
    static const unsigned all_holds[] = {HOLD_ALL, HOLD_PARAGRAPH, HOLD_SENTENCE, HOLD_NONE};

    if (span_is(c->key, "when")) {
        return read_when(r, c, out, err);
    }
    if (span_is(c->key, "deadline")) {
        return read_deadline(c, &out->deadline_ns, err);
    }
    if (span_is(c->key, "categories")) {
        return read_categories(r, c, &out->categories, err);
    }
    if (span_is(c->key, "on_failure")) {
        return read_choice(c, failures, failure_actions, &out->on_failure, err);
    }
    if (span_is(c->key, "action")) {
        return read_choice(c, actions, all_actions, &out->action, err);
    }
    if (span_is(c->key, "hold")) {
        return read_choice(c, holds, all_holds, &out->hold, err);
    }
    if (span_is(c->key, "questions")) {
        return read_questions(c, &out->questions, err);
    }
    if (span_is(c->key, "later")) {
        return yaml_read_flag(c, &out->is_later, err);
    }
    return yaml_read_number(c, 0, 1, &out->sample, err); /* the keys are checked: `sample` */
}

bool policy_supervisor_read(struct arena *a, const struct rule_set *rules, const struct yaml_node *node,
                            const struct policy_supervisor **out, struct error *err)
{
    static const char *const keys[] = {"when", "deadline",  "categories", "on_failure", "action",
                                       "hold", "questions", "later",      "sample",     NULL};
    const struct condition_reader r = {.arena = a, .rules = rules};
    struct policy_supervisor *s = arena_alloc(a, sizeof(*s), err);

    if (s == NULL || !yaml_expect(node, YAML_MAPPING, "supervisor", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    *s = (struct policy_supervisor){.deadline_ns = 1500 * MS_NS,
                                    .categories = (1U << SUPERVISOR_CATEGORY_COUNT) - 1,
                                    .on_failure = ACTION_BLOCK,
                                    .action = ACTION_BLOCK,
                                    .hold = HOLD_ALL,
                                    .questions = SUPERVISOR_QUESTIONS_DEFAULT};
    if (yaml_get(node, "when") == NULL && yaml_get(node, "sample") == NULL) {
        return yaml_error(node, err, "'when' expected");
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_key(&r, c, s, err)) {
            return false;
        }
    }
    *out = s;
    return true;
}
