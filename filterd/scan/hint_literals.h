/* hint_literals.h - the first letters of tokens in ROT13 and backwards, next to ten characters that tokens are made of.
 *
 * There are more of these literals than of all other triggers, and few texts hold one. So they are not Hyperscan's: where
 * ten characters of tokens stand in a row, the three bytes before them and the three behind are looked up in a table.
 *
 * Immutable once made; any number of threads may search with it. */
#ifndef FILTERD_SCAN_HINT_LITERALS_H
#define FILTERD_SCAN_HINT_LITERALS_H

#include "base/error.h"
#include "regex/trigger.h"
#include "view/view.h"

enum { HINT_LITERAL_MIN = 3, HINT_TOKEN_MIN = 10 };

struct hint_literal {
    char text[TRIGGER_LITERAL_MAX];
    size_t len;          /* at least HINT_LITERAL_MIN */
    bool is_behind;      /* the characters of the token stand before the literal, else behind it */
    enum view_hint_kind kind;
};

struct hint_literals;

/* The items are copied; equal ones count as one. */
struct hint_literals *hint_literals_new(const struct hint_literal *items, size_t n, struct error *err);
void hint_literals_free(struct hint_literals *h);

/* `end` is behind the literal or the ten characters, whichever are last. In order of `end`. */
typedef void hint_found_fn(void *context, enum view_hint_kind kind, uint32_t end);
void hint_literals_scan(const struct hint_literals *h, struct span text, hint_found_fn *found, void *context);

#endif
