/* symbols.h - the letters and digits of a number as it is written, without its separators.
 *
 * A symbol is a value: 0 to 9 for a digit, 10 to 35 for a letter of either case. Separators are
 * space, no-break space, hyphen, dash, dot and slash; any other character makes reading fail. */
#ifndef FILTERD_LEXICAL_SYMBOLS_H
#define FILTERD_LEXICAL_SYMBOLS_H

#include <stdint.h>

#include "base/span.h"

enum { SYMBOLS_MAX = 96 };

struct symbols {
    uint8_t value[SYMBOLS_MAX];
    size_t n;
};

/* Length in bytes of the separator at `at`, 0 when there is none. */
size_t symbols_separator(struct span text, size_t at);

/* False when text holds anything else, nothing at all, or more than SYMBOLS_MAX of them. */
bool symbols_read(struct span text, struct symbols *out);
bool symbols_read_digits(struct span text, struct symbols *out);
/* Digits, exactly n. */
bool symbols_read_exactly(struct span text, size_t n, struct symbols *out);

/* True when the symbols have this shape: 9 a digit, A a letter, * either. */
bool symbols_have_shape(const struct symbols *s, const char *shape);
bool symbols_all_equal(const struct symbols *s);
/* The digits [from, to) as a number; at most 18 of them. */
uint64_t symbols_number(const struct symbols *s, size_t from, size_t to);
/* The character of a symbol, letters in upper case. */
char symbols_character(uint8_t value);

#endif
