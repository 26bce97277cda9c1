/* array_parts.h - an array whose elements may be the characters, codes or parts of one string.
 *
 * Its text has a form that the views know: codes as numbers, whatever they are in JSON (69, "69", "0x45", 69.0), else strings in quotes.
 * An array of such arrays is one, too. Of codes and strings each code is the string of its character. Of a long string only its ends count,
 * up to the first blank and from the last one on, as no token has one. */
#ifndef FILTERD_PIPELINE_ARRAY_PARTS_H
#define FILTERD_PIPELINE_ARRAY_PARTS_H

#include "base/json.h"

enum {
    ARRAY_PARTS_DEPTH = 3, /* of arrays in each other: an array is read once for each that it is in */
    ARRAY_PART_MAX = 64,   /* bytes of a string that is not long */
    ARRAY_PART_END = 120,  /* of each end of a long one */
};

/* What an element is written with, at most. */
#define ARRAY_PART_JOINT ", "
#define ARRAY_PART_EXTRA (sizeof("\"\"" ARRAY_PART_JOINT) - 1)

struct array_parts {
    size_t n, n_codes, n_strings, n_long;
    size_t len; /* bytes of them all, as they are written */
};

/* Counts a number, or a string whose text this is, without its quotes; false: no array with it is one of parts. */
bool array_parts_add(struct array_parts *p, enum json_kind kind, struct span text);

/* The ends of a long string. */
struct array_part_ends {
    struct span first, last;
};
struct array_part_ends array_part_ends(struct span text);

/* Whether all are short, and all strings or all codes. */
bool array_parts_are_plain(const struct array_parts *p);
/* Of all elements: whether they may be one string; whether they are written as the codes that array_part_code makes of them. */
bool array_parts_are_one(const struct array_parts *p);
bool array_parts_are_codes(const struct array_parts *p);
/* The whole number that a number is, 69 of 69.0; any other text as it is. */
struct span array_part_code(struct span text);

#endif
