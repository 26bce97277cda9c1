/* static.h - files of the page that are compiled in from web/, each with the begin of its SHA-256 in its name: a name means the
 * same bytes for ever, so browsers keep them. */
#ifndef FILTERD_PAGE_STATIC_H
#define FILTERD_PAGE_STATIC_H

#include "base/span.h"

struct static_file {
    struct span content;
    const char *type;
};

/* The name to ask for, such as "review.0f1e2d3c4b5a6978.css" for "review.css"; empty: there is no such file. Static. Any thread. */
struct span static_name(const char *file);
/* By that name. False: there is none. */
bool static_find(struct span name, struct static_file *out);

#endif
