/* value_token.h - what stands for a value that may not be shown: "key-id:" and its keyed token. Equal values have equal
 * tokens under one key; the text is ASCII that needs no escaping in JSON. */
#ifndef FILTERD_DECISION_LOG_VALUE_TOKEN_H
#define FILTERD_DECISION_LOG_VALUE_TOKEN_H

#include "base/error.h"
#include "base/span.h"

#define VALUE_TOKEN_MARK "~tok:" /* in front of one that is where a name would */

enum { VALUE_TOKEN_MAX = 72 }; /* with mark and NUL */

struct decision_keys;

struct value_token {
    char text[VALUE_TOKEN_MAX]; /* NUL-terminated */
};

MUST_CHECK bool value_token_make(const struct decision_keys *keys, struct span value, struct value_token *out,
                                 struct error *err);
/* The same with the mark in front. */
MUST_CHECK bool value_token_mark(const struct decision_keys *keys, struct span value, struct value_token *out,
                                 struct error *err);
/* Of a token that the caller made: lower-case hexadecimal. */
void value_token_of_hex(const struct decision_keys *keys, const char *hex, struct value_token *out);

#endif
