/* byte_rows.h - rows of set bits in words that follow each other, as those of byte_class.h do.
 *
 * By doubling, in a number of steps that does not depend on the bits: most words of prose have rows of two and three, and where they end
 * cannot be foreseen. */
#ifndef FILTERD_REGEX_BYTE_ROWS_H
#define FILTERD_REGEX_BYTE_ROWS_H

#include <stdint.h>

enum { BYTE_ROW_STEPS = 6 };

/* Of rows of n: by how much the rows of each step are longer than those of the one before. */
struct byte_row {
    uint8_t more[BYTE_ROW_STEPS];
    uint8_t n_steps;
};

/* n is 1 to 1 << BYTE_ROW_STEPS. */
static inline struct byte_row byte_row_of(unsigned n)
{
    struct byte_row row = {.n_steps = 0};

    for (unsigned len = 1; len < n;) {
        unsigned more = n - len < len ? n - len : len;
        row.more[row.n_steps++] = (uint8_t)more;
        len += more;
    }
    return row;
}

/* Bit i: bits i - n + 1 to i are set, those of the word before included. */
static inline uint64_t byte_rows(uint64_t bits, uint64_t before, const struct byte_row *row)
{
    for (unsigned i = 0; i < row->n_steps; i++) {
        const unsigned more = row->more[i];
        bits &= bits << more | before >> (64 - more);
        before &= before << more;
    }
    return bits;
}

#endif
