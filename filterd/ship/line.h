/* line.h - one parsed line of the decision log.
 *
 * Values are the JSON of the line, quotes included, and borrow from it; kind NULL and no bytes: the member is absent. A line
 * that is not a JSON object has no members. The time is read from ts. Any thread. */
#ifndef FILTERD_SHIP_LINE_H
#define FILTERD_SHIP_LINE_H

#include "base/digest.h"
#include "base/json.h"

struct ship_line {
    struct span text; /* without its newline */
    bool is_json;     /* an object */
    uint64_t seq;     /* 0: none */
    int64_t time_ns;  /* UTC; 0: none */
    struct json_value node, type, req_id, tenant, app, agent, policy, engine, action, rule, reason, phase, event, jail, findings,
        trace_id, span_id, model;
    struct json_value in_bytes, out_bytes, ts;
};

void ship_line_read(struct span text, struct ship_line *line);
/* Whether the value is this string; names of the record need no escapes. */
bool ship_value_is(struct json_value value, const char *text);
static inline bool ship_value_is_there(struct json_value value)
{
    return value.raw.len > 0;
}
/* The member of an object; not there: kind NULL and no bytes. */
struct json_value ship_member(struct json_value object, const char *name);
/* A whole number; 0 for another kind, INT64_MAX / 10^6 for a larger one. */
int64_t ship_value_number(struct json_value value);
/* The characters between a string's quotes, escapes and all; empty for another kind. */
struct span ship_characters(struct json_value value);
/* RFC 3339 as the record writes it, UTC; 0 when it is something else. */
int64_t ship_time_ns(struct json_value ts);
/* The leaf of the record's tree: SHA-256 of a zero byte and the line, hexadecimal. */
MUST_CHECK bool ship_line_leaf(const struct ship_line *line, char hex[DIGEST_SHA256_HEX + 1], struct error *err);

#endif
