/* notice.h - posts late verdicts to the webhook of the supervisors file.
 *
 * At most NOTICES_MAX at a time, without retries: the record has every verdict. */
#ifndef FILTERD_SUPERVISOR_LLM_NOTICE_H
#define FILTERD_SUPERVISOR_LLM_NOTICE_H

#include "supervisor-llm/supervisor_parts.h"

enum { NOTICES_MAX = 64 };

/* Call it from the supervisor's thread. Takes the body over. */
void notice_begin(struct supervisor *s, struct buf *body);
/* Abandons active posts. */
void notice_stop(struct supervisor *s);

#endif
