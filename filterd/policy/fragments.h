/* fragments.h - named parts of patterns: `fragments:` at the head of a rule file, used in patterns as {name}.
 *
 * Those of a file are for that file; those of shared.yaml, a file without rules, for all files of its folder. A fragment may
 * use fragments. It is put in as text, and still cannot change the meaning of what is around it: it closes what it opens,
 * keeps its alternatives and its options in groups, and is one item where a repeat follows.
 *
 * Errors are "file:line:column: ..." at the name or the text that is wrong. Everything lives in the arena of the rules. */
#ifndef FILTERD_POLICY_FRAGMENTS_H
#define FILTERD_POLICY_FRAGMENTS_H

#include "base/yaml.h"

enum { FRAGMENTS_MAX = 256, FRAGMENT_DEPTH_MAX = 16, PATTERN_TEXT_MAX = 16 * 1024 };

struct fragment {
    const struct yaml_node *node; /* its key is the name */
    struct span text;             /* as PCRE2 gets it; empty until it was expanded */
    bool is_used, is_open;        /* is_open: it is being expanded */
};

/* Zeroed: none. */
struct fragments {
    struct fragment *items;
    size_t n;
    struct fragments *shared; /* those of the folder; NULL: none */
};

/* Reads the mapping; `shared` must be set before, as a name stands once in both. */
MUST_CHECK bool fragments_read(struct arena *a, const struct yaml_node *node, struct fragments *out, struct error *err);
/* The pattern that PCRE2 gets of a text as it is written; that text itself where nothing is to be done. */
MUST_CHECK bool fragments_expand(struct arena *a, struct fragments *f, const struct yaml_node *written, struct span *out,
                                 struct error *err);
/* The same of a list, or of one text as a list of one. */
MUST_CHECK bool fragments_expand_list(struct arena *a, struct fragments *f, const struct yaml_node *written,
                                      const struct span **out, size_t *n, struct error *err);
/* Every fragment of it, without those shared, was used. */
MUST_CHECK bool fragments_are_used(const struct fragments *f, struct error *err);

/* Where a byte of an expanded pattern is written. */
struct written_at {
    const struct yaml_node *node; /* the pattern, or the fragment that it is in */
    size_t offset;                /* in the node's text */
};
struct written_at fragments_locate(const struct fragments *f, const struct yaml_node *written, size_t offset);

#endif
