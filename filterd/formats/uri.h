/* uri.h - the parts of scheme://user:password@host that a judge of passwords needs. */
#ifndef FILTERD_FORMATS_URI_H
#define FILTERD_FORMATS_URI_H

#include "base/span.h"

struct uri {
    struct span user;
    struct span password;
    struct span host; /* the first of a list; without brackets and port */
};

/* False when there is no password. Passwords with a raw @ or / in them are read whole. */
bool uri_parse(struct span text, struct uri *out);

#endif
