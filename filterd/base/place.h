/* place.h - values of a configuration file that name a place: a file, or the base of a web service.
 *
 * What is read is copied into the arena, NUL-terminated; an error says what was expected at the value, by the key's
 * name. Any thread. */
#ifndef FILTERD_BASE_PLACE_H
#define FILTERD_BASE_PLACE_H

#include "base/yaml.h"

/* Not empty. Whether it is there is not looked at. */
MUST_CHECK bool place_read_file(struct arena *a, const struct yaml_node *node, const char *key, const char **out,
                                struct error *err);

/* http:// or https://, host, perhaps port and path; slashes at the end are taken off. A user, a query or a fragment is
 * refused: the first would be a credential in every log, to the others nothing could be added. *port is that of the
 * scheme when none is given. A host in other letters than ASCII's ("https://bücher.example") is read as IDNA 2008 has it
 * and comes out as DNS and certificates know it ("xn--bcher-kva.example"). */
MUST_CHECK bool place_read_base(struct arena *a, const struct yaml_node *node, const char *key, const char **out,
                                unsigned *port, struct error *err);

#endif
