#include "policy/rule_read_parts.h"

#include <ctype.h>

enum { CONTEXTS_MAX = 32 }; /* a finding has one bit for each */

static bool lower_words(struct arena *a, struct span_list *list, struct error *err)
{
    struct span *words = arena_array(a, list->n, sizeof(*words), err);

    if (words == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        char *word = arena_alloc(a, list->items[i].len, err);
        if (word == NULL) {
            return false;
        }
        for (size_t k = 0; k < list->items[i].len; k++) {
            word[k] = (char)tolower((unsigned char)list->items[i].ptr[k]);
        }
        words[i] = span_of(word, list->items[i].len);
    }
    list->items = words;
    return true;
}

static bool read_context(struct arena *a, const struct yaml_node *node, struct rule_context *out, struct error *err)
{
    static const char *const keys[] = {"words", "within", "raise", "lower", "required", NULL};
    const struct yaml_node *c;
    int64_t within = 64;

    *out = (struct rule_context){0};
    if (!yaml_expect(node, YAML_MAPPING, "context", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    if ((c = yaml_get(node, "words")) == NULL) {
        return yaml_error(node, err, "context: 'words' expected");
    }
    if (!yaml_read_texts(a, c, &out->words.items, &out->words.n, err) || !lower_words(a, &out->words, err) ||
        ((c = yaml_get(node, "within")) != NULL && !yaml_read_integer(c, 1, 1024, &within, err)) ||
        ((c = yaml_get(node, "raise")) != NULL && !yaml_read_number(c, 0, 1, &out->raise, err)) ||
        ((c = yaml_get(node, "lower")) != NULL && !yaml_read_number(c, 0, 1, &out->lower, err)) ||
        ((c = yaml_get(node, "required")) != NULL && !yaml_read_flag(c, &out->is_required, err))) {
        return false;
    }
    out->within = (uint32_t)within;
    return true;
}

/* Room for n more. NULL: an error. */
static struct rule_context *more_contexts(struct arena *a, const struct yaml_node *node, size_t n, struct rule *rule,
                                          struct error *err)
{
    size_t before = rule->n_contexts;

    if (before + n > CONTEXTS_MAX) {
        (void)yaml_error(node, err, "at most %d contexts expected", CONTEXTS_MAX);
        return NULL;
    }
    struct rule_context *contexts = arena_array(a, before + n, sizeof(*contexts), err);
    if (contexts == NULL) {
        return NULL;
    }
    if (before > 0) {
        memcpy(contexts, rule->contexts, before * sizeof(*contexts));
    }
    rule->contexts = contexts;
    rule->n_contexts = before + n;
    return contexts + before;
}

/* A match of another rule nearby: a context that is required. */
bool rule_read_requires(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    static const char *const keys[] = {"rules", "within", NULL};
    int64_t within = 200;

    if (!yaml_expect(node, YAML_MAPPING, "requires", err) || !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *rules = yaml_get(node, "rules"), *c = yaml_get(node, "within");
    struct rule_context *context = more_contexts(a, node, 1, rule, err);
    if (context == NULL || (c != NULL && !yaml_read_integer(c, 1, 1024, &within, err))) {
        return false;
    }
    *context = (struct rule_context){.within = (uint32_t)within, .is_required = true};
    return rules != NULL ? yaml_read_texts(a, rules, &context->rules.items, &context->rules.n, err)
                         : yaml_error(node, err, "requires: 'rules' expected");
}

bool rule_read_contexts(struct arena *a, const struct yaml_node *node, struct rule *rule, struct error *err)
{
    struct rule_context *contexts = more_contexts(a, node, node->kind == YAML_SEQUENCE ? node->n : 1, rule, err);

    if (contexts == NULL) {
        return false;
    }
    if (node->kind != YAML_SEQUENCE) {
        return read_context(a, node, contexts, err);
    }
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next) {
        if (!read_context(a, c, contexts++, err)) {
            return false;
        }
    }
    return true;
}
