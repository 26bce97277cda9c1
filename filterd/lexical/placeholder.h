/* placeholder.h - tells what is in a secret's place from a secret. */
#ifndef FILTERD_LEXICAL_PLACEHOLDER_H
#define FILTERD_LEXICAL_PLACEHOLDER_H

#include "base/span.h"

/* Any of the forms below, a mask, a marker (EXAMPLE, your_…), nothing but filler words, or the header of a JWT without its
 * claims and signature. */
bool placeholder_is(struct span text);
/* A variable to be filled in: <…>, ${…}, {{…}}, {name}, %s, $NAME, %NAME%, [NAME]. */
bool placeholder_is_template(struct span text);
/* Characters in an order that random generation does not give: repeats, alphabet, digits, keyboard. */
bool placeholder_is_pattern(struct span text);

#endif
