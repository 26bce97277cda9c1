/* json_shape.h - reads just enough of a JSON text to tell an object from other bytes.
 *
 * RFC 8259 by structure: literals and numbers are read loosely, strings by their escapes, nesting
 * up to JSON_DEPTH_MAX. Nothing is allocated. */
#ifndef FILTERD_FORMATS_JSON_SHAPE_H
#define FILTERD_FORMATS_JSON_SHAPE_H

#include "base/span.h"

enum { JSON_DEPTH_MAX = 64 };

/* True when text, white space around it apart, is one object. */
bool json_is_object(struct span text);
/* Of a text that is one object: its member at the top level. *value is the text of the value, a
 * string's without its quotes (escapes stay as they are). */
bool json_member(struct span object, struct span key, struct span *value);

#endif
