/* exceptions_parts.h - internal to exceptions*.c: the scope of a proposal, and the file of live exceptions. */
#ifndef FILTERD_SERVICE_REVIEW_EXCEPTIONS_PARTS_H
#define FILTERD_SERVICE_REVIEW_EXCEPTIONS_PARTS_H

#include "service/access.h"
#include "service/review/exceptions.h"

/* Sets status and detail; returns false. */
bool exceptions_refuse(struct exception_answer *out, unsigned status, const char *detail);
bool exceptions_refuse_error(struct exception_answer *out, const struct error *err);

/* The proposal's scope with its preview, and the redacted `why`, in the arena. False: refused. */
MUST_CHECK bool exceptions_scope(struct service *s, const struct caller *c, const struct exception_proposal *p, struct arena *memory,
                                 struct exception_scope *scope, struct span *why, struct exception_answer *out);

#endif
