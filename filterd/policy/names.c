#include "policy/names.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/file.h"
#include "base/fields.h"
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

static bool read_names(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    struct span_list *list = out;
    enum naming naming = NAMING_COUNT;

    if (!naming_find(f->name, &naming) || !yaml_read_texts(r->arena, node, &list->items, &list->n, err)) {
        return false;
    }
    for (size_t i = 0; i < list->n; i++) {
        if (!is_well_formed(list->items[i], &forms[naming])) {
            return yaml_error(node, err, "a name as %s has them expected", forms[naming].name);
        }
        for (size_t k = 0; k < i; k++) {
            if (span_equal(list->items[i], list->items[k])) {
                return yaml_expected(node, err, "each name once");
            }
        }
    }
    return list->n > 0 || yaml_expected(node, err, "at least one name");
}

static bool check_entry(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err)
{
    struct names_entry *e = out;

    (void)r;
    e->line = mapping->line;
    e->column = mapping->column;
    return mapping->n > 1 || yaml_error(mapping, err, "a name beside the rule expected");
}

static const struct field_type naming_type = {"name, or a list", read_names, NULL, 0};

#define AT(member) FIELD_AT(struct names_entry, member)
const struct field names_entry_fields[] = {
    {"rule", &field_text, AT(rule), 1, ID_MAX, .is_required = true},
    {"presidio", &naming_type, AT(names[NAMING_PRESIDIO]), .min = 1},
    {"google", &naming_type, AT(names[NAMING_GOOGLE]), .min = 1},
    {"aws", &naming_type, AT(names[NAMING_AWS]), .min = 1},
    {"bedrock", &naming_type, AT(names[NAMING_BEDROCK]), .min = 1},
    {"azure", &naming_type, AT(names[NAMING_AZURE]), .min = 1},
    {"github", &naming_type, AT(names[NAMING_GITHUB]), .min = 1},
    {0},
};
#undef AT

static const struct field names_fields[] = {
    {"names", &field_list, FIELD_LIST_AT(struct names, entries, n), .fields = names_entry_fields,
     .entry = sizeof(struct names_entry), .check = check_entry, .is_required = true},
    {0},
};

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
    const struct field_reader r = {.arena = &n->memory};
    const struct yaml_node *root = NULL;

    return fields_parse(&n->memory, n->path, yaml, &root, err) && fields_read(&r, names_fields, root, n, err) &&
           settle(n, err);
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
