#include "policy/rule_read.h"
#include "policy/rule_read_parts.h"

#include <ctype.h>
#include <stdio.h>

#include "policy/rule_words.h"
#include "view/view.h"

enum { MATCH_BYTES_MAX = 64 * 1024 };         /* of a lead and of a match */

static const char *const view_names[] = {"raw", "folded", "decoded", NULL};

static bool read_list(struct arena *a, const struct yaml_node *node, struct span_list *list, struct error *err)
{
    return yaml_read_texts(a, node, &list->items, &list->n, err);
}

static bool field_id(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    if (!yaml_read_text(node, &rule->id, err)) {
        return false;
    }
    bool is_good = rule->id.len > 0 && rule->id.len <= 64;
    for (size_t i = 0; i < rule->id.len; i++) {
        char c = rule->id.ptr[i];
        is_good &= (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    }
    return is_good || yaml_error(node, err, "an id of 1 to 64 of a-z, 0-9 and - expected");
}

static bool field_title(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_text(node, &rule->title, err);
}

static bool field_category(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    unsigned choice = 0;

    (void)a;
    bool is_read = yaml_read_choice(node, category_names, &choice, err);
    rule->category = (enum category)choice;
    return is_read && (choice != CATEGORY_SYSTEM || yaml_error(node, err, "secret, pii, injection or content expected"));
}

static bool field_severity(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    unsigned choice = 0;

    (void)a;
    bool is_read = yaml_read_choice(node, severity_names, &choice, err);
    rule->severity = (enum severity)choice;
    return is_read;
}

static bool field_boundary(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    unsigned choice = 0;

    (void)a;
    bool is_read = yaml_read_choice(node, boundary_names, &choice, err);
    rule->boundary = (enum boundary)choice;
    return is_read;
}

static bool field_tags(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return read_list(a, node, &rule->tags, err);
}

static bool field_words(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    struct error reason = {0};

    if (!read_list(a, node, &rule->words, err)) {
        return false;
    }
    return rule_words_check(&rule->words, &reason) || yaml_error(node, err, "%s", reason.text);
}

static bool field_classifier(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_text(node, &rule->classifier, err) &&
           (rule->classifier.len > 0 || yaml_error(node, err, "the name of a classifier expected"));
}

static bool field_threshold(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_number(node, 0.01, 1, &rule->threshold, err);
}

static bool field_trigger(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return fragments_expand_list(a, rule->fragments, node, &rule->triggers.items, &rule->triggers.n, err);
}

static bool field_lead(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    int64_t lead = 0;

    (void)a;
    bool is_read = yaml_read_integer(node, 1, MATCH_BYTES_MAX, &lead, err);
    rule->lead = (uint32_t)lead;
    return is_read;
}

static bool field_max_length(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    int64_t length = 0;

    (void)a;
    bool is_read = yaml_read_integer(node, 1, MATCH_BYTES_MAX, &length, err);
    rule->max_length = (uint32_t)length;
    return is_read;
}

static bool field_confidence(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_number(node, 0, 1, &rule->confidence, err);
}

static bool field_allow(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return fragments_expand_list(a, rule->fragments, node, &rule->allow.items, &rule->allow.n, err);
}

static bool field_views(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    rule->views = 0;
    if (!yaml_expect(node, YAML_SEQUENCE, "views", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        unsigned choice;
        if (!yaml_read_choice(c, view_names, &choice, err)) {
            return false;
        }
        rule->views |= 1U << choice;
    }
    return rule->views != 0 || yaml_error(node, err, "at least one view expected");
}

static bool field_shadow(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_flag(node, &rule->is_shadow, err);
}

static bool field_region(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    (void)a;
    return yaml_read_flag(node, &rule->is_region, err);
}

static bool field_references(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return read_list(a, node, &rule->references, err);
}

static bool field_match(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return read_list(a, node, &rule->match, err);
}

static bool field_no_match(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    return read_list(a, node, &rule->no_match, err);
}

static const struct field {
    const char *name;
    bool (*read)(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err);
    bool is_required;
} fields[] = {
    {"id", field_id, true},
    {"title", field_title, true},
    {"category", field_category, true},
    {"severity", field_severity, true},
    {"tags", field_tags, false},
    {"pattern", rule_read_patterns, false},
    {"patterns", rule_read_patterns, false},
    {"words", field_words, false},
    {"classifier", field_classifier, false},
    {"threshold", field_threshold, false},
    {"boundary", field_boundary, false},
    {"trigger", field_trigger, false},
    {"lead", field_lead, false},
    {"max_length", field_max_length, false},
    {"checks", rule_read_checks, false},
    {"context", rule_read_contexts, false},
    {"requires", rule_read_requires, false},
    {"confidence", field_confidence, false},
    {"allow", field_allow, false},
    {"views", field_views, false},
    {"shadow", field_shadow, false},
    {"region", field_region, false},
    {"references", field_references, false},
    {"match", field_match, false},
    {"no_match", field_no_match, false},
};

static const struct field *field_find(struct span name)
{
    for (size_t i = 0; i < COUNT(fields); i++) {
        if (span_is(name, fields[i].name)) {
            return &fields[i];
        }
    }
    return NULL;
}

/* Nothing about a region may depend on where it ends. */
static bool region_is_sure(const struct yaml_node *node, const struct rule *rule, struct error *err)
{
    bool is_sure = rule->severity == SEVERITY_CRITICAL && rule->allow.n == 0;

    for (size_t i = 0; i < rule->n_checks; i++) {
        is_sure = is_sure && !rule->checks[i].drops;
    }
    for (size_t i = 0; i < rule->n_contexts; i++) {
        is_sure = is_sure && !rule->contexts[i].is_required;
    }
    for (size_t i = 0; i < rule->patterns.n; i++) {
        is_sure = is_sure && memmem(rule->patterns.items[i].ptr, rule->patterns.items[i].len, "(?<secret>", 10) == NULL;
    }
    return is_sure || yaml_error(node, err,
                                 "rule '" SPAN_FMT "': a region is critical and goes without 'allow', required "
                                 "words, checks that drop and a group 'secret'",
                                 SPAN_ARG(rule->id));
}

/* A score is its own confidence, of a whole stretch of text: nothing that belongs to a match has a meaning. */
static bool classifier_complete(const struct yaml_node *node, struct rule *rule, struct error *err)
{
    static const char *const foreign[] = {"boundary", "trigger", "lead", "max_length", "checks", "context",
                                          "requires", "confidence", "allow", "views", "region"};

    for (size_t i = 0; i < COUNT(foreign); i++) {
        if (yaml_get(node, foreign[i]) != NULL) {
            return yaml_error(node, err, "rule '" SPAN_FMT "': 'classifier' stands without '%s'", SPAN_ARG(rule->id),
                              foreign[i]);
        }
    }
    if (rule->severity == SEVERITY_CRITICAL) { /* a region's label is out before a unit is judged: none may lead it */
        return yaml_error(node, err, "rule '" SPAN_FMT "': a classifier is at most of high severity", SPAN_ARG(rule->id));
    }
    rule->confidence = 1;
    return rule->threshold > 0 || yaml_error(node, err, "rule '" SPAN_FMT "': 'threshold' expected", SPAN_ARG(rule->id));
}

/* Says all that is missing at once. */
static bool has_required(const struct yaml_node *node, const struct rule *rule, struct error *err)
{
    const bool has_all = yaml_get(node, "confidence") != NULL || rule->classifier.len > 0;
    char missing[128] = "";
    size_t len = 0;

    for (size_t i = 0; i < COUNT(fields) && len < sizeof(missing); i++) {
        bool is_required = fields[i].is_required || (!has_all && strcmp(fields[i].name, "confidence") == 0);
        if (is_required && yaml_get(node, fields[i].name) == NULL) {
            len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s'%s'", len == 0 ? "" : ", ", fields[i].name);
        }
    }
    return len == 0 || yaml_error(node, err, "rule '" SPAN_FMT "': %s expected", SPAN_ARG(rule->id), missing);
}

static bool rule_complete(const struct yaml_node *node, struct rule *rule, struct error *err)
{
    if (!has_required(node, rule, err)) {
        return false;
    }
    if ((rule->patterns.n > 0) + (rule->words.n > 0) + (rule->classifier.len > 0) != 1) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': either 'pattern', 'words' or 'classifier' expected",
                          SPAN_ARG(rule->id));
    }
    if (rule->classifier.len > 0 && !classifier_complete(node, rule, err)) {
        return false;
    }
    if (rule->classifier.len == 0 && rule->threshold > 0) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': 'threshold' belongs to 'classifier'", SPAN_ARG(rule->id));
    }
    if (rule->words.n > 0 && (rule->triggers.n > 0 || rule->lead != 0 || rule->max_length != 0)) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': 'words' stands without trigger, lead and max_length",
                          SPAN_ARG(rule->id));
    }
    return !rule->is_region || region_is_sure(node, rule, err);
}

