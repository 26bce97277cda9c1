/* out.h - JSON and text written piece by piece into a buffer; the first failure is kept and asked for at the end. */
#ifndef FILTERD_SHIP_OUT_H
#define FILTERD_SHIP_OUT_H

#include <stdint.h>

#include "base/json.h"

struct out {
    struct buf *buf;
    struct error *err;
    bool has_failed;
};

void out_raw(struct out *o, struct span bytes);
void out_str(struct out *o, const char *text);
void out_number(struct out *o, int64_t number);
/* Quoted. */
void out_text(struct out *o, struct span text);

/* ,"name": and the value as it is; nothing where it is not there. */
void out_member(struct out *o, const char *name, struct json_value value);

#endif
