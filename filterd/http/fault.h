/* fault.h - the reason why a request is refused: a status, a sentence, the place in the body. */
#ifndef FILTERD_HTTP_FAULT_H
#define FILTERD_HTTP_FAULT_H

#include "http/filter_request.h"

/* Returns false, so that `return fault_set(...)` leaves a function. The sentence never quotes the
 * input. */
bool fault_set(struct filter_fault *fault, unsigned status, const char *pointer, const char *format,
               ...) __attribute__((format(printf, 4, 5)));

/* 422 for an unknown member, with `expected` as the sentence. Shows the member's name only if it is short and consists of
 * letters and underscores, unlike keys and numbers. Returns false. */
bool fault_set_unknown(struct filter_fault *fault, struct span name, const char *expected);

/* Sets the fault for an error of an allocation: a limit is the client's fault, other errors are not. Returns false. */
bool fault_set_error(struct filter_fault *fault, const struct error *err);

#endif
