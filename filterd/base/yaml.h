/* yaml.h - strict YAML by libyaml: a tree whose nodes have their positions.
 *
 * Errors are "file:line:column: what was expected" for duplicate keys, keys that are not plain text,
 * anchors and aliases, tags, more than one document, more than YAML_DEPTH_MAX levels, and, in the readers
 * below, wrong types; fields.h reads whole mappings. Scalars are text until a reader converts them,
 * so `no` is never false by accident. Nodes and texts live in the arena. */
#ifndef FILTERD_BASE_YAML_H
#define FILTERD_BASE_YAML_H

#include <stdint.h>

#include "base/arena.h"

enum { YAML_DEPTH_MAX = 16, YAML_TEXT_MAX = 16 * 1024 * 1024 };

enum yaml_kind { YAML_SCALAR, YAML_SEQUENCE, YAML_MAPPING };

struct yaml_node {
    enum yaml_kind kind;
    unsigned line, column;   /* from 1 */
    const char *file;        /* from yaml_parse; borrowed */
    struct span text;        /* scalar */
    bool is_plain;           /* scalar without quotes: only these can be numbers or booleans */
    bool is_single_quoted;
    unsigned width;          /* scalar on one line: characters including quotes; 0: on several */
    bool is_literal;         /* scalar as a literal block ("|"): each line is verbatim, indented by `indent` columns */
    unsigned indent;
    struct span key;         /* inside a mapping: this node's key */
    unsigned key_line, key_column;
    struct yaml_node *first; /* children, in order */
    struct yaml_node *next;
    size_t n; /* number of children */
};

/* *root is NULL for an empty text. */
MUST_CHECK bool yaml_parse(struct arena *a, const char *file, struct span text, struct yaml_node **root,
                           struct error *err);
/* The same with the nodes in an arena of their own, which may end before the texts and keys do. */
MUST_CHECK bool yaml_parse_apart(struct arena *nodes, struct arena *texts, const char *file, struct span text,
                                 struct yaml_node **root, struct error *err);

/* Returns false; the text is "file:line:column: " and the message. */
bool yaml_error(const struct yaml_node *at, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Returns false; the text is "file:line:column: key: … expected", without the key for a node that has none. */
bool yaml_expected(const struct yaml_node *at, struct error *err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

struct yaml_position {
    unsigned line, column; /* from 1 */
};
/* The position in the file of the byte at `offset` of a scalar's text; the start of the scalar if the text is folded or has
 * escapes. */
struct yaml_position yaml_position(const struct yaml_node *scalar, size_t offset);

MUST_CHECK bool yaml_expect(const struct yaml_node *node, enum yaml_kind kind, const char *what, struct error *err);
/* NULL when the mapping has no such key. */
const struct yaml_node *yaml_get(const struct yaml_node *mapping, const char *key);

MUST_CHECK bool yaml_read_text(const struct yaml_node *node, struct span *out, struct error *err);
MUST_CHECK bool yaml_read_flag(const struct yaml_node *node, bool *out, struct error *err);
MUST_CHECK bool yaml_read_number(const struct yaml_node *node, double min, double max, double *out, struct error *err);
MUST_CHECK bool yaml_read_integer(const struct yaml_node *node, int64_t min, int64_t max, int64_t *out,
                                  struct error *err);
/* The index of the text in the NULL-terminated names. */
MUST_CHECK bool yaml_read_choice(const struct yaml_node *node, const char *const *names, unsigned *out,
                                 struct error *err);
/* A sequence of texts, or one text as a list of one. The array lives in the arena. */
MUST_CHECK bool yaml_read_texts(struct arena *a, const struct yaml_node *node, const struct span **out, size_t *n,
                                struct error *err);
/* Checks that the text, or each text of the sequence, has no NUL bytes (YAML's "\0"). */
MUST_CHECK bool yaml_expect_no_nul(const struct yaml_node *node, struct error *err);

#endif
