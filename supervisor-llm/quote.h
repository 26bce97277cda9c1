/* quote.h - the judged text as a prompt may carry it, and the way back.
 *
 * Servers turn a chat into one string by a template of control tokens (<|im_start|>, [INST],
 * <start_of_turn>, </s> …), and many read such tokens in a message's content, too. So a space is
 * put behind each "<" and "[" with which one could begin: whatever the template, none survives. The
 * text keeps its meaning, and every byte of the quoted copy has its place in the text. */
#ifndef FILTERD_SUPERVISOR_LLM_QUOTE_H
#define FILTERD_SUPERVISOR_LLM_QUOTE_H

#include "base/buf.h"

/* Appends the quoted copy. */
MUST_CHECK bool quote_append(struct buf *out, struct span text, struct error *err);
/* Where the byte of the text stands that is at `at` of the quoted copy; a space that was put in
 * counts as what is behind it. */
size_t quote_origin(struct span text, size_t at);

#endif
