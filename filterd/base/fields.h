/* fields.h - reads a YAML mapping into a struct by a table with the type, the offset, the bounds and the default of each
 * key.
 *
 * A table has at most 32 rows; a row without a name ends it. Keys are read in its order, so a reader may rely on earlier
 * keys.
 * Errors are "file:line:column: what was expected": an unknown key with similar ones, or otherwise with all
 * known keys; missing keys all at once. Tests compare manuals and JSON Schemas with the tables (tests/unit/manual). Values
 * live in the arena or borrow from the nodes. On failure the struct may be partly filled. Any thread. */
#ifndef FILTERD_BASE_FIELDS_H
#define FILTERD_BASE_FIELDS_H

#include "base/yaml.h"

struct field;

struct field_reader {
    struct arena *arena;
    const void *context; /* for types that a module adds */
};

typedef bool field_read_fn(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                           struct error *err);
/* Checks a mapping across its keys, once they are read. */
typedef bool field_check_fn(const struct field_reader *r, const struct yaml_node *mapping, void *out, struct error *err);

/* The type of a value. Modules add their own, with a function that reads it. */
struct field_type {
    const char *name;    /* its name in manuals */
    field_read_fn *read; /* `out` is the struct's member */
    /* With fields_read_items, a list of values of `item_size` bytes, or one as a list of one, into FIELD_LIST_AT: */
    bool (*read_item)(const struct field_reader *r, const struct yaml_node *item, void *out, struct error *err);
    size_t item_size;
};

struct field {
    const char *name;
    const struct field_type *type;
    size_t offset, size;        /* of the member: FIELD_AT, FIELD_LIST_AT or FIELD_WHOLE */
    double min, max;            /* of a number; of a text's bytes; of a list's entries. max 0: no bound on the latter two */
    const char *initial;        /* the default, as in YAML; NULL: the member is not changed */
    const char *const *names;   /* of a choice; NULL-terminated */
    const struct field *fields; /* of a mapping or a list of them: its table */
    size_t entry;               /* of a list: bytes of one entry */
    const struct field *key;    /* of a map: the field for each entry's name; NULL: none */
    field_check_fn *check;      /* of a mapping, or each entry of a list; NULL: none */
    bool is_required;
    bool may_be_none; /* the word `none` is FIELD_NONE */
};

#define FIELD_AT(type, member) offsetof(type, member), sizeof(((type *)NULL)->member)
/* Two adjacent members: a pointer to the first entry, and the number of entries. */
#define FIELD_LIST_AT(type, items, n) offsetof(type, items), offsetof(type, n) + sizeof(size_t) - offsetof(type, items)
#define FIELD_WHOLE 0, 0 /* the struct itself, for types that set several members */

#define FIELD_NONE INT64_MAX
#define FIELD_SIZE_MAX 0x1p50 /* the bound of a size without a smaller one */

extern const struct field_type field_flag, /* bool */
    field_integer,                         /* an integer of any size */
    field_number,                          /* double */
    field_size,                            /* int64_t or uint64_t: bytes, or with K, M, G, T */
    field_ms, field_ns,                    /* int64_t or uint64_t: with ms, s, m, h, d; the bounds are milliseconds */
    field_choice,                          /* the index of the name: unsigned, an enum or bool */
    field_choices,                         /* unsigned: a bit for each name, one or a list */
    field_text,                            /* struct span */
    field_string, field_file,              /* const char *: a copy without NUL bytes */
    field_texts,                           /* FIELD_LIST_AT of struct span: a list, or one text as a list of one */
    field_mapping,                         /* a struct: offsets of `fields` count from the member */
    field_list,                            /* FIELD_LIST_AT of structs, from a list of mappings */
    field_map;                             /* the same from a mapping of names to mappings */

/* Sets the defaults, then reads the keys. */
MUST_CHECK bool fields_read(const struct field_reader *r, const struct field *fields, const struct yaml_node *mapping,
                            void *out, struct error *err);
/* Each of the two steps, for a file that extends another. */
MUST_CHECK bool fields_set_defaults(const struct field_reader *r, const struct field *fields, void *out, struct error *err);
MUST_CHECK bool fields_read_keys(const struct field_reader *r, const struct field *fields, const struct yaml_node *mapping,
                                 void *out, struct error *err);

/* Parses a file into its mapping; an empty file is an empty mapping. Copies `file`. */
MUST_CHECK bool fields_parse(struct arena *a, const char *file, struct span yaml, const struct yaml_node **root,
                             struct error *err);
/* The same with the nodes in an arena of their own, which may end before what was read from them. */
MUST_CHECK bool fields_parse_apart(struct arena *nodes, struct arena *texts, const char *file, struct span yaml,
                                   const struct yaml_node **root, struct error *err);

/* A node's key as a node, for readers of values. */
struct yaml_node fields_key(const struct yaml_node *node);

/* For types that are lists of values. */
field_read_fn fields_read_items;

/* "5/s", "60/m", "1000/h": a count of min to max, and the window in milliseconds. */
MUST_CHECK bool fields_read_rate(const struct yaml_node *node, int64_t min, int64_t max, int64_t *count,
                                 int64_t *window_ms, struct error *err);

#endif
