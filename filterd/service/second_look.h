/* second_look.h - the supervisor is asked about what was delivered already, and what comes of it.
 *
 * The verdict is recorded (type second-look), counted against the agent, and posted to the webhook. */
#ifndef FILTERD_SERVICE_SECOND_LOOK_H
#define FILTERD_SERVICE_SECOND_LOOK_H

#include "service/service.h"

/* Of an exchange that was judged by that worker; asks when its policy says so. Best effort: a
 * service without room or without a supervisor skips it. */
void second_look_begin(struct service *s, struct worker *w, const struct exchange *x);

#endif
