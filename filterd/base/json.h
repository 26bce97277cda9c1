/* json.h - JSON text read in place and written straight into a buffer (RFC 8259).
 *
 * The delivery path reads without building a tree: json_validate proves one value well-formed, then
 * iterators and tokens walk it without further errors. Strict: no comments, no trailing commas,
 * valid UTF-8 only, no unpaired surrogates in escapes, nesting of at most JSON_DEPTH_MAX. Duplicate
 * members are well-formed; a caller that needs unique names checks. Configuration and operator
 * bodies use jansson instead.
 *
 * Everything but json_validate and the appender wants text that json_validate has accepted; on
 * other text the result is undefined. No state: any thread. No name here is one of jansson's, as a
 * program that links both must not have one replace the other. */
#ifndef FILTERD_BASE_JSON_H
#define FILTERD_BASE_JSON_H

#include <stdint.h>

#include "base/arena.h"
#include "base/buf.h"

enum { JSON_DEPTH_MAX = 128 };

enum json_kind {
    JSON_KIND_NULL,
    JSON_KIND_FALSE,
    JSON_KIND_TRUE,
    JSON_KIND_NUMBER,
    JSON_KIND_STRING,
    JSON_KIND_ARRAY,
    JSON_KIND_OBJECT
};

/* True when `text` is exactly one JSON value with white space around it; else err says at which
 * byte and what was expected there, without quoting the input. MALFORMED, or LIMIT for nesting. */
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
 *     while (json_next(&it, &name, &item)) ...
 * name is undecoded, without quotes; empty in arrays. Of any other value there is nothing to walk.
 */
struct json_iterator {
    const char *at, *end;
    bool is_object;
};
struct json_iterator json_iterate(struct json_value container);
bool json_next(struct json_iterator *it, struct span *name, struct json_value *item);

/* Walks validated text flat, container by container, in one pass however deep it nests. */
enum json_token_kind {
    JSON_TOKEN_OPEN,  /* of an array or object: value.raw is the bracket alone */
    JSON_TOKEN_CLOSE, /* likewise */
    JSON_TOKEN_NAME,  /* value is the name as a string, quotes included */
    JSON_TOKEN_VALUE  /* a value that is no container */
};
struct json_token {
    enum json_token_kind kind;
    struct json_value value;
};
struct json_walk {
    const char *at, *end;
};
struct json_walk json_walk(struct span text);
bool json_walk_next(struct json_walk *walk, struct json_token *token);

/* The characters of a string: borrowed from the text when it has no escapes, else in the arena. */
MUST_CHECK bool json_unquote(struct arena *a, struct json_value string, struct span *out,
                             struct error *err);
/* Raw member name (no quotes) likewise. */
MUST_CHECK bool json_unescape(struct arena *a, struct span raw, struct span *out,
                              struct error *err);

/* Appends a quoted string. Ill-formed UTF-8 in `text` becomes U+FFFD, one for each byte that
 * belongs to no character, so the output is always valid. The buffer is unchanged on failure. */
MUST_CHECK bool json_append_string(struct buf *out, struct span text, struct error *err);

#endif
