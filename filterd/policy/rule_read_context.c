#include "policy/rule_read_parts.h"

#include <ctype.h>

static bool read_words(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct span_list *list = out;

    (void)f;
    if (!yaml_read_texts(r->arena, node, &list->items, &list->n, err)) {
        return false;
    }
    struct span *words = arena_array(r->arena, list->n, sizeof(*words), err);
    if (words == NULL) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        char *word = arena_alloc(r->arena, list->items[i].len, err);
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

static const struct field_type words_type = {"text list", read_words, NULL, 0};

#define AT(member) FIELD_AT(struct rule_context, member)
const struct field rule_context_fields[] = {
    {"words", &words_type, AT(words), .is_required = true},
    {"within", &field_integer, AT(within), 1, 1024, .initial = "64"},
    {"raise", &field_number, AT(raise), 0, 1, .initial = "0"},
    {"lower", &field_number, AT(lower), 0, 1, .initial = "0"},
    {"required", &field_flag, AT(is_required), .initial = "false"},
    {0},
};

const struct field rule_requires_fields[] = {
    {"rules", &field_texts, AT(rules), .is_required = true},
    {"within", &field_integer, AT(within), 1, 1024, .initial = "200"},
    {0},
};

/* Room for n more. NULL: an error. */
static struct rule_context *more_contexts(struct arena *a, const struct yaml_node *node, size_t n, struct rule *rule,
                                          struct error *err)
{
    size_t before = rule->n_contexts;

    if (before + n > RULE_CONTEXTS_MAX) {
        (void)yaml_error(node, err, "at most %d contexts expected", RULE_CONTEXTS_MAX);
        return NULL;
    }
    struct rule_context *contexts = arena_array(a, before + n, sizeof(*contexts), err);
    if (contexts == NULL) {
        return NULL;
    }
    if (before > 0) {
        memcpy(contexts, rule->contexts, before * sizeof(*contexts));
    }
    memset(contexts + before, 0, n * sizeof(*contexts));
    rule->contexts = contexts;
    rule->n_contexts = before + n;
    return contexts + before;
}

/* A match of another rule nearby: a context that is required. */
bool rule_read_requires(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct rule_context *context = more_contexts(r->arena, node, 1, out, err);

    if (context == NULL || !fields_read(r, f->fields, node, context, err)) {
        return false;
    }
    context->is_required = true;
    return true;
}

bool rule_read_contexts(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    const struct yaml_node *c = node->kind == YAML_SEQUENCE ? node->first : node;
    size_t n = node->kind == YAML_SEQUENCE ? node->n : 1;
    struct rule_context *contexts = more_contexts(r->arena, node, n, out, err);

    if (contexts == NULL) {
        return false;
    }
    for (; n > 0; n--, c = c->next) {
        if (!fields_read(r, f->fields, c, contexts++, err)) {
            return false;
        }
    }
    return true;
}
