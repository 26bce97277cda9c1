/* keywords.h - finds words of a text that begin with one of thousands of keywords, without regard to case.
 *
 * Hyperscan's literal search slows down with many words of a natural language: the pairs of letters that it checks
 * first are frequent in prose. Most patterns that begin with such a word need it at the start of a word, or of a part
 * of a name: "api key", "x_api_key", "myApiKey". There are few such places, and at almost all of them a hash of the first
 * letters excludes every keyword.
 *
 * A start is an ASCII letter with no letter before it, or an upper-case one after a lower-case one. Case folding is that of
 * PCRE2 for ASCII letters: U+017F is an s and U+212A a k. These two do not count as letters for their neighbours,
 * so a word that begins with one may start anywhere.
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
    bool ends_word; /* no ASCII letter may follow it */
    uint32_t id;
};

struct keywords;

/* Copies the words. NULL without memory. */
struct keywords *keywords_new(const struct keyword *words, size_t n, struct error *err);
void keywords_free(struct keywords *k);

/* Called for each start with one of the words, in order of start. Return false to stop. A text has at most UINT32_MAX bytes. */
typedef bool keywords_found_fn(void *context, uint32_t id, uint32_t start);
void keywords_scan(const struct keywords *k, struct span text, keywords_found_fn *found, void *context);

#endif
