#include "base/yaml.h"

#include <stdarg.h>
#include <stdio.h>

#include <yaml.h>

struct reader {
    struct arena *nodes, *texts;
    const char *file;
    yaml_parser_t parser;
    struct span text;
    size_t line, line_at; /* a line, from 0, and where it begins in the text; it moves forward only */
};

static bool error_at(const char *file, yaml_mark_t mark, struct error *err, const char *what)
{
    return error_set(err, ERROR_INVALID, "%s:%zu:%zu: %s", file, mark.line + 1, mark.column + 1, what);
}

static bool next_event(struct reader *r, yaml_event_t *event, struct error *err)
{
    if (yaml_parser_parse(&r->parser, event)) {
        return true;
    }
    if (r->parser.error == YAML_MEMORY_ERROR) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", r->file);
    }
    const char *problem = r->parser.problem != NULL ? r->parser.problem : "not YAML";
    if (strcmp(problem, "found unknown escape character") == 0) { /* as when a pattern is there */
        problem = "found unknown escape character; between single quotes a backslash stands for itself";
    }
    yaml_mark_t mark = r->parser.problem_mark;
    if (r->parser.error == YAML_READER_ERROR) {
        mark = r->parser.mark;
    }
    return error_at(r->file, mark, err, problem);
}

static struct yaml_node *node_new(struct reader *r, enum yaml_kind kind, yaml_mark_t mark, struct error *err)
{
    struct yaml_node *node = arena_alloc(r->nodes, sizeof(*node), err);

    if (node != NULL) {
        *node = (struct yaml_node){.kind = kind,
                                   .line = (unsigned)mark.line + 1,
                                   .column = (unsigned)mark.column + 1,
                                   .file = r->file};
    }
    return node;
}

static bool refuse_anchor_and_tag(struct reader *r, const yaml_event_t *event, const yaml_char_t *anchor,
                                  const yaml_char_t *tag, struct error *err)
{
    if (anchor != NULL) {
        return error_at(r->file, event->start_mark, err, "a value expected, anchors are refused");
    }
    if (tag != NULL) {
        return error_at(r->file, event->start_mark, err, "a value expected, tags are refused");
    }
    return true;
}

/* The columns in front of each line of a block. */
static unsigned literal_indent(struct reader *r, size_t first_line, struct span block)
{
    size_t at, spaces, own = 0;

    for (; r->line < first_line && r->line_at < r->text.len; r->line++) {
        const char *end = memchr(r->text.ptr + r->line_at, '\n', r->text.len - r->line_at);
        r->line_at = end != NULL ? (size_t)(end - r->text.ptr) + 1 : r->text.len;
    }
    for (at = r->line_at, spaces = 0; at < r->text.len && strchr(" \r\n", r->text.ptr[at]) != NULL; at++) {
        spaces = r->text.ptr[at] == ' ' ? spaces + 1 : 0;
    }
    /* An indentation that is stated ("|2") may leave spaces in the text. */
    for (at = 0; at < block.len && (block.ptr[at] == ' ' || block.ptr[at] == '\n'); at++) {
        own = block.ptr[at] == ' ' ? own + 1 : 0;
    }
    return spaces > own ? (unsigned)(spaces - own) : 0;
}

static struct yaml_node *read_scalar(struct reader *r, const yaml_event_t *event, struct error *err)
{
    struct yaml_node *node = NULL;

    if (refuse_anchor_and_tag(r, event, event->data.scalar.anchor, event->data.scalar.tag, err)) {
        node = node_new(r, YAML_SCALAR, event->start_mark, err);
    }
    struct span text = span_of((const char *)event->data.scalar.value, event->data.scalar.length);
    if (node == NULL || !arena_copy(r->texts, text, &node->text, err)) {
        return NULL;
    }
    node->is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    node->is_single_quoted = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE;
    node->is_literal = event->data.scalar.style == YAML_LITERAL_SCALAR_STYLE;
    node->indent = node->is_literal ? literal_indent(r, event->start_mark.line + 1, text) : 0;
    node->width = event->start_mark.line == event->end_mark.line
                      ? (unsigned)(event->end_mark.column - event->start_mark.column)
                      : 0;
    return node;
}

