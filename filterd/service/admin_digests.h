/* admin_digests.h - what the record says of the state that the service runs with: policy, tokens, recipients, keys, retention. */
#ifndef FILTERD_SERVICE_ADMIN_DIGESTS_H
#define FILTERD_SERVICE_ADMIN_DIGESTS_H

#include "service/service.h"

/* Puts on record what is other than what the record said last, by digests that tell nothing of keys; `by`: who changed it. The
 * policy's text is kept for the page. Under `reloading` once the service runs. */
MUST_CHECK bool admin_record_state(struct service *s, const struct snapshot *snapshot, const struct tokens *tokens, const char *by,
                                   struct error *err);

#endif
