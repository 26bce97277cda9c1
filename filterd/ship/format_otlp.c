/* format_otlp.c - OTLP logs in JSON: ExportLogsServiceRequest of opentelemetry-proto, as its JSON mapping has it.
 *
 * Integers of 64 bits are strings, ids of traces are hexadecimal. The body of a log record is the line as it is in
 * the decision log, so that the far copy can be proved; attributes are its members, flat, under "filterd.". */
#include "ship/out.h"
#include "ship/format.h"

enum { DEPTH_MAX = 3, PATH_BYTES_MAX = 128, TRACE_HEX = 32, SPAN_HEX = 16 };

/* --- attributes --------------------------------------------------------------- */

static void put_value(struct out *o, struct json_value v)
{
    bool is_fraction = memchr(v.raw.ptr, '.', v.raw.len) != NULL || memchr(v.raw.ptr, 'e', v.raw.len) != NULL ||
                       memchr(v.raw.ptr, 'E', v.raw.len) != NULL;

    if (v.kind == JSON_KIND_STRING) {
        out_str(o, "{\"stringValue\":");
        out_raw(o, v.raw);
    } else if (v.kind == JSON_KIND_NUMBER && is_fraction) {
        out_str(o, "{\"doubleValue\":");
        out_raw(o, v.raw);
    } else if (v.kind == JSON_KIND_NUMBER) {
        out_str(o, "{\"intValue\":\"");
        out_raw(o, v.raw);
        out_str(o, "\"");
    } else {
        out_str(o, v.kind == JSON_KIND_TRUE ? "{\"boolValue\":true" : "{\"boolValue\":false");
    }
    out_str(o, "}");
}

static void put_key(struct out *o, struct span path)
{
    out_str(o, ",{\"key\":\"filterd.");
    out_raw(o, path);
    out_str(o, "\",\"value\":");
}

static bool is_scalar(struct json_value v)
{
    return v.kind != JSON_KIND_ARRAY && v.kind != JSON_KIND_OBJECT && v.kind != JSON_KIND_NULL;
}

/* A list of plain values as one; of a list of objects their number. */
static void put_list(struct out *o, struct span path, struct json_value list)
{
    struct json_iterator it = json_iterate(list);
    struct json_value item;
    struct span name;
    int64_t n = 0;
    bool is_plain = true;

    while (json_next(&it, &name, &item)) {
        is_plain = is_plain && is_scalar(item);
        n++;
    }
    put_key(o, path);
    if (!is_plain) {
        out_str(o, "{\"intValue\":\"");
        out_number(o, n);
        out_str(o, "\"}}");
        return;
    }
    out_str(o, "{\"arrayValue\":{\"values\":[");
    it = json_iterate(list);
    for (int64_t i = 0; json_next(&it, &name, &item); i++) {
        out_str(o, i > 0 ? "," : "");
        put_value(o, item);
    }
    out_str(o, "]}}}");
}

/* The members of an object; of objects in it the names are joined by dots. Names of the record need no escapes: one with a
 * backslash, which only an escape has, is left to the body. */
static void put_members(struct out *o, struct span prefix, struct json_value object, unsigned depth)
{
    struct json_iterator it = json_iterate(object);
    struct json_value value;
    struct span name;

    while (json_next(&it, &name, &value)) {
        char path[PATH_BYTES_MAX];
        int len = snprintf(path, sizeof(path), SPAN_FMT SPAN_FMT, SPAN_ARG(prefix), SPAN_ARG(name));
        if (len <= 0 || (size_t)len + 1 >= sizeof(path) || memchr(path, '\\', (size_t)len) != NULL) {
            continue;
        }
        if (is_scalar(value)) {
            put_key(o, span_of(path, (size_t)len));
            put_value(o, value);
            out_str(o, "}");
        } else if (value.kind == JSON_KIND_ARRAY) {
            put_list(o, span_of(path, (size_t)len), value);
        } else if (value.kind == JSON_KIND_OBJECT && depth < DEPTH_MAX) {
            path[len] = '.';
            put_members(o, span_of(path, (size_t)len + 1), value, depth + 1);
        }
    }
}

/* filterd.rules: the rules of the findings, each once. */
static bool is_first_of_its_rule(const struct json_value *rules, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (span_equal(rules[i].raw, rules[n].raw)) {
            return false;
        }
    }
    return true;
}

static void put_rules(struct out *o, struct json_value findings)
{
    struct json_iterator it = json_iterate(findings);
    struct json_value rules[64], item;
    struct span name;
    size_t n = 0;

    if (findings.kind != JSON_KIND_ARRAY) {
        return;
    }
    put_key(o, span_str("rules"));
    out_str(o, "{\"arrayValue\":{\"values\":[");
    while (n < COUNT(rules) && json_next(&it, &name, &item)) {
        rules[n] = ship_member(item, "rule");
        if (rules[n].kind == JSON_KIND_STRING && is_first_of_its_rule(rules, n)) {
            out_str(o, n > 0 ? "," : "");
            put_value(o, rules[n++]);
        }
    }
    out_str(o, "]}}}");
}

