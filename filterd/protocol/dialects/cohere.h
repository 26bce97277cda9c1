/* cohere.h - Cohere's chat in its two forms, events and one body; version 1 is a dialect of its own. */
#ifndef FILTERD_PROTOCOL_DIALECTS_COHERE_H
#define FILTERD_PROTOCOL_DIALECTS_COHERE_H

#include "protocol/dialect.h"

/* Content blocks count from 0; the plan is a part after all of them. */
enum { COHERE_PLAN = TREE_INDEX_MAX + 1 };

extern const struct dialect cohere_v1_chat;
/* A piece of text without a letter: a line that says nothing. */
MUST_CHECK bool cohere_v1_heartbeat(struct translation *t, struct error *err);

/* "ERROR", or the reason that ends a turn. */
const char *cohere_filtered_reason(const struct translation *t);

MUST_CHECK bool cohere_body(struct translation *t, struct node *root, struct error *err);
MUST_CHECK bool cohere_blocked_body(struct translation *t, struct error *err);

#endif
