/* person.h - whether two names are the same person, for decisions that need a second person. */
#ifndef FILTERD_REVIEW_PERSON_H
#define FILTERD_REVIEW_PERSON_H

#include <stdbool.h>
#include <strings.h>

#include "base/span.h"

enum { PERSON_NAME = 128 /* bytes */ };

/* Case-insensitive, because identity providers differ in case. An empty name equals every name. */
static inline bool person_is_same(struct span a, struct span b)
{
    return a.len == 0 || b.len == 0 || (a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

#endif
