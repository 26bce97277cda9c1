/* quote.h - makes the judged text safe for a prompt, and maps places back.
 *
 * Servers turn a chat into one string with a template of control tokens (<|im_start|>, [INST],
 * <start_of_turn>, </s> …), and many also parse such tokens in a message's content. quote_append therefore
 * inserts a space after each "<" and "[" that could begin one, for any template. The
 * text keeps its meaning, and every byte of the quoted copy maps to a byte of the text. */
#ifndef FILTERD_SUPERVISOR_LLM_QUOTE_H
#define FILTERD_SUPERVISOR_LLM_QUOTE_H

#include "base/buf.h"

/* Appends the quoted copy. */
MUST_CHECK bool quote_append(struct buf *out, struct span text, struct error *err);
/* The offset in the text of the byte at `at` of the quoted copy; an inserted space counts as the byte
 * after it. */
size_t quote_origin(struct span text, size_t at);

#endif
