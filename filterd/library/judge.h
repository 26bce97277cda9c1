/* judge.h - one text judged by a worker, for filterd_judge and filterd_judge_arrow. */
#ifndef FILTERD_LIBRARY_JUDGE_H
#define FILTERD_LIBRARY_JUDGE_H

#include "library/engine.h"

/* Judges the text. *x and what it refers to are in the worker's arena, valid until the worker's next text. */
void engine_judge(struct filterd_worker *w, struct span text, struct exchange *x);

/* The number of a rule for callers: FILTERD_NO_RULE for an empty id. A rule of filterd's own is "filterd.unjudged". */
uint32_t engine_rule_number(const struct filterd_engine *engine, struct span id);

/* Why it could not be judged; NULL: it was. */
const char *exchange_error(const struct exchange *x);

#endif
