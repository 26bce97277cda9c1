/* pattern_source.h - splits a pattern of a rule file into pieces.
 *
 * A written pattern may have two things that the loader removes: {name}, a fragment (fragments.h), and, in a pattern that begins
 * with (?x), layout: white space and comments outside classes and escapes, which PCRE2 would ignore. Code after the loader
 * sees only the rest. `\ ` and `\#` in such a pattern become a space and a number sign without the
 * backslash.
 *
 * Layout inside an escape, before or inside a repeat, or inside the opening of a group is an error, because its removal would
 * change the meaning for PCRE2; so is x among the options of a group, because it applies to a whole pattern. */
#ifndef FILTERD_POLICY_PATTERN_SOURCE_H
#define FILTERD_POLICY_PATTERN_SOURCE_H

#include <stdbool.h>

#include "base/span.h"

struct pattern_source {
    struct span text;
    size_t at;
    bool is_extended;
    bool is_escape_open; /* a letter or digit at `at` would belong to the preceding escape */
    const char *problem; /* the error at `at`; NULL: none */
};

enum piece_kind { PIECE_TEXT, PIECE_FRAGMENT, PIECE_LAYOUT };

struct piece {
    enum piece_kind kind;
    size_t from, to;  /* in the source */
    struct span text; /* TEXT: its output; FRAGMENT: its name */
    bool is_repeated; /* FRAGMENT: a repeat follows */
};

/* Whether pattern_source_next may change the text. May be true for a text that it does not change. */
bool pattern_source_needed(struct span text);
void pattern_source_init(struct pattern_source *s, struct span text);
/* False at the end, or with `problem`. */
bool pattern_source_next(struct pattern_source *s, struct piece *out);

/* Whether a text may be the name of a fragment: a-z, then at most 31 of a-z, 0-9 and hyphen. */
bool fragment_is_name(struct span text);

#endif
