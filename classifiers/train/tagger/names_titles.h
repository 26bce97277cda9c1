/* names_titles.h - titles in front of names: President, Mr., DJ.
 *
 * For the training programs. The corpora mark a title with a single name behind it as part of the
 * name three times out of four, and one before a full name mostly not. */
#ifndef FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_TITLES_H
#define FILTERD_CLASSIFIERS_TRAIN_TAGGER_NAMES_TITLES_H

#include "classifiers/train/tagger/names_made.h"

/* How long the title is that the name begins with, with what is before the name itself; 0:
 * none, or nothing else. */
size_t title_length(struct span name);

/* The example with marks that reach over the title before a name of one word. */
struct example with_titles(const struct example *e);

/* A title and the one name behind it. */
void write_titled_name(struct writer *w, const struct people *p);

#endif
