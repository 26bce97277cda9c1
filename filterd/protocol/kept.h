/* kept.h - output that waits for the supervisor, and can be dropped. */
#ifndef FILTERD_PROTOCOL_KEPT_H
#define FILTERD_PROTOCOL_KEPT_H

#include "protocol/translation.h"

/* Begins to hold output, before a message. Passes output held earlier to the client, unless it
 * still waits. */
MUST_CHECK bool kept_begin(struct translation *t, struct buf *client, struct error *err);
/* Whether held output, possibly empty, is waiting. */
bool kept_waits(const struct translation *t);
MUST_CHECK bool kept_pass_on(struct translation *t, struct buf *client, struct error *err);
/* Drops it and restores the state that the client has seen. */
MUST_CHECK bool kept_drop(struct translation *t, struct error *err);
void kept_free(struct translation *t);

#endif
