#include "base/fields.h"

#include <assert.h>
#include <stdio.h>

#include "base/similar.h"

enum { NAMES_MAX = 300, ROWS_MAX = 32 }; /* bytes of a list of names; rows of a table */

/* --- one table ------------------------------------------------------------ */

/* "a, b, c": as many names as fit. */
static void list_names(const struct field *fields, char text[NAMES_MAX])
{
    size_t len = 0;

    for (const struct field *f = fields; f->name != NULL && len < NAMES_MAX; f++) {
        len += (size_t)snprintf(text + len, NAMES_MAX - len, "%s%s", f == fields ? "" : ", ", f->name);
    }
}

static bool unknown_key(const struct field *fields, const struct yaml_node *node, struct error *err)
{
    char hint[SIMILAR_HINT_MAX], names[NAMES_MAX] = "";
    struct similar similar;

    similar_init(&similar, node->key);
    for (const struct field *f = fields; f->name != NULL; f++) {
        similar_offer(&similar, span_str(f->name));
    }
    list_names(fields, names);
    return error_set(err, ERROR_INVALID, "%s:%u:%u: key '" SPAN_FMT "' is not known here%s%s%s", node->file, node->key_line,
                     node->key_column, SPAN_ARG(node->key), similar_hint(&similar, "", hint),
                     similar.n > 0 ? "" : ": expected ", similar.n > 0 ? "" : names);
}

/* Each key's node in its row's place. */
static bool find_keys(const struct field *fields, const struct yaml_node *mapping, const struct yaml_node *found[ROWS_MAX],
                      struct error *err)
{
    for (const struct yaml_node *c = mapping->first; c != NULL; c = c->next) {
        const struct field *f = fields;
        while (f->name != NULL && !span_is(c->key, f->name)) {
            f++;
        }
        if (f->name == NULL) {
            return unknown_key(fields, c, err);
        }
        assert(f - fields < ROWS_MAX);
        found[f - fields] = c;
    }
    return true;
}

static bool check_required(const struct field *fields, const struct yaml_node *mapping,
                           const struct yaml_node *const found[ROWS_MAX], struct error *err)
{
    char missing[NAMES_MAX] = "";
    size_t len = 0;

    for (const struct field *f = fields; f->name != NULL && len < sizeof(missing); f++) {
        if (f->is_required && found[f - fields] == NULL) {
            len += (size_t)snprintf(missing + len, sizeof(missing) - len, "%s'%s'", len == 0 ? "" : ", ", f->name);
        }
    }
    return len == 0 || yaml_error(mapping, err, "%s expected", missing);
}

