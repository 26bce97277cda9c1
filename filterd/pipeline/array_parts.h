/* array_parts.h - an array whose elements may be the characters, codes or parts of one string.
 *
 * Its text has a form that the views know: codes as numbers, whatever they are in JSON (69, "69", "0x45", 69.0), else strings in quotes.
 * An array of such arrays is one, too. */
#ifndef FILTERD_PIPELINE_ARRAY_PARTS_H
#define FILTERD_PIPELINE_ARRAY_PARTS_H

#include "base/json.h"

enum {
    ARRAY_PARTS_DEPTH = 3, /* of arrays in each other: an array is read once for each that it is in */
    ARRAY_PART_MAX = 64,   /* bytes of a string */
};

/* What an element is written with, at most. */
#define ARRAY_PART_JOINT ", "
#define ARRAY_PART_EXTRA (sizeof("\"\"" ARRAY_PART_JOINT) - 1)

struct array_parts {
    size_t n, n_codes, n_strings;
    size_t len; /* bytes of them all */
};

/* Counts a number, or a string whose text this is, without its quotes; false: no array with it is one of parts. */
bool array_parts_add(struct array_parts *p, enum json_kind kind, struct span text);

/* Of all elements: whether they may be one string; whether they are written as the codes that array_part_code makes of them. */
bool array_parts_are_one(const struct array_parts *p);
bool array_parts_are_codes(const struct array_parts *p);
/* The whole number that a number is, 69 of 69.0; any other text as it is. */
struct span array_part_code(struct span text);

#endif
