/* client_hello.h - the name that a TLS client asks for (RFC 8446, 4.1.2; RFC 6066, 3).
 *
 * Reads the first handshake message from the records as they came, bounded. A hello whose name is
 * hidden or ambiguous is refused: no server name, more than one, an invalid host, an encrypted
 * client hello (also one that browsers send to say nothing), SSL 2. Any thread. */
#ifndef FILTERD_JAIL_EGRESS_WIRE_CLIENT_HELLO_H
#define FILTERD_JAIL_EGRESS_WIRE_CLIENT_HELLO_H

#include "jail/egress/wire/host.h"

enum { EGRESS_HELLO_MAX = 16 * 1024, EGRESS_HELLO_RECORDS_MAX = 64 };

/* What bytes hold a hello at most, with its records' heads. */
enum { EGRESS_HELLO_BYTES_MAX = EGRESS_HELLO_MAX + 5 * EGRESS_HELLO_RECORDS_MAX };

/* *is_whole is false when more bytes must come, and then *host is untouched. MALFORMED for what is no hello, DENIED
 * for one that does not say plainly where it goes. */
MUST_CHECK bool egress_client_hello_read(struct span bytes, bool *is_whole, struct egress_host *host,
                                         struct error *err);

#endif