static void *member(const struct field *f, void *out)
{
    return (char *)out + f->offset;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables are */
bool fields_set_defaults(const struct field_reader *r, const struct field *fields, void *out, struct error *err)
{
    for (const struct field *f = fields; f->name != NULL; f++) {
        struct yaml_node node = {.kind = YAML_SCALAR, .is_plain = true, .file = "default", .key = span_str(f->name)};
        if (f->type == &field_mapping && !fields_set_defaults(r, f->fields, member(f, out), err)) {
            return false;
        }
        if (f->initial != NULL) {
            node.text = span_str(f->initial);
            if (!f->type->read(r, f, &node, member(f, out), err)) {
                return false;
            }
        }
    }
    return true;
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables are */
bool fields_read_keys(const struct field_reader *r, const struct field *fields, const struct yaml_node *mapping, void *out,
                      struct error *err)
{
    const struct yaml_node *found[ROWS_MAX] = {NULL};

    if (mapping->kind != YAML_MAPPING) {
        return yaml_expected(mapping, err, "a mapping");
    }
    if (!find_keys(fields, mapping, found, err)) {
        return false;
    }
    for (const struct field *f = fields; f->name != NULL; f++) {
        const struct yaml_node *node = found[f - fields];
        if (node != NULL && !f->type->read(r, f, node, member(f, out), err)) {
            return false;
        }
    }
    return check_required(fields, mapping, found, err);
}

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables are */
bool fields_read(const struct field_reader *r, const struct field *fields, const struct yaml_node *mapping, void *out,
                 struct error *err)
{
    return fields_set_defaults(r, fields, out, err) && fields_read_keys(r, fields, mapping, out, err);
}

bool fields_parse_apart(struct arena *nodes, struct arena *texts, const char *file, struct span yaml,
                        const struct yaml_node **root, struct error *err)
{
    const char *name = arena_string(texts, span_str(file), err);
    struct yaml_node *found = NULL;

    if (name == NULL || !yaml_parse_apart(nodes, texts, name, yaml, &found, err)) {
        return false;
    }
    if (found == NULL) {
        found = arena_alloc(nodes, sizeof(*found), err);
        if (found == NULL) {
            return false;
        }
        *found = (struct yaml_node){.kind = YAML_MAPPING, .file = name, .line = 1, .column = 1};
    }
    *root = found;
    return true;
}

bool fields_parse(struct arena *a, const char *file, struct span yaml, const struct yaml_node **root, struct error *err)
{
    return fields_parse_apart(a, a, file, yaml, root, err);
}

struct yaml_node fields_key(const struct yaml_node *node)
{
    return (struct yaml_node){.kind = YAML_SCALAR, .text = node->key, .file = node->file, .line = node->key_line,
                              .column = node->key_column};
}

/* --- mappings and lists ------------------------------------------------------ */

/* NOLINTNEXTLINE(misc-no-recursion): as deep as the tables are */
static bool read_mapping(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    return fields_read_keys(r, f->fields, node, out, err) && (f->check == NULL || f->check(r, node, out, err));
}

static bool check_count(const struct field *f, const struct yaml_node *node, size_t n, struct error *err)
{
    if ((double)n >= f->min && (f->max <= 0 || (double)n <= f->max)) {
        return true;
    }
    return f->max <= 0  ? yaml_expected(node, err, "at least one value")
           : f->min > 0 ? yaml_expected(node, err, "%g to %g entries", f->min, f->max)
                        : yaml_expected(node, err, "at most %g entries", f->max);
}

static void put_list(const struct field *f, const void *items, size_t n, void *out)
{
    assert(f->size == sizeof(items) + sizeof(n));
    memcpy(out, &items, sizeof(items));
    memcpy((char *)out + sizeof(items), &n, sizeof(n));
}

/* What has not been read yet is there, zeroed: an owner can free all of it.
 * NOLINTNEXTLINE(misc-no-recursion): as deep as the tables are */
static bool read_entries(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                         struct error *err)
{
    enum yaml_kind kind = f->type == &field_map ? YAML_MAPPING : YAML_SEQUENCE;

    if (node->kind != kind) {
        return yaml_expected(node, err, kind == YAML_MAPPING ? "a mapping" : "a list");
    }
    char *entry = check_count(f, node, node->n, err) ? arena_array(r->arena, node->n + 1, f->entry, err) : NULL;
    if (entry == NULL) {
        return false;
    }
    memset(entry, 0, (node->n + 1) * f->entry);
    put_list(f, entry, node->n, out);
    for (const struct yaml_node *c = node->first; c != NULL; c = c->next, entry += f->entry) {
        const struct yaml_node name = fields_key(c);
        if (f->key != NULL && !f->key->type->read(r, f->key, &name, member(f->key, entry), err)) {
            return false;
        }
        if (!fields_read(r, f->fields, c, entry, err) || (f->check != NULL && !f->check(r, c, entry, err))) {
            return false;
        }
    }
    return true;
}

/* --- texts ---------------------------------------------------------------- */

static bool read_text(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                      struct error *err)
{
    struct span text;

    (void)r;
    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    if ((double)text.len < f->min || (f->max > 0 && (double)text.len > f->max)) {
        return f->max > 0 ? yaml_expected(node, err, "%g to %g characters", f->min, f->max)
                          : yaml_expected(node, err, "a %s", f->type->name);
    }
    *(struct span *)out = text;
    return true;
}

static bool read_string(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                        struct error *err)
{
    struct span text;

    if (!read_text(r, f, node, &text, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    const char *copy = arena_string(r->arena, text, err);
    if (copy == NULL) {
        return false;
    }
    *(const char **)out = copy;
    return true;
}

bool fields_read_items(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                       struct error *err)
{
    const struct yaml_node *c = node->kind == YAML_SCALAR ? node : node->first;
    size_t n = node->kind == YAML_SCALAR ? 1 : node->n, size = f->type->item_size;

    if (node->kind == YAML_MAPPING) {
        return yaml_expected(node, err, "a list");
    }
    char *items = check_count(f, node, n, err) ? arena_array(r->arena, n, size, err) : NULL;
    if (items == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++, c = c->next) {
        if (!f->type->read_item(r, c, items + i * size, err)) {
            return false;
        }
    }
    put_list(f, items, n, out);
    return true;
}

static bool read_span(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err)
{
    (void)r;
    return yaml_read_text(item, out, err);
}

const struct field_type field_text = {"text", read_text, NULL, 0}, field_string = {"text", read_string, NULL, 0},
                        field_file = {"file", read_string, NULL, 0},
                        field_texts = {"text list", fields_read_items, read_span, sizeof(struct span)},
                        field_mapping = {"mapping", read_mapping, NULL, 0}, field_list = {"list", read_entries, NULL, 0},
                        field_map = {"mapping", read_entries, NULL, 0};
