/* words.h - enumerations as words of the record: an array of names, in the order of the numbers. Pure. */
#ifndef FILTERD_REVIEW_WORDS_H
#define FILTERD_REVIEW_WORDS_H

#include "base/span.h"

/* "" for a number without a name. */
static inline const char *words_name(const char *const *names, unsigned n, unsigned number)
{
    return number < n ? names[number] : "";
}

/* `none` for a text that is not among the names; an empty one never is. */
static inline unsigned words_number(const char *const *names, unsigned n, struct span name, unsigned none)
{
    for (unsigned i = 0; name.len > 0 && i < n; i++) {
        if (span_is(name, names[i])) {
            return i;
        }
    }
    return none;
}

#endif
