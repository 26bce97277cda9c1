/* joins.h - tokens in parts that a renderer, a terminal, a shell, a compiler or a tool joins, and texts of the same looks that
 * hide nothing. */
#ifndef FILTERD_TESTS_SUPPORT_JOINS_H
#define FILTERD_TESTS_SUPPORT_JOINS_H

#include "support/obfuscations.h"

enum { JOINS = 68 };
extern const struct obfuscation joins[JOINS];

/* Each of them is delivered as it is, without a finding that is acted on. */
enum { JOIN_CONTROLS = 27 };
extern const char *const join_controls[JOIN_CONTROLS];

#endif
