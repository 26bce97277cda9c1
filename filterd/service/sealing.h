/* sealing.h - the service seals originals: between verdict and record. */
#ifndef FILTERD_SERVICE_SEALING_H
#define FILTERD_SERVICE_SEALING_H

#include "state/sealer.h"
#include "service/service.h"

/* Opens what sealing needs, once, if a policy of the snapshot seals or an earlier one did, whose keys may be asked for; main
 * thread or under the lock of reloads. */
MUST_CHECK bool sealing_open(struct service *s, const struct snapshot *snapshot, struct error *err);

/* Seals what the policy of a judged exchange wants, and points the exchange to the note, which its record needs. When that
 * fails and the policy does not let the verdict stand, the exchange fails; a block stays what it is. */
void sealing_apply(struct service *s, struct exchange *x, struct sealed_note *note);
/* The same at the end of a stream, whose verdict stands: what it released cannot be taken back. */
void sealing_apply_stream(struct service *s, struct exchange *x, struct sealed_note *note);

#endif
