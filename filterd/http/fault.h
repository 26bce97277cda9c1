/* fault.h - says why a request is refused: a status, a sentence of ours, where in the body. */
#ifndef FILTERD_HTTP_FAULT_H
#define FILTERD_HTTP_FAULT_H

#include "http/filter_request.h"

/* Returns false, so that `return fault_set(...)` leaves a function. The sentence never quotes the
 * input. */
bool fault_set(struct filter_fault *fault, unsigned status, const char *pointer, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* 422 for a member that is not known, with `expected` as the sentence. Its name is shown where it is short and of letters
 * and underscores alone: what it looks like no key or number does. Likewise returns false. */
bool fault_set_unknown(struct filter_fault *fault, struct span name, const char *expected);

/* Of an allocation: a limit is the client's doing, the rest is ours. Likewise returns false. */
bool fault_set_error(struct filter_fault *fault, const struct error *err);

#endif
