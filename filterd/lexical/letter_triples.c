#include "lexical/letter_triples.h"

#include "base/ascii.h"

double letter_triples_chance(struct span value)
{
    enum { NONE = LETTER_TRIPLES_PLACES - 1 };
    int first = NONE, second = NONE, units = 0;

    for (size_t i = 0; i < value.len && i < LETTER_TRIPLES_SAMPLE; i++) {
        if (!ascii_is_letter(value.ptr[i])) {
            first = second = NONE;
            continue;
        }
        int letter = ascii_lower(value.ptr[i]) - 'a';
        units -= letter_triples[first][second][letter];
        first = second;
        second = letter;
    }
    return (double)units / LETTER_TRIPLES_UNITS;
}
