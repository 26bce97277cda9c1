/* media_type.h - parses Content-Type and Accept. */
#ifndef FILTERD_HTTP_MEDIA_TYPE_H
#define FILTERD_HTTP_MEDIA_TYPE_H

#include "base/span.h"

/* Compares the type, ignoring parameters. */
bool media_type_is(struct span value, const char *type);
/* True for charset UTF-8 or none; filterd would misread text in another one. */
bool media_type_is_utf8(struct span value);

#endif
