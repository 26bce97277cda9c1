/* pattern_program.h - a pattern's tree as the instructions of a non-deterministic automaton (Thompson, 1968).
 *
 * The program matches whatever the tree does, and more: of what is repeated often PROGRAM_COPIES_MAX are counted, and behind them, or
 * where more than PROGRAM_OPTIONAL_MAX may follow the least number, it goes on at will. */
#ifndef FILTERD_REGEX_PATTERN_PROGRAM_H
#define FILTERD_REGEX_PATTERN_PROGRAM_H

#include "regex/pattern_tree.h"

enum { PROGRAM_COPIES_MAX = 12, PROGRAM_OPTIONAL_MAX = 2, PROGRAM_MATCH = 0 };

enum operation { OPERATION_MATCH, OPERATION_CHARACTER, OPERATION_SPLIT };

/* CHARACTER: one of the set `other`, then next. SPLIT: next or other. */
struct instruction {
    uint16_t next, other;
    uint8_t operation;
};

struct pattern_program {
    struct instruction *code; /* the first is the match */
    uint16_t n, start;
};

/* False without memory, or when it is too large; the program is to be freed nevertheless. */
bool pattern_program_make(const struct pattern_tree *tree, struct pattern_program *program);
void pattern_program_deinit(struct pattern_program *program);

#endif
