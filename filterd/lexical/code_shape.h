/* code_shape.h - tells names, calls, paths, types and prose from values.
 *
 * What is behind `password =` in code is seldom a password: it is a variable, a call, a lookup,
 * a type. All of these are made of words; secrets are not. */
#ifndef FILTERD_LEXICAL_CODE_SHAPE_H
#define FILTERD_LEXICAL_CODE_SHAPE_H

#include "base/span.h"

bool code_shape_is(struct span text);

#endif
