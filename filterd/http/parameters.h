/* parameters.h - iterates over the parameters of a request's query. */
#ifndef FILTERD_HTTP_PARAMETERS_H
#define FILTERD_HTTP_PARAMETERS_H

#include <microhttpd.h>

#include "http/fault.h"

/* Takes one parameter. `seen` is for the callee, 0 at first. False: *fault says why. */
typedef bool parameter_fn(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault);

/* Stops at the first fault. */
bool parameters_read(struct MHD_Connection *connection, parameter_fn *take, void *into, struct filter_fault *fault);

#endif
