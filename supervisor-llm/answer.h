/* answer.h - a supervisor's answer, read strictly: anything but the agreed shape is no answer.
 *
 * The body is a chat completion (OpenAI's API). Its first choice must have ended by itself, and its
 * content must be one JSON object of exactly five members (answer_shape.h), in agreement with each
 * other: a violation has a category that was asked about and evidence, "ok" has neither. Every
 * piece of evidence must occur in the text as it was quoted. Any trace of the prompt's marks is an
 * echo, whatever else the answer says. The model has read hostile text: nothing it writes is
 * trusted further than this. */
#ifndef FILTERD_SUPERVISOR_LLM_ANSWER_H
#define FILTERD_SUPERVISOR_LLM_ANSWER_H

#include "supervisor-llm/prompt.h"

enum { ANSWER_EVIDENCE_MIN = 4, ANSWER_EVIDENCE_BYTES = 2000, ANSWER_REASON_BYTES = 4000 };

struct answer_question {
    const struct prompt_marks *marks;
    unsigned categories; /* that were asked about */
    struct span text;    /* that was judged */
};

/* Sets outcome and, of an answer, verdict, category, confidence, evidence, reason; and the tokens
 * where the body has them. The rest of *out stays as it is. Pure; scratch memory is the arena's, and
 * without room there the answer is MALFORMED. */
void answer_read(struct arena *a, struct span body, const struct answer_question *q, struct supervision *out);

#endif
