/* answer_shape.h - the shape of a verdict, in the formats that servers accept. */
#ifndef FILTERD_SUPERVISOR_LLM_ANSWER_SHAPE_H
#define FILTERD_SUPERVISOR_LLM_ANSWER_SHAPE_H

#include "base/buf.h"

/* Appends a JSON schema for strict mode: all members required, no others. */
MUST_CHECK bool answer_shape_schema(unsigned categories, struct buf *out, struct error *err);
/* Appends the same as a grammar in GBNF, as a JSON string. */
MUST_CHECK bool answer_shape_grammar(unsigned categories, struct buf *out, struct error *err);

#endif
