#include "classifiers/embedded.h"

struct model *model_embedded(const char *name, const char *kind, struct error *err)
{
    for (unsigned i = 0; i < embedded_model_count; i++) {
        const struct embedded_model *m = &embedded_models[i];
        if (strcmp(m->name, name) == 0) {
            return model_open_bytes(span_of(m->begin, (size_t)(m->end - m->begin)), name, kind, err);
        }
    }
    error_set(err, ERROR_NOT_FOUND, "model %s: not built in", name);
    return NULL;
}
