/* live_table.h - which patterns may begin with the bytes at a place; liveness.c asks it.
 *
 * A bit is for a pattern, its first byte and what it wants in front: a pattern that begins with one of a dozen words
 * has a bit for each of their first letters, so that "s" of one word does not go with "oken" of another. */
#ifndef FILTERD_SCAN_LIVE_TABLE_H
#define FILTERD_SCAN_LIVE_TABLE_H

#include "regex/first_bytes.h"
#include "regex/look_behind.h"
#include "scan/scanner.h"

enum { LIVE_PLACES = FIRST_BYTES + BEFORE_BYTES, LIVE_BYTES = 256, LIVE_WORD_BITS = 64 };

/* rows[(place * LIVE_BYTES + byte) * n_words]: the bits that can have the byte there; the places in front of the match
 * follow its own. Bits that begin with the same byte are neighbours, so that most words of a row are zero. */
struct live_table {
    uint32_t n_words;
    uint32_t *patterns; /* of each bit */
    uint64_t *rows;
    uint64_t *words; /* [place * LIVE_BYTES + byte]: bit w: one of the words w, w + 64, ... of the row is not zero */
};

/* What is made once for a scanner, and from it a table for all patterns (NULL), or for some: bit per pattern. */
struct live_entries;
struct live_entries *live_entries_new(const struct scanner *s, struct error *err);
void live_entries_free(struct live_entries *entries);
struct live_table *live_table_new(const struct live_entries *entries, const uint64_t *wanted, struct error *err);
void live_table_free(struct live_table *t);

#endif
