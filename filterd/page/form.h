/* form.h - the fields of a form, from a body of type application/x-www-form-urlencoded (URL Standard, 5.1).
 *
 * Strict: '%' begins two hexadecimal digits, and what is decoded is UTF-8 without NUL. Pure. */
#ifndef FILTERD_PAGE_FORM_H
#define FILTERD_PAGE_FORM_H

#include "base/arena.h"

enum { FORM_FIELDS_MAX = 640 }; /* a page of 500 check boxes, and more than enough beside */

struct form_field {
    struct span name, value;
};
struct form {
    struct form_field *fields; /* in their order, with repetitions */
    size_t n;
};

/* What is decoded lives in the arena. INVALID, LIMIT, NO_MEMORY. */
MUST_CHECK bool form_parse(struct arena *a, struct span body, struct form *out, struct error *err);

/* One part, percent-encoded as in a form. INVALID, NO_MEMORY. */
MUST_CHECK bool form_decode(struct arena *a, struct span text, struct span *out, struct error *err);

/* The first of that name; empty when there is none. */
struct span form_value(const struct form *f, const char *name);

#endif
