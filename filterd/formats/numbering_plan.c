#include "formats/numbering_plan.h"

enum { LEAD_DIGITS = 2, LENGTH_MAX = 15 };

/* Index of the first row of the code, or of one behind it. */
static size_t first_row(unsigned code)
{
    size_t low = 0;
    size_t high = numbering_rows_n;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (numbering_rows[middle].code < code) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

bool numbering_plan_has(unsigned code, const uint8_t *national, size_t n)
{
    if (n < LEAD_DIGITS || n > LENGTH_MAX) {
        return false;
    }
    unsigned lead = national[0] * 10u + national[1];
    for (size_t i = first_row(code); i < numbering_rows_n && numbering_rows[i].code == code; i++) {
        const struct numbering_row *row = &numbering_rows[i];
        if (lead >= row->first && lead <= row->last) {
            return (row->lengths >> n & 1) != 0;
        }
    }
    return false;
}
