/* tagger_exceptions.h - what the tagger of names takes for a person's name and is none.
 *
 * For judging alone: training and its figures do without it. Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_EXCEPTIONS_H
#define FILTERD_CLASSIFIERS_TAGGER_EXCEPTIONS_H

#include "base/span.h"

/* Whether the bytes from..to of a line, which are of one finding, are a keyword of programs, part of an attribute's name, of an identifier
 * or of a path of names, called after a person (tagger_eponyms.h), a thing (tagger_things.h), a typeface, or the name of a language model with its version. A name without a version stays one: Claude is a person's, too. */
bool tagger_is_no_name(struct span line, size_t from, size_t to);

#endif
