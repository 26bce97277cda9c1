/* pattern_source.h - a pattern as a rule file writes it, in pieces.
 *
 * Two things are written that PCRE2 does not get: {name}, a fragment (fragments.h), and the layout of a pattern that begins
 * with (?x): white space and comments outside of classes and escapes, which PCRE2 would pass over. What is left is the pattern,
 * and no code after the loader sees either. `\ ` and `\#` of such a pattern are a space and a number sign, in the pattern
 * without a backslash.
 *
 * Refused, because PCRE2 reads it otherwise than what would be left: layout inside an escape, in front of a repeat, inside one,
 * or inside the opening of a group; and x among the options of a group, as it covers a pattern or none of it. */
#ifndef FILTERD_POLICY_PATTERN_SOURCE_H
#define FILTERD_POLICY_PATTERN_SOURCE_H

#include <stdbool.h>

#include "base/span.h"

struct pattern_source {
    struct span text;
    size_t at;
    bool is_extended;
    bool is_escape_open; /* a letter or digit at `at` would belong to the escape before it */
    const char *problem; /* what is wrong at `at`; NULL: nothing */
};

enum piece_kind { PIECE_TEXT, PIECE_FRAGMENT, PIECE_LAYOUT };

struct piece {
    enum piece_kind kind;
    size_t from, to;  /* in the source */
    struct span text; /* TEXT: what it gives; FRAGMENT: its name */
    bool is_repeated; /* FRAGMENT: a repeat follows */
};

/* Whether pattern_source_next would give anything but the text as it is. May say so of a text that stays what it is. */
bool pattern_source_needed(struct span text);
void pattern_source_init(struct pattern_source *s, struct span text);
/* False at the end, or with `problem`. */
bool pattern_source_next(struct pattern_source *s, struct piece *out);

/* Whether a text may be the name of a fragment: a-z, then at most 31 of a-z, 0-9 and hyphen. */
bool fragment_is_name(struct span text);

#endif
