#include "http/writer.h"

#include <stdio.h>

#include "base/json.h"

void put_string(struct writer *w, struct span text)
{
    w->is_ok = w->is_ok && json_append_string(w->out, text, w->err);
}

void put_number(struct writer *w, uint64_t value)
{
    char digits[20]; /* of UINT64_MAX */
    size_t at = sizeof(digits);

    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    w->is_ok = w->is_ok && buf_append(w->out, span_of(digits + at, sizeof(digits) - at), w->err);
}

void put_fraction(struct writer *w, double value)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%.4g", value);
    put(w, text);
}
