/* plural.h - singular and plural after a number: "1 rule", "2 rules". */
#ifndef FILTERD_BASE_PLURAL_H
#define FILTERD_BASE_PLURAL_H

#include <stddef.h>

static inline const char *plural(size_t n, const char *one, const char *many)
{
    return n == 1 ? one : many;
}

/* For words with a plural in s. */
static inline const char *plural_s(size_t n)
{
    return plural(n, "", "s");
}

#endif