static struct yaml_node *read_node(struct reader *r, const yaml_event_t *event, unsigned depth, struct error *err);

static bool read_key(struct reader *r, const yaml_event_t *event, const struct yaml_node *mapping, struct span *key,
                     struct error *err)
{
    if (event->type != YAML_SCALAR_EVENT) {
        return error_at(r->file, event->start_mark, err, "a key expected");
    }
    struct span text = span_of((const char *)event->data.scalar.value, event->data.scalar.length);
    for (const struct yaml_node *c = mapping->first; c != NULL; c = c->next) {
        if (span_equal(c->key, text)) {
            return error_set(err, ERROR_INVALID, "%s:%zu:%zu: key '" SPAN_FMT "' occurs twice, first in line %u",
                             r->file, event->start_mark.line + 1, event->start_mark.column + 1, SPAN_ARG(text),
                             c->key_line);
        }
    }
    return refuse_anchor_and_tag(r, event, event->data.scalar.anchor, event->data.scalar.tag, err) &&
           arena_copy(r->texts, text, key, err);
}

/* Recursion ends at YAML_DEPTH_MAX, which read_node refuses. NOLINTNEXTLINE(misc-no-recursion) */
static bool read_child(struct reader *r, struct yaml_node *parent, yaml_event_t *event, unsigned depth,
                       struct yaml_node ***link, struct error *err)
{
    struct span key = {0};
    yaml_mark_t key_mark = event->start_mark;

    if (parent->kind == YAML_MAPPING) {
        if (!read_key(r, event, parent, &key, err)) {
            return false;
        }
        yaml_event_delete(event);
        if (!next_event(r, event, err)) {
            return false;
        }
    }
    struct yaml_node *child = read_node(r, event, depth + 1, err);
    if (child == NULL) {
        return false;
    }
    child->key = key;
    child->key_line = (unsigned)key_mark.line + 1;
    child->key_column = (unsigned)key_mark.column + 1;
    **link = child;
    *link = &child->next;
    parent->n++;
    return true;
}

/* Recursion ends at YAML_DEPTH_MAX, which read_node refuses. NOLINTNEXTLINE(misc-no-recursion) */
static bool read_children(struct reader *r, struct yaml_node *parent, unsigned depth, struct error *err)
{
    yaml_event_type_t end = parent->kind == YAML_MAPPING ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    struct yaml_node **link = &parent->first;

    for (;;) {
        yaml_event_t event;
        if (!next_event(r, &event, err)) {
            return false;
        }
        bool is_end = event.type == end;
        bool is_read = is_end || read_child(r, parent, &event, depth, &link, err);
        /* After a parse error libyaml has cleared the event; deleting it again is harmless. */
        yaml_event_delete(&event);
        if (is_end || !is_read) {
            return is_read;
        }
    }
}

/* Recursion ends at YAML_DEPTH_MAX, which read_node refuses. NOLINTNEXTLINE(misc-no-recursion) */
static struct yaml_node *read_node(struct reader *r, const yaml_event_t *event, unsigned depth, struct error *err)
{
    if (depth > YAML_DEPTH_MAX) {
        error_at(r->file, event->start_mark, err, "fewer levels of nesting expected");
        return NULL;
    }
    if (event->type == YAML_SCALAR_EVENT) {
        return read_scalar(r, event, err);
    }
    if (event->type != YAML_SEQUENCE_START_EVENT && event->type != YAML_MAPPING_START_EVENT) {
        error_at(r->file, event->start_mark, err,
                 event->type == YAML_ALIAS_EVENT ? "a value expected, aliases are refused" : "a value expected");
        return NULL;
    }
    bool is_map = event->type == YAML_MAPPING_START_EVENT;
    const yaml_char_t *anchor = is_map ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
    const yaml_char_t *tag = is_map ? event->data.mapping_start.tag : event->data.sequence_start.tag;
    if (!refuse_anchor_and_tag(r, event, anchor, tag, err)) {
        return NULL;
    }
    struct yaml_node *node = node_new(r, is_map ? YAML_MAPPING : YAML_SEQUENCE, event->start_mark, err);
    return node != NULL && read_children(r, node, depth, err) ? node : NULL;
}

