/* values.h - unknown values of a stream: held, and judged at the end of their part, as one text at each place. */
#ifndef FILTERD_PROTOCOL_VALUES_H
#define FILTERD_PROTOCOL_VALUES_H

#include "protocol/translation.h"

/* Makes an event without a value wait, too, if an earlier one waits. */
MUST_CHECK bool values_keep_order(struct translation *t, struct node *root, struct error *err);
/* Removes waiting parts from the message; *is_gone: all of it was removed. */
MUST_CHECK bool values_detach(struct translation *t, struct node *root, bool *is_gone,
                              struct error *err);
/* Judges the values at each place of a part (SIZE_MAX: of all) as one text, and writes waiting messages; values in the
 * current message remain there. */
MUST_CHECK bool values_end(struct translation *t, size_t part, enum stream_ending how,
                           struct error *err);
/* None of that part waits any more; SIZE_MAX: of all parts. */
void values_forget(struct translation *t, size_t part);
void values_free(struct translation *t);

#endif
