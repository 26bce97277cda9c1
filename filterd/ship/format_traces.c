/* format_traces.c - OTLP traces in JSON: ExportTraceServiceRequest of opentelemetry-proto, of lines that have a span.
 *
 * A line is one span, and each part of its time a child of it. Ids of children are made from the leaf of the line, so that a
 * line that is sent again has the same spans. A line about a request is a child of the span of its answer. */
#include "ship/format.h"
#include "ship/out.h"

enum { TRACE_HEX = 32, SPAN_HEX = 16, PARTS_MAX = 12, OWN = PARTS_MAX };
enum span_kind { KIND_INTERNAL = 1, KIND_SERVER = 2, KIND_CLIENT = 3 };

struct traced {
    const struct ship_line *line;
    struct json_value protocol, upstream, direction, policy_name;
    struct span own; /* hexadecimal */
    char leaf[DIGEST_SHA256_HEX + 1], own_made[DIGEST_SHA256_HEX + 1];
    int64_t start_ns;
};

static bool is_hex(struct span text, size_t len)
{
    for (size_t i = 0; i < text.len; i++) {
        if (strchr("0123456789abcdef", text.ptr[i]) == NULL || text.ptr[i] == '\0') {
            return false;
        }
    }
    return text.len == len;
}

static bool make_id(const struct traced *t, size_t number, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    char text[DIGEST_SHA256_HEX + 8];
    int len = snprintf(text, sizeof(text), "%s %zu", t->leaf, number);

    return digest_sha256(span_of(text, (size_t)len), hex, err);
}

static void put_attribute(struct out *o, const char *name, struct json_value value, bool *is_first)
{
    if (value.kind != JSON_KIND_STRING) {
        return;
    }
    out_str(o, *is_first ? "{\"key\":\"filterd." : ",{\"key\":\"filterd.");
    out_str(o, name);
    out_str(o, "\",\"value\":{\"stringValue\":");
    out_raw(o, value.raw);
    out_str(o, "}}");
    *is_first = false;
}

static void put_hex(struct out *o, const char *name, struct span hex)
{
    out_str(o, name);
    out_raw(o, span_of(hex.ptr, hex.len < SPAN_HEX ? hex.len : SPAN_HEX));
    out_str(o, "\"");
}

static void put_times(struct out *o, int64_t start_ns, int64_t ns)
{
    out_str(o, ",\"startTimeUnixNano\":\"");
    out_number(o, start_ns);
    out_str(o, "\",\"endTimeUnixNano\":\"");
    out_number(o, start_ns + ns);
    out_str(o, "\"");
}

static void begin_span(struct out *o, const struct traced *t, struct span id, struct span parent)
{
    out_str(o, "{\"traceId\":");
    out_raw(o, t->line->trace_id.raw);
    put_hex(o, ",\"spanId\":\"", id);
    if (is_hex(parent, SPAN_HEX)) {
        put_hex(o, ",\"parentSpanId\":\"", parent);
    }
}

/* As OpenTelemetry has it, an answer that was blocked is none of our errors; one that could not be judged is. */
static void put_status(struct out *o, const struct ship_line *line)
{
    if (ship_value_is(line->rule, "filterd.unjudged")) {
        out_str(o, ",\"status\":{\"code\":2}");
    }
}

static void put_own(struct out *o, const struct traced *t, struct json_value span, struct span parent)
{
    const struct ship_line *line = t->line;
    bool is_first = true;

    begin_span(o, t, t->own, parent);
    out_str(o, t->direction.kind == JSON_KIND_STRING ? ",\"name\":\"filterd.request\"" : ",\"name\":\"filterd.exchange\"");
    out_str(o, ",\"kind\":");
    out_number(o, KIND_SERVER);
    put_times(o, t->start_ns, ship_value_number(ship_member(span, "us")) * 1000);
    put_status(o, line);
    out_str(o, ",\"attributes\":[");
    put_attribute(o, "action", line->action, &is_first);
    put_attribute(o, "rule", line->rule, &is_first);
    put_attribute(o, "policy", t->policy_name, &is_first);
    put_attribute(o, "protocol", t->protocol, &is_first);
    put_attribute(o, "upstream", t->upstream, &is_first);
    put_attribute(o, "req_id", line->req_id, &is_first);
    out_str(o, "]}");
}

