/* via.h - a rule's traffic through filterd's reverse proxy, which judges and masks requests to language models.
 *
 * "http://127.0.0.1:8470/openai": where filterd listens, and the name of the upstream there (filterd-upstreams(5)). Plain
 * http is for loopback addresses alone; with https filterd's certificate is verified. The jail speaks to its provider and does
 * not know of filterd: the egress proxy writes the address and the headers that name the caller. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_VIA_H
#define FILTERD_JAIL_EGRESS_VIA_H

#include <stdint.h>

#include "base/buf.h"
#include "jail/egress/wire/host.h"

enum egress_scheme { EGRESS_HTTP, EGRESS_HTTPS };

struct egress_via {
    enum egress_scheme scheme;
    struct egress_host host;
    uint16_t port;    /* 0: the rule's requests go to their hosts */
    struct span path; /* "/openai", before the path of the request; part of the text that was read */
};

static inline bool egress_via_is_set(const struct egress_via *v)
{
    return v->port != 0;
}

/* INVALID, naming what was expected. `out` borrows from the text. */
MUST_CHECK bool egress_via_read(struct span text, struct egress_via *out, struct error *err);

/* True for headers by which filterd learns who calls: what the jail says there is dropped. */
bool egress_via_drops(struct span name);

/* Who calls, for the record and the masking of filterd. */
struct egress_caller {
    const char *agent;   /* NULL: none */
    const char *session; /* one for each jail, so that a value keeps its pseudonym */
};

/* False when a name has bytes that a header must not have. */
MUST_CHECK bool egress_caller_check(const struct egress_caller *caller, struct error *err);
/* Appends the headers X-Filterd-Agent and X-Filterd-Session. */
MUST_CHECK bool egress_via_write(const struct egress_caller *caller, struct buf *out, struct error *err);

#endif
