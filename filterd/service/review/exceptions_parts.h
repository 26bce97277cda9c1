/* exceptions_parts.h - internal to exceptions*.c: the scope of a proposal, and the file of live exceptions. */
#ifndef FILTERD_SERVICE_REVIEW_EXCEPTIONS_PARTS_H
#define FILTERD_SERVICE_REVIEW_EXCEPTIONS_PARTS_H

#include "service/access.h"
#include "service/review/exceptions.h"

/* Sets status and detail; returns false. */
bool exceptions_refuse(struct exception_answer *out, unsigned status, const char *detail);
bool exceptions_refuse_error(struct exception_answer *out, const struct error *err);

/* A proposal, by whom, and where a refusal goes. */
struct exception_request {
    struct service *service;
    const struct caller *caller;
    const struct exception_proposal *proposal;
    struct arena *memory;
    struct exception_answer *out;
};

/* The proposal's scope with its preview, and the redacted `why`, in the arena. False: refused. */
MUST_CHECK bool exceptions_scope(const struct exception_request *r, struct exception_scope *scope, struct span *why);

#endif
