/* json.h - JSON text read in place and written straight into a buffer (RFC 8259).
 *
 * The delivery path reads without building a tree: json_validate proves one value well-formed, then the
 * cursor walks it without further errors. Strict: no comments, no trailing commas, no duplicate
 * handling (callers that need unique keys check), valid UTF-8 only, no unpaired surrogates in
 * escapes, nesting of at most JSON_DEPTH_MAX. Configuration and operator bodies use jansson instead. */
#ifndef FILTERD_BASE_JSON_H
#define FILTERD_BASE_JSON_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum { JSON_DEPTH_MAX = 128 };

enum json_kind { JSON_NULL, JSON_FALSE, JSON_TRUE, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

/* True when `text` is exactly one JSON value with white space around it; else err says at which byte and what
 * was expected there, without quoting the input. */
MUST_CHECK bool json_validate(struct span text, struct error *err);

/* One value inside validated text. raw is its text, quotes or brackets included. */
struct json_value {
    enum json_kind kind;
    struct span raw;
};

/* The value of validated text. */
struct json_value json_root(struct span text);

/* Walks members or elements of an object or array of validated text:
 *     struct json_iterator it = json_iterate(value);
 *     while (json_next(&it, &name, &item)) ...      name is empty in arrays; undecoded, without quotes */
struct json_iterator {
    const char *at, *end;
    bool is_object;
};
struct json_iterator json_iterate(struct json_value container);
bool json_next(struct json_iterator *it, struct span *name, struct json_value *item);

/* The characters of a string: borrowed from the text when it has no escapes, else decoded in the arena. */
MUST_CHECK bool json_string(struct arena *a, struct json_value string, struct span *out, struct error *err);
/* Raw member name (no quotes) likewise. */
MUST_CHECK bool json_unescape(struct arena *a, struct span raw, struct span *out, struct error *err);

/* Appends a quoted string. Ill-formed UTF-8 in `text` becomes U+FFFD, so the output is always valid. */
MUST_CHECK bool json_append_string(struct buf *out, struct span text, struct error *err);

#endif
