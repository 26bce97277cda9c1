/* tagger_no_address.h - what the tagger of addresses takes for an address, a town or a post code and is none.
 *
 * By what stands around it in its line, which no list of expressions over the finding sees. For judging alone. Pure; thread-safe. */
#ifndef FILTERD_CLASSIFIERS_TAGGER_NO_ADDRESS_H
#define FILTERD_CLASSIFIERS_TAGGER_NO_ADDRESS_H

#include "base/span.h"

/* Whether the bytes from..to of a line are among a row of numbers (coordinates of a drawing), the end of a number, of a time, its zone, or the
 * end of a product's name, the number of a chapter or a table, a number in front of a date, words of PostScript, an affix of a spelling checker, or
 * the years of a copyright and whose it is. */
bool tagger_is_no_address(struct span line, size_t from, size_t to);

#endif
