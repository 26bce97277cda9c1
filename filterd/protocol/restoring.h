/* restoring.h - values in place of the pseudonyms that the request had, in what an answer says. */
#ifndef FILTERD_PROTOCOL_RESTORING_H
#define FILTERD_PROTOCOL_RESTORING_H

#include "protocol/translation.h"

/* Sets whether there are any. */
void restoring_set(struct translation *t);
/* What a text releases, with values for pseudonyms; *text lives as long as the current message. */
MUST_CHECK bool text_restore(struct translation *t, struct text *x, bool is_end, struct span *text, struct error *err);
void text_restore_free(struct text *x);
/* The same for the whole arguments of a call: JSON, or free text. */
MUST_CHECK bool call_restore(struct translation *t, bool is_text, struct span *arguments, struct error *err);
/* A message of the upstream as a tree: tree_read, and its strings may have pseudonyms. */
struct node *said_tree(struct translation *t, struct span json, struct error *err);
/* The same for each string of a message that the upstream said, once; before it is written, to the client or to be kept for it. */
MUST_CHECK bool message_restore(struct translation *t, struct node *root, struct error *err);
/* The same for a text by itself; *text lives as long as the current message. */
MUST_CHECK bool value_restore(struct translation *t, struct span *text, struct error *err);
/* Whether places in the texts are others than in those of the upstream. */
bool text_was_changed(const struct translation *t);

#endif
