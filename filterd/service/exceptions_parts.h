/* exceptions_parts.h - for exceptions*.c alone: the scope of a proposal, and the file of those in force. */
#ifndef FILTERD_SERVICE_EXCEPTIONS_PARTS_H
#define FILTERD_SERVICE_EXCEPTIONS_PARTS_H

#include "service/access.h"
#include "service/exceptions.h"

/* False, with the status and a detail. */
bool exceptions_refuse(struct exception_answer *out, unsigned status, const char *detail);
bool exceptions_refuse_error(struct exception_answer *out, const struct error *err);

/* The scope that is meant, with its preview, and what may be on record of `why`, in the arena. False: refused. */
MUST_CHECK bool exceptions_scope(struct service *s, const struct caller *c, const struct exception_proposal *p, struct arena *memory,
                                 struct exception_scope *scope, struct span *why, struct exception_answer *out);

/* Writes those that apply, but `without` (ptr NULL: all of them). *is_changed: the file was another. */
MUST_CHECK bool exceptions_write_live(struct service *s, struct span without, bool *is_changed, struct error *err);

#endif
