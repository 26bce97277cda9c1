/* static.h - files of web/, compiled in. Their names contain a prefix of their SHA-256, so that browsers can cache them without
 * expiry. */
#ifndef FILTERD_PAGE_STATIC_H
#define FILTERD_PAGE_STATIC_H

#include "base/span.h"

struct static_file {
    struct span content;
    const char *type;
};

/* The public name, such as "review.0f1e2d3c4b5a6978.css" for "review.css"; empty: no such file. Static. Any thread. */
struct span static_name(const char *file);
/* Looks up a public name. False: not found. */
bool static_find(struct span name, struct static_file *out);

#endif
