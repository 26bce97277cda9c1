#include "formats/iban_lengths.h"

#include "base/span.h"

struct country {
    char code[3];
    unsigned char length;
    bool is_numeric; /* digits alone behind the check digits */
};

static const struct country countries[] = {
    {"AD", 24, false}, {"AE", 23, true}, {"AL", 28, false}, {"AT", 20, true}, {"AZ", 28, false}, {"BA", 20, true},
    {"BE", 16, true}, {"BG", 22, false}, {"BH", 22, false}, {"BI", 27, true}, {"BR", 29, false}, {"BY", 28, false},
    {"CH", 21, false}, {"CR", 22, true}, {"CY", 28, false}, {"CZ", 24, true}, {"DE", 22, true}, {"DJ", 27, true},
    {"DK", 18, true}, {"DO", 28, false}, {"EE", 20, true}, {"EG", 29, true}, {"ES", 24, true}, {"FI", 18, true},
    {"FK", 18, false}, {"FO", 18, true}, {"FR", 27, false}, {"GB", 22, false}, {"GE", 22, false}, {"GI", 23, false},
    {"GL", 18, true}, {"GR", 27, false}, {"GT", 28, false}, {"HN", 28, false}, {"HR", 21, true}, {"HU", 28, true},
    {"IE", 22, false}, {"IL", 23, true}, {"IQ", 23, false}, {"IS", 26, true}, {"IT", 27, false}, {"JO", 30, false},
    {"KW", 30, false}, {"KZ", 20, false}, {"LB", 28, false}, {"LC", 32, false}, {"LI", 21, false}, {"LT", 20, true},
    {"LU", 20, false}, {"LV", 21, false}, {"LY", 25, true}, {"MC", 27, false}, {"MD", 24, false}, {"ME", 22, true},
    {"MK", 19, false}, {"MN", 20, true}, {"MR", 27, true}, {"MT", 31, false}, {"MU", 30, false}, {"NI", 28, false},
    {"NL", 18, false}, {"NO", 15, true}, {"OM", 23, false}, {"PK", 24, false}, {"PL", 28, true}, {"PS", 29, false},
    {"PT", 25, true}, {"QA", 29, false}, {"RO", 24, false}, {"RS", 22, true}, {"RU", 33, false}, {"SA", 24, false},
    {"SC", 31, false}, {"SD", 18, true}, {"SE", 24, true}, {"SI", 19, true}, {"SK", 24, true}, {"SM", 27, false},
    {"SO", 23, true}, {"ST", 25, true}, {"SV", 28, false}, {"TL", 23, true}, {"TN", 24, true}, {"TR", 26, false},
    {"UA", 29, false}, {"VA", 22, true}, {"VG", 24, false}, {"XK", 20, true}, {"YE", 30, false},
};

static const struct country *find_country(char first, char second)
{
    for (size_t i = 0; i < COUNT(countries); i++) {
        if (countries[i].code[0] == first && countries[i].code[1] == second) {
            return &countries[i];
        }
    }
    return NULL;
}

size_t iban_length(char first, char second)
{
    const struct country *country = find_country(first, second);

    return country != NULL ? country->length : 0;
}

bool iban_is_numeric(char first, char second)
{
    const struct country *country = find_country(first, second);

    return country != NULL && country->is_numeric;
}