static bool read_document(struct reader *r, struct yaml_node **root, struct error *err)
{
    yaml_event_t event;
    bool has_document = false;

    for (;;) {
        if (!next_event(r, &event, err)) {
            return false;
        }
        bool is_good = true;
        bool is_end = event.type == YAML_STREAM_END_EVENT;
        if (event.type == YAML_DOCUMENT_START_EVENT && has_document) {
            is_good = error_at(r->file, event.start_mark, err, "the end expected, one document a file");
        }
        has_document |= event.type == YAML_DOCUMENT_START_EVENT;
        if (event.type == YAML_SCALAR_EVENT || event.type == YAML_SEQUENCE_START_EVENT ||
            event.type == YAML_MAPPING_START_EVENT || event.type == YAML_ALIAS_EVENT) {
            *root = read_node(r, &event, 0, err);
            is_good = *root != NULL;
        }
        yaml_event_delete(&event);
        if (is_end || !is_good) {
            return is_good;
        }
    }
}

bool yaml_parse_apart(struct arena *nodes, struct arena *texts, const char *file, struct span text, struct yaml_node **root,
                      struct error *err)
{
    struct reader reader = {.nodes = nodes, .texts = texts, .file = file, .text = text};
    struct yaml_node *found = NULL;

    if (text.len > YAML_TEXT_MAX) {
        return error_set(err, ERROR_LIMIT, "%s: at most %d bytes expected", file, YAML_TEXT_MAX);
    }
    if (!yaml_parser_initialize(&reader.parser)) {
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
    }
    yaml_parser_set_encoding(&reader.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&reader.parser, (const unsigned char *)(text.len > 0 ? text.ptr : ""), text.len);
    bool is_read = read_document(&reader, &found, err);
    yaml_parser_delete(&reader.parser);
    if (is_read) {
        *root = found;
    }
    return is_read;
}

bool yaml_parse(struct arena *a, const char *file, struct span text, struct yaml_node **root, struct error *err)
{
    return yaml_parse_apart(a, a, file, text, root, err);
}

bool yaml_error(const struct yaml_node *at, struct error *err, const char *format, ...)
{
    char text[sizeof(err->text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return error_set(err, ERROR_INVALID, "%s:%u:%u: %s", at->file, at->line, at->column, text);
}

bool yaml_expected(const struct yaml_node *at, struct error *err, const char *format, ...)
{
    char text[sizeof(err->text)];
    va_list args;

    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    return yaml_error(at, err, SPAN_FMT "%s%s expected", SPAN_ARG(at->key), at->key.len > 0 ? ": " : "", text);
}

static bool is_continuation(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static struct yaml_position literal_position(const struct yaml_node *scalar, size_t offset)
{
    struct yaml_position position = {scalar->line + 1, scalar->indent + 1};

    for (size_t i = 0; i < offset && i < scalar->text.len; i++) {
        if (scalar->text.ptr[i] == '\n') {
            position = (struct yaml_position){position.line + 1, scalar->indent + 1};
        } else {
            position.column += !is_continuation(scalar->text.ptr[i]);
        }
    }
    return position;
}

struct yaml_position yaml_position(const struct yaml_node *scalar, size_t offset)
{
    unsigned before = 0, all = 0, quotes = scalar->is_plain ? 0 : 2;

    if (scalar->is_literal) {
        return literal_position(scalar, offset);
    }
    for (size_t i = 0; i < scalar->text.len; i++) {
        char c = scalar->text.ptr[i];
        /* A quote between single quotes is written twice. */
        unsigned width = is_continuation(c) ? 0 : c == '\'' && scalar->is_single_quoted ? 2 : 1;
        before += i < offset ? width : 0;
        all += width;
    }
    return (struct yaml_position){scalar->line,
                                  all + quotes == scalar->width ? scalar->column + quotes / 2 + before : scalar->column};
}

bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct error *err)
{
    static const char *const names[] = {"a text", "a list", "a mapping"};

    return node->kind == kind || yaml_error(node, err, "%s: %s expected", what, names[kind]);
}

const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key)
{
    for (const struct yaml_node *c = mapping->first; c != NULL; c = c->next) {
        if (span_is(c->key, key)) {
            return c;
        }
    }
    return NULL;
}
