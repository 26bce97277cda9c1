/* notice.h - verdicts that come late, posted to the webhook of the supervisors file.
 *
 * At most NOTICES_MAX at a time and no second try: what matters is in the record. */
#ifndef FILTERD_SUPERVISOR_LLM_NOTICE_H
#define FILTERD_SUPERVISOR_LLM_NOTICE_H

#include "supervisor-llm/supervisor_parts.h"

enum { NOTICES_MAX = 64 };

/* The supervisor's thread. Takes the body over. */
void notice_begin(struct supervisor *s, struct buf *body);
/* Gives up what is under way. */
void notice_stop(struct supervisor *s);

#endif
