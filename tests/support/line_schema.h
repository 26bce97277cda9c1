/* line_schema.h - the JSON Schema of the decision log's lines, for unit tests: rules/decision-log.schema.json, with the
 * keywords that it uses. tests/support/record_lines.py has all of draft 2020-12, and validates what end-to-end tests write. */
#ifndef FILTERD_TESTS_SUPPORT_LINE_SCHEMA_H
#define FILTERD_TESTS_SUPPORT_LINE_SCHEMA_H

#include "testing.h"

#include <stdbool.h>

#include "base/span.h"

enum { LINE_SCHEMA_WHY = 256 };

/* True when the line, without a newline, is one of the schema. Else `why` names the member and what was expected there. A line
 * that has no "seq" yet, as before it is appended, is validated without the members that the writer puts in front. */
bool line_schema_accepts(struct span line, char why[LINE_SCHEMA_WHY]);

static inline void assert_line(struct span line)
{
    char why[LINE_SCHEMA_WHY];

    if (!line_schema_accepts(line, why)) {
        fail_msg("%s in " SPAN_FMT, why, SPAN_ARG(line));
    }
}

#endif
