/* base_url.h - the base of a web service, as a value of a configuration file. */
#ifndef FILTERD_FORMATS_BASE_URL_H
#define FILTERD_FORMATS_BASE_URL_H

#include "base/fields.h"

/* http:// or https://, host, perhaps port and path; slashes at the end are taken off. A user, a query or a fragment is
 * refused: the first would be a credential in every log, to the others nothing could be added. The port is that of the
 * scheme when none is given. A host in other letters than ASCII's ("https://bücher.example") is read as IDNA 2008 has it
 * and comes out as DNS and certificates know it ("xn--bcher-kva.example"). */
extern const struct field_type field_url;

/* Of field_url, two members side by side: const char *url, a NUL-terminated copy, and unsigned port. */
#define FIELD_URL_AT(type, url, port) offsetof(type, url), offsetof(type, port) + sizeof(unsigned) - offsetof(type, url)

#endif
