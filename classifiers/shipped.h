/* shipped.h - the built-in classifiers. */
#ifndef FILTERD_CLASSIFIERS_SHIPPED_H
#define FILTERD_CLASSIFIERS_SHIPPED_H

#include "scan/classifier.h"

/* The first call opens them; they are never closed, because rule sets that use them outlive the caller. NULL-terminated. NULL
 * with err when a model is invalid. Thread-safe. */
const struct classifier *const *classifiers_shipped(struct error *err);

#endif
