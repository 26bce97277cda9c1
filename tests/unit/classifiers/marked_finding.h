/* marked_finding.h - for tests: a line in which a finding stands between square brackets. */
#ifndef FILTERD_TESTS_MARKED_FINDING_H
#define FILTERD_TESTS_MARKED_FINDING_H

#include <stdbool.h>

#include "base/span.h"

/* What is said of the finding; the line is without the brackets, and at most 200 bytes. */
static inline bool said_of_marked(const char *marked, bool (*say)(struct span line, size_t from, size_t to))
{
    char line[200];
    size_t n = 0, from = 0, to = 0;

    for (; *marked != '\0'; marked++) {
        from = *marked == '[' ? n : from;
        to = *marked == ']' ? n : to;
        if (*marked != '[' && *marked != ']') {
            line[n++] = *marked;
        }
    }
    return say(span_of(line, n), from, to);
}

#endif
