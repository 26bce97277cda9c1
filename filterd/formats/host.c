#include "formats/host.h"

#include <idn2.h>

bool host_to_ascii(struct arena *a, const char *host, const char **out, struct error *err)
{
    char *ascii = NULL;
    int flags = IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL | IDN2_USE_STD3_ASCII_RULES;

    if (idn2_to_ascii_8z(host, &ascii, flags) != IDN2_OK) {
        return error_set(err, ERROR_INVALID, "a host's name as IDNA 2008 has it expected");
    }
    const char *copy = arena_string(a, span_str(ascii), err);
    idn2_free(ascii);
    *out = copy == NULL ? *out : copy;
    return copy != NULL;
}
