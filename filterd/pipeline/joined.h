/* joined.h - parts of one message, searched once more as one text.
 *
 * Clients join them, so a value may begin in one and end in another. What is found over a joint becomes a finding of each part that it
 * reaches into; what lies in one part is that part's affair. */
#ifndef FILTERD_PIPELINE_JOINED_H
#define FILTERD_PIPELINE_JOINED_H

#include "judge/exchange.h"
#include "judge/find.h"

/* Adds to the list, which needs to be settled then. Of a request nothing is joined: what it says in parts a conversation says again with
 * each turn. */
MUST_CHECK bool joined_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err);

#endif
