/* calling_codes.h - ITU country calling codes with the lengths of national numbers behind them. */
#ifndef FILTERD_FORMATS_CALLING_CODES_H
#define FILTERD_FORMATS_CALLING_CODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calling_code {
    uint16_t code;
    uint8_t digits; /* of the code */
    uint8_t min;    /* digits of a national number, trunk prefix left out */
    uint8_t max;
};

/* The code that the digits begin with (no code is the beginning of another), or NULL. */
const struct calling_code *calling_code_find(const uint8_t *digits, size_t n);

#endif
