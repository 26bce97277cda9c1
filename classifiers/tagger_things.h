/* tagger_things.h - things whose names look like those of persons: programs, languages, types of programs.
 *
 * For judging alone. Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_THINGS_H
#define FILTERD_CLASSIFIERS_TAGGER_THINGS_H

#include "base/span.h"

/* Whether the bytes from..to of a line are the name of a thing: its last word says so (`Vala Binding`, `Olm Server`), or it is a language,
 * a company that is called after several persons, a word with a version (`Borland v4.5`) or behind `GNU/`, a type in a signature (`f :: Nat -> Pat`),
 * or what a page of HTML marks as code. */
bool tagger_is_thing(struct span line, size_t from, size_t to);

#endif
