/* client_hello.h - the server name in a TLS client hello (RFC 8446, 4.1.2; RFC 6066, 3).
 *
 * Reads the first handshake message from the raw records, with a limit. Refuses a hello whose name is
 * hidden or ambiguous: no server name, more than one, an invalid host, an encrypted
 * client hello (also the empty one that browsers send), SSL 2. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_CLIENT_HELLO_H
#define FILTERD_JAIL_EGRESS_WIRE_CLIENT_HELLO_H

#include "jail/egress/wire/host.h"

enum { EGRESS_HELLO_MAX = 16 * 1024, EGRESS_HELLO_RECORDS_MAX = 64 };

/* *is_whole is false when more bytes are needed, and then *host is untouched. MALFORMED when the bytes are not a hello, DENIED
 * when its name is hidden or ambiguous. */
MUST_CHECK bool egress_client_hello_read(struct span bytes, bool *is_whole, struct egress_host *host,
                                         struct error *err);

#endif
