/* answer.h - parses a supervisor's answer strictly: any other shape is an error.
 *
 * The body is a chat completion (OpenAI's API). Its first choice must have ended by itself, and its
 * content must be one JSON object of exactly five members (answer_shape.h), in agreement with each
 * other: a violation has a requested category and evidence, "ok" has neither. Every
 * piece of evidence must occur verbatim in the text. Any trace of the prompt's marks is an
 * echo, whatever else the answer contains. The model has read hostile text: the answer is not
 * trusted beyond these checks. */
#ifndef FILTERD_SUPERVISOR_LLM_ANSWER_H
#define FILTERD_SUPERVISOR_LLM_ANSWER_H

#include "supervisor-llm/prompt.h"

enum { ANSWER_EVIDENCE_MIN = 4, ANSWER_EVIDENCE_BYTES = 2000, ANSWER_REASON_BYTES = 4000 };

struct answer_question {
    const struct prompt_marks *marks;
    unsigned categories; /* of the question */
    struct span text;    /* the judged text */
};

/* Sets outcome; for an answer also verdict, category, confidence, evidence and reason; and the tokens
 * if the body has them. Leaves the rest of *out unchanged. Pure; scratch memory is the arena's, and
 * the answer is MALFORMED if that is full. */
void answer_read(struct arena *a, struct span body, const struct answer_question *q, struct supervision *out);

#endif
