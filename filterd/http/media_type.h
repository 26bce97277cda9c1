/* media_type.h - what a Content-Type or Accept says. */
#ifndef FILTERD_HTTP_MEDIA_TYPE_H
#define FILTERD_HTTP_MEDIA_TYPE_H

#include "base/span.h"

/* The type itself, whatever its parameters. */
bool media_type_is(struct span value, const char *type);
/* Texts are UTF-8; another charset would be judged as what it is not. */
bool media_type_is_utf8(struct span value);

#endif
