/* fragments.h - named parts of patterns: `fragments:` at the head of a rule file, used in patterns as {name}.
 *
 * Fragments of a file are for that file; those of shared.yaml, a file without rules, for all files of its folder. A fragment may
 * use fragments. It is inserted as text, but cannot change the meaning of the surrounding pattern: it closes what it opens,
 * keeps its alternatives and its options in groups, and is one item where a repeat follows.
 *
 * Errors are "file:line:column: ..." at the wrong name or text. Everything lives in the arena of the rules. */
#ifndef FILTERD_POLICY_FRAGMENTS_H
#define FILTERD_POLICY_FRAGMENTS_H

#include "base/yaml.h"

enum { FRAGMENTS_MAX = 256, FRAGMENT_DEPTH_MAX = 16, PATTERN_TEXT_MAX = 16 * 1024 };

struct fragment {
    const struct yaml_node *node; /* its key is the name */
    struct span text;             /* for PCRE2; empty until it is expanded */
    bool is_used, is_open;        /* is_open: its expansion is in progress */
};

/* Zeroed: none. */
struct fragments {
    struct fragment *items;
    size_t n;
    struct fragments *shared; /* those of the folder; NULL: none */
};

/* Reads the mapping; set `shared` before, because a name may occur only once in both. */
MUST_CHECK bool fragments_read(struct arena *a, const struct yaml_node *node, struct fragments *out, struct error *err);
/* The patterns for PCRE2 from their written texts: a list, or one text as a list of one. */
MUST_CHECK bool fragments_expand_list(struct arena *a, struct fragments *f, const struct yaml_node *written,
                                      const struct span **out, size_t *n, struct error *err);
/* Checks that every fragment, except shared ones, was used. */
MUST_CHECK bool fragments_are_used(const struct fragments *f, struct error *err);

/* The place in a file of a byte of an expanded pattern. */
struct written_at {
    const struct yaml_node *node; /* the pattern, or the fragment that contains it */
    size_t offset;                /* in the node's text */
};
struct written_at fragments_locate(const struct fragments *f, const struct yaml_node *written, size_t offset);

#endif
