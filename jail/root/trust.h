/* trust.h - the authority of the egress proxy, where programs of the jail look for those they trust.
 *
 * Opened TLS shows certificates of this authority, TLS that is passed through those of the other side: programs trust it
 * besides the machine's. A file of its own, one with all, that one in place of the machine's, and variables that name
 * them for programs that bring authorities of their own. */
#ifndef FILTERD_JAIL_ROOT_TRUST_H
#define FILTERD_JAIL_ROOT_TRUST_H

#include "jail/policy/policy.h"

enum { JAIL_TRUST_VARIABLES = 9 };
extern const struct jail_variable jail_trust_variables[JAIL_TRUST_VARIABLES];

/* `root` is the new root, with the machine's /etc/ssl/certs in it where there is one. An empty PEM: does nothing. */
MUST_CHECK bool jail_trust_put(int root, const char *pem, struct error *err);

#endif
