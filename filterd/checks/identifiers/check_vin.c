#include "checks/checks_table.h"
#include "checks/checksum.h"
#include "lexical/symbols.h"

enum { LENGTH = 17, CHECK = 8, LETTER_X = 33 };

/* 49 CFR 565.15: values of the letters A to Z, 0 for I, O and Q, which are not used. */
static const uint8_t letter_values[26] = {1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4,
                                          5, 0, 7, 0, 9, 2, 3, 4, 5, 6, 7, 8, 9};

/* Only makers for North America have to fill in the check digit. */
static bool vin_passes(struct span value, const struct check_args *args)
{
    static const int8_t weights[LENGTH] = {8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2};
    struct symbols s;

    (void)args;
    if (!symbols_read(value, &s) || s.n != LENGTH || symbols_all_equal(&s)) {
        return false;
    }
    uint8_t check = s.value[CHECK] == LETTER_X ? 10 : s.value[CHECK];
    for (size_t i = 0; i < LENGTH; i++) {
        if (s.value[i] > 9) {
            s.value[i] = letter_values[s.value[i] - 10];
            if (s.value[i] == 0) {
                return false;
            }
        }
    }
    return checksum_weighted(s.value, weights, LENGTH) % 11 == check;
}

const struct check_type check_vin = {
    .name = "vin",
    .summary = "passes when the check digit of a North American vehicle number holds",
    .passes = vin_passes,
};
