/* pattern.h - a PCRE2 pattern as a row of tokens; enough of its grammar to copy, cut and measure one. */
#ifndef FILTERD_REGEX_PATTERN_H
#define FILTERD_REGEX_PATTERN_H

#include "base/span.h"

/* One element of a pattern as the walker sees it: a character, an escape, a class, a parenthesis, a
 * bar, or a repeat. */
enum token_kind { TOKEN_ATOM, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BAR, TOKEN_REPEAT, TOKEN_ANCHOR };

struct token {
    enum token_kind kind;
    size_t from, to;
};

/* Whether each class, group and escape has its end: only then does the pattern stay what it is between other parts. */
bool pattern_is_closed(struct span p);
/* The token at `at`, which lies inside the pattern. A group's parentheses are tokens of their own. */
struct token pattern_token(struct span p, size_t at);
/* The end of the group that opens at `at`, behind its parenthesis. */
size_t pattern_group_end(struct span p, size_t at);
/* Where the alternative that begins at `at` ends: at its bar, or at the end. Bars of inner groups are passed over. */
size_t pattern_branch_end(struct span p, size_t at);
/* True when the token is one character that stands for itself. */
bool pattern_literal(struct span p, const struct token *t, char *c);

#endif
