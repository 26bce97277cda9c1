/* form_data.h - multipart/form-data (RFC 7578, RFC 2046) as bytes: the parts of a whole body.
 *
 * Strict, as every reader of a body must see the same parts: no text before the first delimiter or after the last, lines end in
 * CRLF, a delimiter stands nowhere else, not even behind a bare line feed. A part has one Content-Disposition, form-data with a
 * name, and perhaps a Content-Type, a Content-Length and a Content-Transfer-Encoding that encodes nothing; no other header, which
 * RFC 7578 has receivers ignore. Names and file names have no escapes: a backslash or a quote in them is refused.
 *
 * Everything borrows from the body. Pure; any thread. */
#ifndef FILTERD_FORMATS_FORM_DATA_H
#define FILTERD_FORMATS_FORM_DATA_H

#include "base/arena.h"
#include "base/span.h"

enum {
    FORM_PARTS_MAX = 1024,
    FORM_HEAD_MAX = 8192,   /* bytes of a part's headers */
    FORM_BOUNDARY_MAX = 70, /* RFC 2046, 5.1.1 */
};

struct form_part {
    struct span name;
    struct span file;          /* its file name, between the quotes; ptr NULL: it is no file */
    struct span extended_file; /* filename* as it is written (RFC 8187); ptr NULL: there is none */
    struct span type;          /* Content-Type; ptr NULL: there is none */
    struct span length;        /* Content-Length, any digits; ptr NULL: there is none */
    struct span body;
};

/* The parameter `boundary` of a Content-Type multipart/form-data. False: it is another type, or has none that is valid. */
bool form_boundary(struct span content_type, struct span *boundary);

/* The parameter `charset` of a part's type; empty: it has none. False: it has two, or what is behind the type is no parameter. */
bool form_charset(struct span type, struct span *charset);

/* *parts are in the arena. INVALID with what was expected, LIMIT or NO_MEMORY. */
MUST_CHECK bool form_read(struct arena *a, struct span boundary, struct span body, struct form_part **parts, size_t *n,
                          struct error *err);

#endif
