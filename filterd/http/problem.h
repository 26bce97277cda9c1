/* problem.h - writes an error as application/problem+json (RFC 9457), always in the same shape. */
#ifndef FILTERD_HTTP_PROBLEM_H
#define FILTERD_HTTP_PROBLEM_H

#include "base/buf.h"

/* `detail` is a sentence that must never quote the input; pointer is a JSON pointer or NULL. */
MUST_CHECK bool problem_write(struct buf *out, unsigned status, const char *detail,
                              const char *pointer, struct error *err);

#endif
