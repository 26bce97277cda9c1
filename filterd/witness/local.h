/* local.h - the log's own signer: answers requests on a socket until it closes.
 *
 * The socket is SOCK_SEQPACKET. First it sends "key <64 hex digits>\n", the public key, and "next <64 hex digits>\n" while another
 * one follows it; then each datagram is a request of record/add_checkpoint.h with the checkpoint's text alone, of
 * record/manifest_note.h, or "retire\n" (local_keys.h), and the answer "<status>\n" and the body of witness_cosign or
 * witness_sign_manifest. record/signer.h is the other side. */
#ifndef FILTERD_WITNESS_LOCAL_H
#define FILTERD_WITNESS_LOCAL_H

#include "witness/cosign.h"

/* True when the other side closed the socket. */
MUST_CHECK bool witness_serve_local(struct witness *w, int socket, struct error *err);

#endif
