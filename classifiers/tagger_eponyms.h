/* tagger_eponyms.h - what is called after a person: a method, a museum, a book of the Bible.
 *
 * For judging alone. Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_EPONYMS_H
#define FILTERD_CLASSIFIERS_TAGGER_EPONYMS_H

#include "base/span.h"

/* Whether what stands behind the bytes from..to of a line says that they are part of such a name: a word for a method behind one
 * surname or several joined by hyphens (`Hilbert curve`, `Canny's algorithm`), a house that is called so (`Peabody Museum`), or a chapter
 * and a verse behind a book of the Bible (`John 3:16`). */
bool tagger_is_eponym(struct span line, size_t from, size_t to);

#endif
