/* json.h - parses JSON text in place and writes it directly into a buffer (RFC 8259).
 *
 * The delivery path parses without building a tree: json_validate verifies one value, then
 * iterators and tokens walk it without further errors. Strict: no comments, no trailing commas,
 * valid UTF-8 only, no unpaired surrogates in escapes, nesting of at most JSON_DEPTH_MAX. Duplicate
 * members are well-formed; a caller that needs unique names must check. Configuration and operator
 * bodies use jansson instead.
 *
 * All functions except json_validate, json_plain_prefix and json_append_string need text that json_validate has accepted; on
 * other text the result is undefined. No state: any thread. Names differ from jansson's, because a
 * program may link both. */
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

/* True when `text` is exactly one JSON value with optional white space around it; otherwise err has the
 * offset and what was expected there, without quoting the input. MALFORMED, or LIMIT for nesting. */
MUST_CHECK bool json_validate(struct span text, struct error *err);

/* The same for a text with elements of arrays of its root's members that are known to be valid values, in order: they are not read
 * again. The first may be a prefix of the array: several elements with all that is between them. False, too, when one of them is not where an element of
 * such an array begins. */
struct json_known {
    const struct span *values;
    size_t n;
    size_t prefix; /* the elements that the first one is; 0: one */
};
MUST_CHECK bool json_validate_known(struct span text, struct json_known known, struct error *err);

/* One value inside validated text. raw is its text, including quotes or brackets. */
struct json_value {
    enum json_kind kind;
    struct span raw;
};

/* The value of validated text. */
struct json_value json_root(struct span text);

/* Walks members or elements of an object or array of validated text:
 *     struct json_iterator it = json_iterate(value);
 *     while (json_next(&it, &name, &item)) ...
 * name is undecoded, without quotes; empty in arrays. Other values have no members.
 */
struct json_iterator {
    const char *at, *end;
    bool is_object;
    struct json_known known; /* values inside members that are still to come: they are passed over at once */
};
struct json_iterator json_iterate(struct json_value container);
/* The root of a text that json_validate_known has accepted with these. */
struct json_iterator json_iterate_known(struct span text, struct json_known known);
bool json_next(struct json_iterator *it, struct span *name, struct json_value *item);

/* Walks validated text flat, container by container, in one pass however deep it nests. */
enum json_token_kind {
    JSON_TOKEN_OPEN,  /* of an array or object: value.raw is only the bracket */
    JSON_TOKEN_CLOSE, /* the same */
    JSON_TOKEN_NAME,  /* value is the name as a string, including quotes */
    JSON_TOKEN_VALUE  /* a value that is not a container, or a known one as a whole */
};
struct json_token {
    enum json_token_kind kind;
    struct json_value value;
    size_t n; /* 1, or the elements of a known prefix */
};
struct json_walk {
    const char *at, *end;
    struct json_known known; /* those that are still to come */
};
struct json_walk json_walk(struct span text);
/* Of a text that json_validate_known has accepted with these: their kind is OBJECT. */
struct json_walk json_walk_known(struct span text, struct json_known known);
bool json_walk_next(struct json_walk *walk, struct json_token *token);

/* The decoded string: borrowed from the text when it has no escapes, otherwise in the arena. */
MUST_CHECK bool json_unquote(struct arena *a, struct json_value string, struct span *out,
                             struct error *err);
/* The same for a raw member name (no quotes). */
MUST_CHECK bool json_unescape(struct arena *a, struct span raw, struct span *out,
                              struct error *err);

/* The length of the longest prefix of any text that is valid UTF-8 without control characters, '"' and '\\'. */
size_t json_plain_prefix(struct span text);

/* Appends a quoted string. Each byte of ill-formed UTF-8 in `text` becomes U+FFFD, so the output is
 * always valid. The buffer is unchanged on failure. */
MUST_CHECK bool json_append_string(struct buf *out, struct span text, struct error *err);

#endif
