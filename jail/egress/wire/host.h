/* host.h - host names in one canonical form: the checked text is the text that is resolved.
 *
 * A name is 1 to 253 bytes of labels of a-z, 0-9 and '-' (RFC 1123), lower case, without a dot at the
 * end; an address is a dotted quad of four decimal numbers or an IPv6 address, written the one way
 * inet_ntop writes it. Everything else is an error: an underscore, a byte that is not
 * ASCII, a NUL, "%2e", a name whose last label is a number ("127.1", "0x7f000001"), a zone. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_HOST_H
#define FILTERD_JAIL_EGRESS_WIRE_HOST_H

#include "base/error.h"
#include "base/span.h"

enum { EGRESS_HOST_MAX = 253, EGRESS_LABEL_MAX = 63 };

enum egress_host_kind { EGRESS_HOST_NAME, EGRESS_HOST_V4, EGRESS_HOST_V6 };

struct egress_host {
    enum egress_host_kind kind;
    char text[EGRESS_HOST_MAX + 1]; /* an IPv6 address without brackets */
};

/* A host, or any name below one: "*.suffix", which does not match the suffix itself. */
struct egress_host_pattern {
    bool is_suffix;
    struct egress_host host; /* without "*." */
};

/* As in a URL: an IPv6 address in brackets. INVALID when it is not a host. */
MUST_CHECK bool egress_host_read(struct span text, struct egress_host *out, struct error *err);
/* A star is alone before a suffix of at least two labels. */
MUST_CHECK bool egress_host_pattern_read(struct span text, struct egress_host_pattern *out, struct error *err);

bool egress_host_equal(const struct egress_host *a, const struct egress_host *b);
bool egress_host_matches(const struct egress_host_pattern *pattern, const struct egress_host *host);

#endif
