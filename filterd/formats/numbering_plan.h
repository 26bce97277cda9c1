/* numbering_plan.h - which first digits and lengths the numbering plan behind each country calling code allows.
 *
 * numbering_plan_codes.c is made by make_numbering_plan.py, which names its source. */
#ifndef FILTERD_FORMATS_NUMBERING_PLAN_H
#define FILTERD_FORMATS_NUMBERING_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/span.h"

/* Numbers of the calling code whose first two digits lie within [first, last]. */
struct numbering_row {
    uint16_t code;
    uint8_t first, last;
    uint16_t lengths; /* bit per length of a national number, trunk prefix left out */
};

/* In the order of codes, then of first digits. */
extern const struct numbering_row numbering_rows[];
extern const size_t numbering_rows_n;

/* True when a plan has national numbers that begin and are as long as this one, n digits behind the code. */
bool numbering_plan_has(unsigned code, const uint8_t *national, size_t n);

#endif
