/* lines.h - the lines of a note's text, one by one, each a name and a value. Internal to bundle. */
#ifndef FILTERD_BUNDLE_LINES_H
#define FILTERD_BUNDLE_LINES_H

#include <string.h>

#include "base/error.h"
#include "record/note_text.h"

struct lines {
    struct span rest;
    unsigned number; /* of the last line taken, from 1 */
};

static inline bool lines_expected(const struct lines *l, const char *what, struct error *err)
{
    return error_set(err, ERROR_MALFORMED, "line %u: %s expected", l->number, what);
}

/* What is behind `prefix` on the next line; false without an error when there is no such line. */
static inline bool lines_take(struct lines *l, const char *prefix, struct span *value)
{
    struct span line;

    l->number++;
    if (!note_take_line(&l->rest, &line) || !span_starts_with(line, span_str(prefix))) {
        return false;
    }
    *value = span_slice(line, strlen(prefix), line.len);
    return true;
}

#endif
