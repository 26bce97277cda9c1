/* pem.h - reads armoured keys and certificates as they occur in text: whole or cut off, with real
 * line ends, with \n written out, on one line, quoted, indented, or joined from string literals.
 *
 * Only the front of the body is decoded; that tells a key from what merely is in its place. */
#ifndef FILTERD_FORMATS_PEM_H
#define FILTERD_FORMATS_PEM_H

#include "base/span.h"

enum pem_kind { PEM_OTHER, PEM_PRIVATE, PEM_CERTIFICATE };

struct pem {
    enum pem_kind kind;
    bool is_encrypted; /* by its label or its headers */
    bool is_whole;     /* the end line is there */
    size_t body;       /* characters of base64 */
};

/* True when text begins with armour whose body is what the label says. */
bool pem_parse(struct span text, struct pem *out);

#endif
