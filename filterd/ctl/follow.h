/* follow.h - a text that is still being written: from standard input to standard output as it
 * comes.
 *
 * What no rule can touch any more is written before more is waited for. A block ends the output
 * where it is; what was written until then is a prefix of what the whole text would have given.
 * SIGINT and SIGTERM end the text there: what may leave is written, then the signal takes its
 * course. Also ends when the reader of the output has closed it. */
#ifndef FILTERD_CTL_FOLLOW_H
#define FILTERD_CTL_FOLLOW_H

#include "ctl/session.h"

/* True when standard input is no plain file, so that more of it may come later. */
bool follow_is_due(void);

/* Returns the program's exit code; says on stderr why a text ended early. */
int follow_redact(const struct session *s, struct worker *w);

#endif
