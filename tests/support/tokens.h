/* tokens.h - tokens of twenty well-known formats, made by their recipes: random where the format is, with
 * checksums and structure that hold where it has any. None was ever issued. */
#ifndef FILTERD_TESTS_SUPPORT_TOKENS_H
#define FILTERD_TESTS_SUPPORT_TOKENS_H

#include "base/span.h"
#include "support/random.h"

enum { TOKENS = 20, TOKEN_MAX = 256 };

struct token {
    const char *rule; /* the shipped rule that is meant to find it */
    char text[TOKEN_MAX];
    size_t len;
};

/* The same tokens for the same state. */
void tokens_make(struct random *r, struct token tokens[TOKENS]);

static inline struct span token_span(const struct token *t)
{
    return span_of(t->text, t->len);
}

#endif
