/* web_url.h - the host that a browser goes to for a URL, as the WHATWG URL Standard reads it on an https page.
 *
 * So tabs and line ends are taken out, control characters around are, too, a backslash is a slash, more or fewer than two
 * slashes are two, and what is before the last @ of the authority is a user. Where browsers differ the answer is the one
 * that names a host, or none that can be trusted. */
#ifndef FILTERD_FORMATS_WEB_URL_H
#define FILTERD_FORMATS_WEB_URL_H

#include "base/arena.h"

enum web_url_kind {
    WEB_URL_INVALID,  /* a host that has no valid form */
    WEB_URL_SCHEME,   /* a scheme that names no host: javascript:, data:, ... */
    WEB_URL_HOST,     /* of a mailto: with header fields, too: that of its only address */
    WEB_URL_RELATIVE, /* a path, a query or a fragment: of the page's own host */
    WEB_URL_CONTACT,  /* mailto: without header fields and tel: with a number, which load and carry nothing */
};

struct web_url {
    enum web_url_kind kind;
    struct span host; /* HOST: lower case, ASCII by IDNA 2008, without port and a dot at the end */
};

/* The text has its escapes undone, but for percent escapes. Memory is the arena's. False: out of memory. */
MUST_CHECK bool web_url_read(struct arena *a, struct span text, struct web_url *out, struct error *err);

/* The host as web_url_read gives it: percent escapes undone, IDNA, lower case. An empty one has no valid form. */
MUST_CHECK bool web_url_host(struct arena *a, struct span host, struct span *out, struct error *err);

#endif
