/* host.h - names of hosts in letters beyond ASCII, as DNS and certificates know them. */
#ifndef FILTERD_FORMATS_HOST_H
#define FILTERD_FORMATS_HOST_H

#include "base/arena.h"

/* "bücher.example" to "xn--bcher-kva.example", by IDNA 2008 with the mapping of UTS 46 (upper case, widths), as browsers
 * do. ASCII names come out in lower case. UTF-8 in; the text lives in the arena. INVALID when there is no such form. */
MUST_CHECK bool host_to_ascii(struct arena *a, const char *host, const char **out, struct error *err);

#endif
