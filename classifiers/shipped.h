/* shipped.h - the classifiers that the program was built with. */
#ifndef FILTERD_CLASSIFIERS_SHIPPED_H
#define FILTERD_CLASSIFIERS_SHIPPED_H

#include "scan/classifier.h"

/* Opened by the first call, and never closed: rule sets that use them outlive the caller. NULL behind the last. NULL
 * with err when a model is none. Thread-safe. */
const struct classifier *const *classifiers_shipped(struct error *err);

#endif
