/* anthropic.h - the blocks of a message, shared by its two forms: events and one body. */
#ifndef FILTERD_PROTOCOL_DIALECTS_ANTHROPIC_H
#define FILTERD_PROTOCOL_DIALECTS_ANTHROPIC_H

#include "protocol/dialect.h"

enum block_kind { BLOCK_PLAIN, BLOCK_THINKING, BLOCK_CALL, BLOCK_OTHER };

bool anthropic_is_call(const struct node *block);
/* Whether the notice is a block of text; else the explanation of the refusal has it, which a message with calls is not. */
bool anthropic_notice_is_text(const struct translation *t, bool is_behind, bool has_call);
/* Marks the answer as filtered in `reason_of`, a message or a delta. */
MUST_CHECK bool anthropic_put_refusal(struct translation *t, struct node *reason_of,
                                      struct error *err);

MUST_CHECK bool anthropic_event(struct translation *t, struct node *root, struct error *err);
MUST_CHECK bool anthropic_close(struct translation *t, enum closing why, struct error *err);

#endif
