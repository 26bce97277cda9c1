#include "policy/rule_read.h"
#include "policy/rule_read_parts.h"

#include <stdio.h>

#include "policy/rule_data.h"
#include "policy/rule_words.h"
#include "view/view.h"

enum { MATCH_BYTES_MAX = 64 * 1024 };         /* of a lead and of a match */

static bool read_id(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                    struct error *err)
{
    struct span *id = out;

    (void)r;
    if (!yaml_read_text(node, id, err)) {
        return false;
    }
    bool is_good = id->len > 0 && (double)id->len <= f->max;
    for (size_t i = 0; i < id->len; i++) {
        char c = id->ptr[i];
        is_good &= (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
    }
    return is_good || yaml_expected(node, err, "an id of 1 to %g of a-z, 0-9 and -", f->max);
}

static bool read_words(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct span_list *words = out;
    struct error reason = {0};

    return yaml_read_texts(r->arena, node, &words->items, &words->n, err) &&
           (rule_words_check(words, &reason) || yaml_error(node, err, "%s: %s", f->name, reason.text));
}

/* Texts that may hold fragments. */
static bool read_expressions(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                             struct error *err)
{
    const struct rule_reader *reader = r->context;
    struct span_list *list = out;

    (void)f;
    return fragments_expand_list(r->arena, reader->fragments, node, &list->items, &list->n, err);
}

static const char *const view_names[] = {"raw", "folded", "decoded", NULL};
static const char *const link_uses[] = {"none", "loads", "leads", NULL};
static const char *const categories[] = {"secret", "pii", "injection", "content", NULL}; /* but not system */
static const struct field_type id_type = {"text", read_id, NULL, 0}, words_type = {"text list", read_words, NULL, 0},
                               expressions_type = {"text list", read_expressions, NULL, 0},
                               patterns_type = {"text list", rule_read_patterns, NULL, 0},
                               checks_type = {"list", rule_read_checks, NULL, 0},
                               contexts_type = {"mapping, or list", rule_read_contexts, NULL, 0},
                               requires_type = {"mapping", rule_read_requires, NULL, 0};

#define EXACT(member) FIELD_AT(struct rule_exact, member)
const struct field rule_exact_fields[] = {
    {"file", &field_text, EXACT(file), .min = 1, .is_required = true},
    {"key", &field_text, EXACT(key), .min = 1, .is_required = true},
    {"cells", &field_texts, EXACT(cells), .initial = NULL},
    {"columns", &field_integer, EXACT(columns), 2, 16, .initial = NULL},
    {"within", &field_integer, EXACT(within), 16, DATA_WITHIN_MAX, .initial = "300"},
    {0},
};

#define DOCUMENTS(member) FIELD_AT(struct rule_documents, member)
const struct field rule_documents_fields[] = {
    {"file", &field_text, DOCUMENTS(file), .min = 1, .is_required = true},
    {"key", &field_text, DOCUMENTS(key), .min = 1, .is_required = true},
    {"run", &field_integer, DOCUMENTS(run), 100, 4096, .initial = "200"},
    {"share", &field_integer, DOCUMENTS(share), 1, 100, .initial = NULL},
    {0},
};

#define AT(member) FIELD_AT(struct rule, member)
const struct field rule_fields[] = {
    {"id", &id_type, AT(id), 1, 64, .is_required = true},
    {"title", &field_text, AT(title), .is_required = true},
    {"category", &field_choice, AT(category), .names = categories, .is_required = true},
    {"severity", &field_choice, AT(severity), .names = severity_names, .is_required = true},
    {"tags", &field_texts, AT(tags), .initial = NULL},
    {"pattern", &patterns_type, FIELD_WHOLE, .initial = NULL},
    {"patterns", &patterns_type, FIELD_WHOLE, .initial = NULL},
    {"words", &words_type, AT(words), .initial = NULL},
    {"classifier", &field_text, AT(classifier), .min = 1},
    {"threshold", &field_number, AT(threshold), 0.01, 1, .initial = NULL},
    {"exact_data", &field_mapping, AT(exact), .fields = rule_exact_fields},
    {"documents", &field_mapping, AT(documents), .fields = rule_documents_fields},
    {"boundary", &field_choice, AT(boundary), .names = boundary_names, .initial = "token"},
    {"trigger", &expressions_type, AT(triggers), .initial = NULL},
    {"lead", &field_integer, AT(lead), 1, MATCH_BYTES_MAX, .initial = NULL},
    {"max_length", &field_integer, AT(max_length), 1, MATCH_BYTES_MAX, .initial = NULL},
    {"checks", &checks_type, FIELD_WHOLE, .max = RULE_CHECKS_MAX},
    {"context", &contexts_type, FIELD_WHOLE, .max = RULE_CONTEXTS_MAX, .fields = rule_context_fields},
    {"requires", &requires_type, FIELD_WHOLE, .fields = rule_requires_fields},
    {"confidence", &field_number, AT(confidence), 0, 1, .initial = NULL},
    {"allow", &expressions_type, AT(allow), .initial = NULL},
    {"views", &field_choices, AT(views), .names = view_names},
    {"shadow", &field_flag, AT(is_shadow), .initial = "false"},
    {"region", &field_flag, AT(is_region), .initial = "false"},
    {"link", &field_choice, AT(link), .names = link_uses, .initial = "none"},
    {"references", &field_texts, AT(references), .initial = NULL},
    {"match", &field_texts, AT(match), .initial = NULL},
    {"no_match", &field_texts, AT(no_match), .initial = NULL},
    {0},
};

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
                                          "requires", "confidence", "views", "region", "link"};

    for (size_t i = 0; i < COUNT(foreign); i++) {
        if (yaml_get(node, foreign[i]) != NULL) {
            return yaml_error(node, err, "rule '" SPAN_FMT "': no '%s' expected with 'classifier'", SPAN_ARG(rule->id),
                              foreign[i]);
        }
    }
    if (rule->severity == SEVERITY_CRITICAL) { /* a region's label is out before a unit is judged: none may lead it */
        return yaml_error(node, err, "rule '" SPAN_FMT "': a severity of at most high expected with 'classifier'", SPAN_ARG(rule->id));
    }
    rule->confidence = 1;
    return rule->threshold > 0 || yaml_error(node, err, "rule '" SPAN_FMT "': 'threshold' expected", SPAN_ARG(rule->id));
}

