/* keywords.h - where a word of a text begins with one of thousands, without regard to case.
 *
 * Hyperscan's search for literals slows down as words of a natural language crowd it: the pairs of letters that it looks
 * at first are everywhere in prose. Most patterns that begin with such a word want it at the start of a word, or of a part
 * of a name: "api key", "x_api_key", "myApiKey". There are few such places, and at each of them the first letters,
 * hashed, tell nearly always that there is nothing.
 *
 * A start is an ASCII letter with none before it, or an upper-case one behind a lower-case one. Case is that of ASCII
 * letters and of their partners elsewhere: U+017F is an s and U+212A a k, as PCRE2 has it. They are no letters to what
 * is beside them, so that a word that begins with one may start anywhere.
 *
 * Immutable; any thread may search. */
#ifndef FILTERD_REGEX_KEYWORDS_H
#define FILTERD_REGEX_KEYWORDS_H

#include <stdint.h>

#include "base/error.h"
#include "base/span.h"

enum { KEYWORD_MIN = 3, KEYWORD_MAX = 12 }; /* bytes */

struct keyword {
    char text[KEYWORD_MAX]; /* ASCII, no upper case, a letter first */
    uint8_t len;
    bool ends_word; /* no ASCII letter is behind it */
    uint32_t id;
};

struct keywords;

/* The words are copied. NULL when memory is out. */
struct keywords *keywords_new(const struct keyword *words, size_t n, struct error *err);
void keywords_free(struct keywords *k);

/* Called for each start with one of the words, in order of start. Return false to stop. A text has at most UINT32_MAX bytes. */
typedef bool keywords_found_fn(void *context, uint32_t id, uint32_t start);
void keywords_scan(const struct keywords *k, struct span text, keywords_found_fn *found, void *context);

#endif
