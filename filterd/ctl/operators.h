/* operators.h - a question to a running filterd, at its operators' listener. */
#ifndef FILTERD_CTL_OPERATORS_H
#define FILTERD_CTL_OPERATORS_H

#include <jansson.h>

#include "ctl/options.h"

/* Asks GET or POST `path`, from --operators and --token. The answer's JSON, the caller's to release; NULL with err: what
 * was refused, with its detail, is NOT_FOUND for 404, DENIED for 401 and 403, INVALID for the rest. */
json_t *operators_ask(const struct arguments *args, const char *method, const char *path, struct error *err);
/* The same for a POST with a body of JSON. */
json_t *operators_send(const struct arguments *args, const char *path, const char *body, struct error *err);
/* The same, but the answer as it is: an object of JSON in `out`, which is empty before. jansson reads no "\u0000", and no number of
 * any size. */
MUST_CHECK bool operators_post(const struct arguments *args, const char *path, const char *body, struct buf *out, struct error *err);
/* The same as operators_ask for an answer that is text: its bytes go into `out`, which is empty before. */
MUST_CHECK bool operators_read(const struct arguments *args, const char *path, struct buf *out, struct error *err);
/* Prints an answer as JSON with one member a line; returns `code`, or EXIT_FAILED. */
int operators_print(const json_t *answer, int code);
/* Appends one part of a path, percent-encoded. */
MUST_CHECK bool operators_append(struct buf *out, const char *text, struct error *err);
/* Appends "?name=value", or "&name=value" where `path` has a query; the value is encoded. NULL appends nothing. */
MUST_CHECK bool operators_add(struct buf *path, const char *name, const char *value, struct error *err);

#endif
