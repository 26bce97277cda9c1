/* joined.h - parts of one message, searched once more as one text.
 *
 * Clients and models join them, so a value may begin in one and end in another. What is found over a joint becomes a finding of each part
 * that it reaches into; what lies in one part is that part's affair. Of a request only what is near a joint is searched again, where
 * the joint is not known (channel.joint_is_known). */
#ifndef FILTERD_PIPELINE_JOINED_H
#define FILTERD_PIPELINE_JOINED_H

#include "judge/exchange.h"
#include "judge/find.h"

/* Adds to the list, which needs to be settled then. */
MUST_CHECK bool joined_find(struct finder *f, struct exchange *x, struct finding_list *list, struct error *err);

#endif
