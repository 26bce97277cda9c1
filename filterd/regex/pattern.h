/* pattern.h - splits a PCRE2 pattern into tokens; enough of its grammar to copy, cut and measure one. */
#ifndef FILTERD_REGEX_PATTERN_H
#define FILTERD_REGEX_PATTERN_H

#include "base/span.h"

/* A token: a character, an escape, a class, a parenthesis, a bar, a repeat, or an anchor. */
enum token_kind { TOKEN_ATOM, TOKEN_OPEN, TOKEN_CLOSE, TOKEN_BAR, TOKEN_REPEAT, TOKEN_ANCHOR };

struct token {
    enum token_kind kind;
    size_t from, to;
};

/* Whether every class, group and escape is closed: only then does the pattern keep its meaning inside another. */
bool pattern_is_closed(struct span p);
/* The token at `at`, which lies inside the pattern. A group's parentheses are separate tokens. */
struct token pattern_token(struct span p, size_t at);
/* The end of the group that opens at `at`, after its parenthesis. */
size_t pattern_group_end(struct span p, size_t at);
/* The end of the alternative that begins at `at`: its bar, or the end. Skips bars of inner groups. */
size_t pattern_branch_end(struct span p, size_t at);
/* True when the token is one literal character. */
bool pattern_literal(struct span p, const struct token *t, char *c);

#endif
