/* trust.h - installs the egress proxy's certificate authority where programs of the jail look for trusted ones.
 *
 * Intercepted TLS has certificates of this authority, other TLS those of the server: programs must trust it in addition to
 * the machine's authorities. The jail gets a file with this one, a file with all, which also replaces the machine's, and
 * variables that name them for programs with their own authorities. */
#ifndef FILTERD_JAIL_ROOT_TRUST_H
#define FILTERD_JAIL_ROOT_TRUST_H

#include "jail/policy/policy.h"

enum { JAIL_TRUST_VARIABLES = 9 };
extern const struct jail_variable jail_trust_variables[JAIL_TRUST_VARIABLES];

/* `root` is the new root, with the machine's /etc/ssl/certs if it has one. Does nothing for an empty PEM. */
MUST_CHECK bool jail_trust_put(int root, const char *pem, struct error *err);

#endif
