/* embedded.h - the models that the program was built with. */
#ifndef FILTERD_CLASSIFIERS_EMBEDDED_H
#define FILTERD_CLASSIFIERS_EMBEDDED_H

#include "classifiers/model.h"

struct embedded_model {
    const char *name; /* of the file, without its ending */
    const char *begin, *end;
};

/* By classifiers/embed, at build time. */
extern const struct embedded_model embedded_models[];
extern const unsigned embedded_model_count;

/* classifiers/models/<name>.bin as it was at build time, checked. */
struct model *model_embedded(const char *name, const char *kind, struct error *err);

#endif
