/* person.h - whether two names are one person: for decisions that need a second one. */
#ifndef FILTERD_REVIEW_PERSON_H
#define FILTERD_REVIEW_PERSON_H

#include <stdbool.h>
#include <strings.h>

#include "base/span.h"

enum { PERSON_NAME = 128 /* bytes */ };

/* Letters of both cases are the same, as identity providers differ in that. An empty name is the same as any. */
static inline bool person_is_same(struct span a, struct span b)
{
    return a.len == 0 || b.len == 0 || (a.len == b.len && strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

#endif
