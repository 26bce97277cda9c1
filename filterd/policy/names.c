#include "policy/names.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/yaml.h"
#include "policy/embedded.h"

enum { MEMORY_MAX = 16 * 1024 * 1024, FILE_MAX = 4 * 1024 * 1024, ID_MAX = 64 };

/* How the names of a system look: its letters, and what else may be in them. */
struct naming_form {
    const char *name;
    bool has_upper, has_lower;
    const char *others;
};

static const struct naming_form forms[NAMING_COUNT] = {
    [NAMING_PRESIDIO] = {"presidio", true, false, "_"},
    [NAMING_GOOGLE] = {"google", true, false, "_/"},
    [NAMING_AWS] = {"aws", true, false, "_"},
    [NAMING_BEDROCK] = {"bedrock", true, false, "_"},
    [NAMING_AZURE] = {"azure", true, true, ""},
    [NAMING_GITHUB] = {"github", false, true, "_"},
};

struct names_entry {
    struct span rule;
    struct span_list names[NAMING_COUNT];
    unsigned line, column;
};

struct names {
    struct arena memory;
    char *path;
    struct names_entry *entries; /* sorted by rule */
    size_t n;
    bool is_built_in;
};

const char *naming_name(enum naming naming)
{
    return forms[naming].name;
}

bool naming_find(const char *name, enum naming *out)
{
    for (int i = 0; i < NAMING_COUNT; i++) {
        if (strcmp(forms[i].name, name) == 0) {
            *out = (enum naming)i;
            return true;
        }
    }
    return false;
}

/* --- reading -------------------------------------------------------------- */

static bool is_well_formed(struct span name, const struct naming_form *form)
{
    bool has_letter = false;

    for (size_t i = 0; i < name.len; i++) {
        unsigned char c = (unsigned char)name.ptr[i];
        bool is_upper = isupper(c) != 0 && form->has_upper, is_lower = islower(c) != 0 && form->has_lower;
        if (!is_upper && !is_lower && isdigit(c) == 0 && (c == '\0' || strchr(form->others, c) == NULL)) {
            return false;
        }
        has_letter |= is_upper || is_lower;
    }
    return has_letter && name.len <= NAMES_MAX_LEN && isalnum((unsigned char)name.ptr[0]) != 0;
}

static bool read_names(struct names *n, const struct yaml_node *node, enum naming naming, struct span_list *out,
                       struct error *err)
{
    if (!yaml_read_texts(&n->memory, node, &out->items, &out->n, err)) {
        return false;
    }
    for (size_t i = 0; i < out->n; i++) {
        if (!is_well_formed(out->items[i], &forms[naming])) {
            return yaml_error(node, err, "a name as %s has them expected", forms[naming].name);
        }
        for (size_t k = 0; k < i; k++) {
            if (span_equal(out->items[i], out->items[k])) {
                return yaml_error(node, err, "each name once expected");
            }
        }
    }
    return out->n > 0 || yaml_error(node, err, "at least one name expected");
}

static bool read_entry(struct names *n, const struct yaml_node *node, struct names_entry *out, struct error *err)
{
    const char *keys[NAMING_COUNT + 2] = {"rule"};

    for (int i = 0; i < NAMING_COUNT; i++) {
        keys[i + 1] = forms[i].name;
    }
    *out = (struct names_entry){.line = node->line, .column = node->column};
    if (!yaml_expect(node, YAML_MAPPING, "an entry", err) ||
        !yaml_check_keys(node, keys, err)) {
        return false;
    }
    const struct yaml_node *rule = yaml_get(node, "rule");
    if (rule == NULL || node->n < 2) {
        return yaml_error(node, err, "rule and a name expected");
    }
    if (!yaml_read_text(rule, &out->rule, err)) {
        return false;
    }
    if (out->rule.len == 0 || out->rule.len > ID_MAX) {
        return yaml_error(rule, err, "the id of a rule expected");
    }
    for (int i = 0; i < NAMING_COUNT; i++) {
        const struct yaml_node *names = yaml_get(node, forms[i].name);
        if (names != NULL && !read_names(n, names, (enum naming)i, &out->names[i], err)) {
            return false;
        }
    }
    return true;
}

static int compare_spans(struct span a, struct span b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter > 0 ? memcmp(a.ptr, b.ptr, shorter) : 0;

    return order != 0 ? order : (a.len > b.len) - (a.len < b.len);
}

static int compare_entries(const void *a, const void *b)
{
    const struct names_entry *x = a, *y = b;
    int order = compare_spans(x->rule, y->rule);

    return order != 0 ? order : (x->line > y->line) - (x->line < y->line);
}

static bool entry_error(const struct names *n, const struct names_entry *e, const char *expected, struct error *err)
{
    return error_set(err, ERROR_INVALID, "%s:%u:%u: %s, not '" SPAN_FMT "'", n->path, e->line, e->column, expected,
                     SPAN_ARG(e->rule));
}