bool rule_read_scope(struct arena *a, const struct yaml_node *root, struct rule_file_scope *out, struct error *err)
{
    const struct yaml_node *fragments = yaml_get(root, "fragments"), *checks = yaml_get(root, "checks");
    struct rule all = {.fragments = &out->fragments};

    if (fragments != NULL && !fragments_read(a, fragments, &out->fragments, err)) {
        return false;
    }
    if (checks == NULL) {
        return true;
    }
    if (!rule_read_checks(a, checks, &all, err)) {
        return false;
    }
    out->checks = all.checks;
    out->n_checks = all.n_checks;
    return true;
}

bool rule_read(struct arena *a, const struct yaml_node *node, struct rule_file_scope *scope, struct rule *out,
               struct error *err)
{
    struct rule rule = {.pack = scope->pack,
                        .fragments = &scope->fragments,
                        .views = 1U << VIEW_RAW | 1U << VIEW_FOLDED | 1U << VIEW_DECODED,
                        .source = {.file = span_str(node->file), .line = node->line}};

    if (!yaml_expect(node, YAML_MAPPING, "rule", err)) {
        return false;
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        const struct field *field = field_find(c->key);
        if (field == NULL) {
            return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known in a rule", c->file,
                             c->key_line, c->key_column, SPAN_ARG(c->key));
        }
        if (!field->read(a, c, &rule, err)) {
            return false;
        }
    }
    if (rule.classifier.len == 0 && !rule_add_checks(a, node, scope->checks, scope->n_checks, &rule, err)) {
        return false;
    }
    if (!rule_complete(node, &rule, err)) {
        bool is_elsewhere = rule_check_patterns(&rule, err); /* of two faults, that in the pattern is said */
        (void)is_elsewhere;
        return false;
    }
    if (rule.words.n > 0 && yaml_get(node, "boundary") == NULL) {
        rule.boundary = BOUNDARY_LETTER;
    }
    *out = rule;
    return rule.words.n == 0 || rule_words_compile(a, out, err);
}
