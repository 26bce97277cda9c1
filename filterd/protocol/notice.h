/* notice.h - the notice of a block: where it may be, and its text. */
#ifndef FILTERD_PROTOCOL_NOTICE_H
#define FILTERD_PROTOCOL_NOTICE_H

#include "protocol/translation.h"

bool text_is_at(const struct text *x, const char *path_end);
/* Whether a text of that part (SIZE_MAX: of any) with that end of its path has reached the client. */
bool text_was_shown(const struct translation *t, size_t part, const char *path_end);
/* Whether the notice may be part of the texts; `is_behind`: it follows released text. */
bool notice_is_text(const struct translation *t, bool is_behind);
/* The notice; after a text it begins with a blank line. Lives as long as the current message. */
MUST_CHECK bool notice_make(struct translation *t, bool is_behind, struct span *out, struct error *err);

/* Appends it to the member's text, if it may be there; null becomes a text. */
MUST_CHECK bool notice_join(struct translation *t, struct node *object, const char *member,
                            struct error *err);

#endif
