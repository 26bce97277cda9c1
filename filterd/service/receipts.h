/* receipts.h - which answers have a receipt of their record: the option receipts of filterd(8). */
#ifndef FILTERD_SERVICE_RECEIPTS_H
#define FILTERD_SERVICE_RECEIPTS_H

#include <string.h>

#include "service/service.h"

enum receipts {
    RECEIPTS_HELD,   /* answers that wait for their record anyway */
    RECEIPTS_ALWAYS, /* allows, too, which wait for their record then */
    RECEIPTS_OFF,
};

static inline enum receipts receipts_of(const struct service *s)
{
    const char *value = s->options->receipts;

    if (value == NULL || strcmp(value, "held") == 0) {
        return RECEIPTS_HELD;
    }
    return strcmp(value, "always") == 0 ? RECEIPTS_ALWAYS : RECEIPTS_OFF;
}

#endif