/* --- one record ------------------------------------------------------------------ */

static const struct severity {
    const char *member, *value; /* "type" or "action" or "event" */
    int number;
    const char *text;
} severities[] = {
    {"event", "not_killed", 21, "FATAL"}, {"event", "kill", 17, "ERROR"},   {"event", "killed", 17, "ERROR"},
    {"action", "block", 17, "ERROR"},     {"action", "redact", 13, "WARN"}, {"type", "loss", 17, "ERROR"},
    {"type", "recovery", 13, "WARN"},     {"type", "agent", 13, "WARN"},
};

static void put_severity(struct out *o, const struct ship_line *line)
{
    static const struct severity info = {NULL, NULL, 9, "INFO"};
    const struct severity *found = &info;

    for (size_t i = 0; i < COUNT(severities) && found == &info; i++) {
        const struct severity *s = &severities[i];
        struct json_value v = s->member[0] == 't' ? line->type : s->member[0] == 'a' ? line->action : line->event;
        found = ship_value_is(v, s->value) ? s : found;
    }
    out_str(o, ",\"severityNumber\":");
    out_number(o, found->number);
    out_str(o, ",\"severityText\":");
    out_text(o, span_str(found->text));
}

static void put_hex(struct out *o, const char *name, struct json_value id, size_t len)
{
    struct span hex = ship_characters(id);

    for (size_t i = 0; i < hex.len; i++) {
        if (strchr("0123456789abcdefABCDEF", hex.ptr[i]) == NULL) {
            return;
        }
    }
    if (hex.len == len) {
        out_member(o, name, id);
    }
}

static void open_resource(struct ship_batch *b, struct out *o, const struct ship_line *line, const char *scope)
{
    struct span node = line->node.raw;

    (void)snprintf(b->node, sizeof(b->node), SPAN_FMT, SPAN_ARG(node));
    out_str(o, "{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":{\"stringValue\":\"filterd\"}}");
    if (line->node.kind == JSON_KIND_STRING) {
        out_str(o, ",{\"key\":\"service.instance.id\",\"value\":{\"stringValue\":");
        out_raw(o, node);
        out_str(o, "}}");
    }
    out_str(o, "]},");
    out_str(o, scope);
}

void ship_otlp_place(struct ship_batch *b, struct out *o, const struct ship_line *line, const char *scope)
{
    struct span node = line->node.raw.len < sizeof(b->node) ? line->node.raw : span_of("", 0);

    if (b->n_records == 0 || !span_equal(node, span_str(b->node))) {
        out_str(o, b->n_records == 0 ? "" : "]}]},");
        open_resource(b, o, line, scope);
    } else {
        out_str(o, ",");
    }
}

void ship_otlp_begin(struct ship_batch *b, struct out *o)
{
    (void)b;
    out_str(o, "{\"resourceLogs\":[");
}

size_t ship_otlp_line(struct ship_batch *b, struct out *o, const struct ship_line *line)
{
    char leaf[DIGEST_SHA256_HEX + 1] = "";

    ship_otlp_place(b, o, line, "\"scopeLogs\":[{\"scope\":{\"name\":\"filterd.record\",\"version\":\"" FILTERD_VERSION "\"},\"logRecords\":[");
    out_str(o, "{\"timeUnixNano\":\"");
    out_number(o, line->time_ns);
    out_str(o, "\"");
    put_severity(o, line);
    out_str(o, ",\"eventName\":\"filterd.");
    out_raw(o, line->type.kind == JSON_KIND_STRING ? ship_characters(line->type) : span_str("unreadable"));
    out_str(o, "\",\"body\":{\"stringValue\":");
    out_text(o, line->text);
    out_str(o, "}");
    put_hex(o, "traceId", line->trace_id, TRACE_HEX);
    put_hex(o, "spanId", line->span_id, SPAN_HEX);
    o->has_failed = o->has_failed || !ship_line_leaf(line, leaf, o->err);
    out_str(o, ",\"attributes\":[{\"key\":\"filterd.leaf\",\"value\":{\"stringValue\":");
    out_text(o, span_str(leaf));
    out_str(o, "}}");
    if (line->is_json) {
        put_members(o, span_of("", 0), json_root(line->text), 0);
        put_rules(o, line->findings);
    }
    out_str(o, "]}");
    return 1;
}

void ship_otlp_end(struct ship_batch *b, struct out *o)
{
    out_str(o, b->n_records == 0 ? "]}" : "]}]}]}");
}
