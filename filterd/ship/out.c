#include "ship/out.h"

#include <inttypes.h>

void out_raw(struct out *o, struct span bytes)
{
    o->has_failed = o->has_failed || !buf_append(o->buf, bytes, o->err);
}

void out_str(struct out *o, const char *text)
{
    out_raw(o, span_str(text));
}

void out_number(struct out *o, int64_t number)
{
    o->has_failed = o->has_failed || !buf_appendf(o->buf, o->err, "%" PRId64, number);
}

void out_text(struct out *o, struct span text)
{
    o->has_failed = o->has_failed || !json_append_string(o->buf, text, o->err);
}

void out_member(struct out *o, const char *name, struct json_value value)
{
    if (value.raw.len > 0) {
        out_str(o, ",\"");
        out_str(o, name);
        out_str(o, "\":");
        out_raw(o, value.raw);
    }
}
