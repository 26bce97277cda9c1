/* trigger.h - derives Hyperscan's triggers from PCRE2 patterns.
 *
 * trigger_core turns a PCRE2 pattern into an expression for Hyperscan that matches wherever the
 * pattern does: look-arounds are dropped, named groups lose their names, atomic groups become plain, possessive
 * repeats become greedy, and back-references become the expression of their group. trigger_prefix then cuts the last repeat
 * to its minimum and drops optional tails. Each
 * match of the pattern begins with a match of its prefix, so the prefix is a trigger whose `lead`
 * is its maximum width. */
#ifndef FILTERD_REGEX_TRIGGER_H
#define FILTERD_REGEX_TRIGGER_H

#include <stdint.h>

#include "base/buf.h"

enum { TRIGGER_WIDTH_UNBOUNDED = UINT32_MAX };
enum { TRIGGER_LITERALS_MAX = 16, TRIGGER_LITERAL_MAX = 32 };

/* Refuses constructs that rules must not use (docs/rules.md): \A \z \Z \G \K \C \X, verbs, callouts, conditions, recursion. */
MUST_CHECK bool trigger_core(struct span pattern, struct buf *out, struct error *err);
/* `core` is the output of trigger_core. */
MUST_CHECK bool trigger_prefix(struct span core, struct buf *out, struct error *err);

/* An upper bound of the bytes that `core` matches in UTF-8, ignoring the boundary. Hyperscan's own
 * measurement takes seconds for a thousand patterns, because it builds each automaton. */
uint32_t trigger_max_width(struct span core);

/* The literals with which a match of `core` begins, one per alternative of a leading group;
 * n is 0 when they are unknown. Case is as written; is_caseless with a leading (?i). */
struct trigger_literals {
    char text[TRIGGER_LITERALS_MAX][TRIGGER_LITERAL_MAX];
    size_t len[TRIGGER_LITERALS_MAX];
    size_t n;
    bool is_caseless;
};
void trigger_literals(struct span core, struct trigger_literals *out);

#endif
