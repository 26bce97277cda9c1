#include <strings.h>

#include "protocol/wire/framing.h"

static bool type_is(struct span type, const char *expected)
{
    size_t n = strlen(expected);

    return type.len >= n && strncasecmp(type.ptr, expected, n) == 0 &&
           (type.len == n || type.ptr[n] == ';' || type.ptr[n] == ' ');
}

bool framing_of_type(enum framing asked, struct span type, enum framing *framing)
{
    static const struct {
        const char *type;
        enum framing framing;
    } types[] = {
        {"text/event-stream", FRAMING_EVENTS},
        {"application/x-ndjson", FRAMING_LINES},
        {"application/ndjson", FRAMING_LINES},
        {"application/stream+json", FRAMING_LINES},
    };

    *framing = asked;
    if (type.len == 0) {
        return true;
    }
    for (size_t i = 0; i < COUNT(types); i++) {
        if (type_is(type, types[i].type)) {
            *framing = types[i].framing;
            return true;
        }
    }
    /* JSON where events were asked for is one whole answer or an error; an array and lines are
     * sent under this name, too. */
    if (*framing == FRAMING_EVENTS) {
        *framing = FRAMING_BODY;
    }
    return type_is(type, "application/json");
}
