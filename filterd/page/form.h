/* form.h - parses bodies of type application/x-www-form-urlencoded (URL Standard, 5.1).
 *
 * Strict: '%' needs two hexadecimal digits, and decoded text must be UTF-8 without NUL. Pure. */
#ifndef FILTERD_PAGE_FORM_H
#define FILTERD_PAGE_FORM_H

#include "base/arena.h"

enum { FORM_FIELDS_MAX = 640 }; /* a page has at most 500 check boxes */

struct form_field {
    struct span name, value;
};
struct form {
    struct form_field *fields; /* in order, with duplicates */
    size_t n;
};

/* Decoded text is in the arena. INVALID, LIMIT, NO_MEMORY. */
MUST_CHECK bool form_parse(struct arena *a, struct span body, struct form *out, struct error *err);

/* Decodes a single name or value. INVALID, NO_MEMORY. */
MUST_CHECK bool form_decode(struct arena *a, struct span text, struct span *out, struct error *err);

/* The first field with that name; empty if there is none. */
struct span form_value(const struct form *f, const char *name);

#endif
