/* verdicts.h - rows of verdicts as an Arrow array of structs, in the form that filterd.h states. */
#ifndef FILTERD_LIBRARY_VERDICTS_H
#define FILTERD_LIBRARY_VERDICTS_H

#include "library/arrow_node.h"
#include "library/rows.h"

struct verdicts_form {
    bool with_text;
    bool has_large_text; /* large_utf8 instead of utf8 */
};

/* Takes the columns of `rows`, which are to be deinitialised all the same. */
MUST_CHECK bool verdicts_node(struct arrow_node *out, const struct filterd_engine *engine, struct rows *rows,
                              const struct verdicts_form *form, struct error *err);

#endif
