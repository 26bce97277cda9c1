/* top_level_domains.h - the last label of a domain: countries, and the generic ones in use. */
#ifndef FILTERD_FORMATS_TOP_LEVEL_DOMAINS_H
#define FILTERD_FORMATS_TOP_LEVEL_DOMAINS_H

#include "base/span.h"

/* The label without dot, in any case. International labels (xn--…, other scripts) count. */
bool top_level_domain_is(struct span label);
/* True for a label that ends files or members in code more often than names: py, sh, md, style. */
bool top_level_domain_ends_files(struct span label);

#endif
