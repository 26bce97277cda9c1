/* openai.h - the kinds of answer of the OpenAI API. */
#ifndef FILTERD_PROTOCOL_DIALECTS_OPENAI_H
#define FILTERD_PROTOCOL_DIALECTS_OPENAI_H

#include "protocol/dialect.h"

extern const struct dialect openai_chat, openai_completions, openai_responses, openai_realtime, openai_events, openai_assistants;

enum { OPENAI_CHAT_ROWS = 90, OPENAI_COMPLETIONS_ROWS = 23, OPENAI_RESPONSES_ROWS = 148 };
extern const struct leaf_row openai_chat_rows[OPENAI_CHAT_ROWS], openai_completions_rows[OPENAI_COMPLETIONS_ROWS],
    openai_responses_rows[OPENAI_RESPONSES_ROWS];

/* A new chunk with one choice, *in. */
struct node *openai_choice_event(struct translation *t, size_t choice, struct node **in,
                                 struct error *err);
/* Removes the pieces of calls from a choice's delta and holds them. */
MUST_CHECK bool openai_hold_calls(struct translation *t, size_t choice, struct node *delta,
                                  struct error *err);
/* Writes the permitted calls in one chunk; the part has whether any was written, and any omitted.
 */
MUST_CHECK bool openai_release_calls(struct translation *t, struct part *p, bool is_cut,
                                     struct error *err);

/* --- logprobs.c --- */
/* Holds the log probabilities of a text before it is judged: an array of tokens, or NULL. */
void logprobs_hold(struct translation *t, struct logprobs *l, const struct node *tokens);
/* Those whose text was released unchanged, as a JSON array of tokens; empty: none. For an answer in one body all or none.
 * `json` lives as long as the current message. */
MUST_CHECK bool logprobs_take(struct translation *t, struct logprobs *l, struct span released, struct span *json,
                              struct error *err);
/* Sets that array as a member, replacing one of that name. */
MUST_CHECK bool logprobs_add(struct translation *t, struct node *to, const char *name, struct span json, struct error *err);
/* For an object with a copy of a text: keeps its member "logprobs" if the tokens are exactly the released text, and drops it
 * otherwise. */
MUST_CHECK bool logprobs_keep(struct translation *t, struct node *in, struct span released, struct error *err);

/* Holds those of a choice, in the form of its dialect. */
MUST_CHECK bool logprobs_hold_choice(struct translation *t, struct part *p, const struct node *choice, struct error *err);
/* Puts those that may be released now into a choice. */
MUST_CHECK bool logprobs_put_choice(struct translation *t, size_t index, struct node *choice, struct error *err);

#endif