/* A value of the file is a finding as it is: nothing that belongs to a match has a meaning. */
static bool data_complete(const struct yaml_node *node, const struct rule *rule, struct error *err)
{
    static const char *const foreign[] = {"boundary", "trigger", "lead", "max_length", "checks", "context", "requires",
                                          "allow", "views", "region", "match", "no_match"};

    for (size_t i = 0; i < COUNT(foreign); i++) {
        if (yaml_get(node, foreign[i]) != NULL) {
            return yaml_error(node, err, "rule '" SPAN_FMT "': no '%s' expected with 'exact_data' or 'documents'",
                              SPAN_ARG(rule->id), foreign[i]);
        }
    }
    if (rule->exact.file.len > 0 && rule->exact.cells.n == 0 && rule->exact.columns == 0) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': exact_data: 'cells' or 'columns' expected", SPAN_ARG(rule->id));
    }
    return rule->severity != SEVERITY_CRITICAL || /* as for a classifier: none may lead a region */
           yaml_error(node, err, "rule '" SPAN_FMT "': a severity of at most high expected with data", SPAN_ARG(rule->id));
}

static bool rule_complete(const struct yaml_node *node, struct rule *rule, struct error *err)
{
    if (yaml_get(node, "confidence") == NULL && rule->classifier.len == 0) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': 'confidence' expected", SPAN_ARG(rule->id));
    }
    if ((rule->patterns.n > 0) + (rule->words.n > 0) + (rule->classifier.len > 0) + (rule->exact.file.len > 0) +
            (rule->documents.file.len > 0) != 1) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': either 'pattern', 'words', 'classifier', 'exact_data' or "
                                     "'documents' expected", SPAN_ARG(rule->id));
    }
    if (rule_is_data(rule) && !data_complete(node, rule, err)) {
        return false;
    }
    if (rule->classifier.len > 0 && !classifier_complete(node, rule, err)) {
        return false;
    }
    if (rule->classifier.len == 0 && rule->threshold > 0) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': 'classifier' expected with 'threshold'", SPAN_ARG(rule->id));
    }
    if (rule->words.n > 0 && (rule->triggers.n > 0 || rule->lead != 0 || rule->max_length != 0)) {
        return yaml_error(node, err, "rule '" SPAN_FMT "': no 'trigger', 'lead' or 'max_length' expected with 'words'",
                          SPAN_ARG(rule->id));
    }
    return !rule->is_region || region_is_sure(node, rule, err);
}

bool rule_read_scope(struct arena *a, const struct yaml_node *fragments, const struct yaml_node *checks,
                     struct rule_file_scope *out, struct error *err)
{
    const struct field_reader r = {.arena = a};
    struct rule all = {0};

    if (fragments != NULL && !fragments_read(a, fragments, &out->fragments, err)) {
        return false;
    }
    if (checks == NULL) {
        return true;
    }
    if (!rule_read_checks(&r, &(struct field){.max = RULE_CHECKS_MAX}, checks, &all, err)) {
        return false;
    }
    out->checks = all.checks;
    out->n_checks = all.n_checks;
    return true;
}

bool rule_read(struct arena *a, const struct yaml_node *node, struct rule_file_scope *scope, struct rule *out,
               struct error *err)
{
    const struct rule_reader context = {.fragments = &scope->fragments};
    const struct field_reader r = {.arena = a, .context = &context};
    struct rule rule = {.pack = scope->pack,
                        .fragments = &scope->fragments,
                        .views = 1U << VIEW_RAW | 1U << VIEW_FOLDED | 1U << VIEW_DECODED,
                        .source = {.file = span_str(node->file), .line = node->line}};

    bool is_read = fields_read(&r, rule_fields, node, &rule, err);
    if (is_read && rule.classifier.len == 0 && !rule_is_data(&rule)) {
        is_read = rule_add_checks(a, node, scope->checks, scope->n_checks, &rule, err);
    }
    if (!is_read || !rule_complete(node, &rule, err)) {
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
