#include "base/ascii.h"
#include "checks/check_argument.h"
#include "checks/checks_table.h"
#include "lexical/letter_triples.h"

enum { MIN };

static const double min_default = 4;

static bool drawn_letters_passes(struct span value, const struct check_args *args)
{
    for (size_t i = 0; i < value.len; i++) {
        if (ascii_is_digit(value.ptr[i]) || value.ptr[i] == '_') {
            return false;
        }
    }
    return letter_triples_chance(value) >= argument_number(args, MIN, min_default);
}

const struct check_type check_drawn_letters = {
    .name = "drawn_letters",
    .summary = "passes when there is no digit or underscore and the letters follow one another as in no word: at least min bits (4) for chance",
    .parameters = {{"min", CHECK_NUMBER, false}},
    .passes = drawn_letters_passes,
};