static bool settle(struct names *n, struct error *err)
{
    if (n->n > 0) {
        qsort(n->entries, n->n, sizeof(*n->entries), compare_entries);
    }
    for (size_t i = 1; i < n->n; i++) {
        if (span_equal(n->entries[i].rule, n->entries[i - 1].rule)) {
            return entry_error(n, &n->entries[i], "each rule once expected", err);
        }
    }
    return true;
}

static bool read_file(struct names *n, struct span yaml, struct error *err)
{
    static const char *const keys[] = {"names", NULL};
    struct yaml_node *root = NULL;
    struct span copy;

    /* The texts of the tree are the arena's, as long as the names live. */
    if (!arena_copy(&n->memory, yaml, &copy, err) || !yaml_parse(&n->memory, n->path, copy, &root, err)) {
        return false;
    }
    if (root == NULL) {
        return error_set(err, ERROR_INVALID, "%s:1:1: names expected", n->path);
    }
    if (!yaml_expect(root, YAML_MAPPING, "the file", err) || !yaml_check_keys(root, keys, err)) {
        return false;
    }
    const struct yaml_node *list = yaml_get(root, "names");
    if (list == NULL) {
        return yaml_error(root, err, "names expected");
    }
    if (!yaml_expect(list, YAML_SEQUENCE, "names", err)) {
        return false;
    }
    n->entries = arena_array(&n->memory, list->n + 1, sizeof(*n->entries), err);
    if (n->entries == NULL) {
        return false;
    }
    for (const struct yaml_node *c = list->first; c != NULL; c = c->next) {
        if (!read_entry(n, c, &n->entries[n->n++], err)) {
            return false;
        }
    }
    return settle(n, err);
}

struct names *names_load(const char *path, struct span yaml, struct error *err)
{
    struct names *n = calloc(1, sizeof(*n));

    if (n == NULL || (n->path = strdup(path)) == NULL) {
        free(n);
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", path);
        return NULL;
    }
    arena_init(&n->memory, 0, MEMORY_MAX);
    if (!read_file(n, yaml, err)) {
        names_free(n);
        return NULL;
    }
    return n;
}

static struct names *load_embedded(struct error *err)
{
    for (unsigned i = 0; i < embedded_file_count; i++) {
        const struct embedded_file *file = &embedded_files[i];
        if (strcmp(file->path, "rules/names.yaml") == 0) {
            struct names *n = names_load(file->path, span_of(file->content, file->len), err);
            if (n != NULL) {
                n->is_built_in = true;
            }
            return n;
        }
    }
    error_set(err, ERROR_NOT_FOUND, "rules/names.yaml: not built in");
    return NULL;
}

struct names *names_open(const char *rules_directory, struct error *err)
{
    char path[PATH_MAX];
    struct buf yaml;

    if (rules_directory == NULL) {
        return load_embedded(err);
    }
    int len = snprintf(path, sizeof(path), "%s/names.yaml", rules_directory);
    if (len < 0 || (size_t)len >= sizeof(path)) {
        error_set(err, ERROR_INVALID, "%s: path too long", rules_directory);
        return NULL;
    }
    if (access(path, F_OK) != 0 && errno == ENOENT) {
        return load_embedded(err);
    }
    buf_init(&yaml, FILE_MAX);
    struct names *n = file_read(path, &yaml, err) ? names_load(path, buf_span(&yaml), err) : NULL;
    buf_deinit(&yaml);
    return n;
}

void names_free(struct names *n)
{
    if (n != NULL) {
        arena_deinit(&n->memory);
        free(n->path);
        free(n);
    }
}

/* --- asking --------------------------------------------------------------- */

struct span_list names_of(const struct names *n, struct span rule_id, enum naming naming)
{
    const struct names_entry key = {.rule = rule_id};
    size_t from = 0, to = n->n;

    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare_spans(key.rule, n->entries[middle].rule);
        if (order == 0) {
            return n->entries[middle].names[naming];
        }
        if (order < 0) {
            to = middle;
        } else {
            from = middle + 1;
        }
    }
    return (struct span_list){0};
}

bool names_has(const struct names *n, struct span rule_id, enum naming naming, struct span name)
{
    struct span_list list = names_of(n, rule_id, naming);

    for (size_t i = 0; i < list.n; i++) {
        if (span_equal(list.items[i], name)) {
            return true;
        }
    }
    return false;
}

bool names_are_built_in(const struct names *n)
{
    return n->is_built_in;
}

size_t names_count(const struct names *n)
{
    return n->n;
}

bool names_check(const struct names *n, const struct rule_set *rules, struct error *err)
{
    for (size_t i = 0; i < n->n; i++) {
        if (rule_set_find(rules, n->entries[i].rule) == NULL) {
            return entry_error(n, &n->entries[i], "the id of a rule expected", err);
        }
    }
    return true;
}