static bool put_part(struct out *o, const struct traced *t, size_t number, struct json_value part)
{
    char id[DIGEST_SHA256_HEX + 1];
    struct json_value name = ship_member(part, "name");
    bool is_upstream = ship_value_is(name, "upstream") || ship_value_is(name, "supervisor");

    if (name.kind != JSON_KIND_STRING) {
        return false;
    }
    o->has_failed = o->has_failed || !make_id(t, number, id, o->err);
    out_str(o, ",");
    begin_span(o, t, span_of(id, SPAN_HEX), t->own);
    out_str(o, ",\"name\":\"filterd.");
    out_raw(o, ship_characters(name));
    out_str(o, "\",\"kind\":");
    out_number(o, is_upstream ? KIND_CLIENT : KIND_INTERNAL);
    put_times(o, t->start_ns + ship_value_number(ship_member(part, "at_us")) * 1000,
              ship_value_number(ship_member(part, "us")) * 1000);
    out_str(o, "}");
    return true;
}

static size_t put_parts(struct out *o, const struct traced *t, struct json_value parts)
{
    struct json_iterator it = json_iterate(parts);
    struct json_value part;
    struct span none;
    size_t n = 0;

    for (size_t i = 0; parts.kind == JSON_KIND_ARRAY && i < PARTS_MAX && json_next(&it, &none, &part); i++) {
        n += put_part(o, t, i, part);
    }
    return n;
}

static bool read_line(const struct ship_line *line, struct json_value span, struct traced *t)
{
    *t = (struct traced){.line = line, .start_ns = ship_time_ns(ship_member(span, "start"))};
    return t->start_ns > 0 && is_hex(ship_characters(line->trace_id), TRACE_HEX) && is_hex(ship_characters(line->span_id), SPAN_HEX);
}

/* Of a request that went on, the answer has the line's span. */
static struct span find_own(struct traced *t, struct json_value root, struct span *parent, struct out *o)
{
    struct span span = ship_characters(t->line->span_id);

    *parent = ship_characters(ship_member(root, "parent_span_id"));
    if (ship_member(root, "answer_id").kind != JSON_KIND_STRING) {
        return span;
    }
    *parent = span;
    o->has_failed = o->has_failed || !make_id(t, OWN, t->own_made, o->err);
    return span_of(t->own_made, SPAN_HEX);
}

void ship_traces_begin(struct ship_batch *b, struct out *o)
{
    (void)b;
    out_str(o, "{\"resourceSpans\":[");
}

size_t ship_traces_line(struct ship_batch *b, struct out *o, const struct ship_line *line)
{
    struct json_value root = line->is_json ? json_root(line->text) : (struct json_value){.kind = JSON_KIND_NULL};
    struct json_value span = ship_member(root, "span");
    struct span parent;
    struct traced t;

    if (span.kind != JSON_KIND_OBJECT || !read_line(line, span, &t)) {
        return 0;
    }
    t.protocol = ship_member(root, "protocol");
    t.upstream = ship_member(root, "upstream");
    t.direction = ship_member(root, "direction");
    t.policy_name = ship_member(line->policy, "name");
    o->has_failed = o->has_failed || !ship_line_leaf(line, t.leaf, o->err);
    t.own = find_own(&t, root, &parent, o);
    ship_otlp_place(b, o, line, "\"scopeSpans\":[{\"scope\":{\"name\":\"filterd\",\"version\":\"" FILTERD_VERSION "\"},\"spans\":[");
    put_own(o, &t, span, parent);
    return 1 + put_parts(o, &t, ship_member(span, "parts"));
}

void ship_traces_end(struct ship_batch *b, struct out *o)
{
    out_str(o, b->n_records == 0 ? "]}" : "]}]}]}");
}
