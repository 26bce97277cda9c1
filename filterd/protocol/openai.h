/* openai.h - the kinds of answer of the OpenAI API. */
#ifndef FILTERD_PROTOCOL_OPENAI_H
#define FILTERD_PROTOCOL_OPENAI_H

#include "protocol/dialect.h"

extern const struct dialect openai_chat, openai_completions, openai_responses;

enum { OPENAI_CHAT_ROWS = 88, OPENAI_COMPLETIONS_ROWS = 21, OPENAI_RESPONSES_ROWS = 135 };
extern const struct leaf_row openai_chat_rows[OPENAI_CHAT_ROWS], openai_completions_rows[OPENAI_COMPLETIONS_ROWS],
    openai_responses_rows[OPENAI_RESPONSES_ROWS];

/* A chunk of ours with one choice in it, *in. */
struct node *openai_choice_event(struct translation *t, size_t choice, struct node **in,
                                 struct error *err);
/* Takes the pieces of calls out of a choice's delta. */
MUST_CHECK bool openai_hold_calls(struct translation *t, size_t choice, struct node *delta,
                                  struct error *err);
/* Writes the calls that may leave, in one chunk; the part says whether any did, and was left out.
 */
MUST_CHECK bool openai_release_calls(struct translation *t, struct part *p, bool is_cut,
                                     struct error *err);

/* --- logprobs.c --- */
/* Keeps the log probabilities of a choice before its text is judged. */
void logprobs_hold(struct translation *t, struct part *p, const struct node *choice);
/* Puts back those whose text has left unchanged; of an answer in one body all or none. */
MUST_CHECK bool logprobs_put(struct translation *t, struct part *p, struct node *choice, struct error *err);

#endif
