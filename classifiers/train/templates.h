/* templates.h - texts of our own making, put together from alternatives: what the public sets do not hold.
 *
 * A file is sections. "== name" begins a list of alternatives, one a line; "{name}" in a line stands for one of them,
 * by chance. "== +refusal -harm 500" begins a list of which 500 texts are made that speak for the one head and against
 * the other. Lines that begin with "# " and empty ones say nothing. A first letter is made a capital one behind ". ". The same
 * file gives the same texts. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TEMPLATES_H
#define FILTERD_CLASSIFIERS_TRAIN_TEMPLATES_H

#include "classifiers/train/corpus.h"

/* Adds what the file makes to the corpus; err names file and line. The recipes are made in the corpus's memory. */
MUST_CHECK bool templates_add(struct corpus *c, const char *path, struct error *err);

#endif
