/* format_cef.c - ArcSight CEF in messages of RFC 5424, one for each line of the log. */
#include "ship/format.h"
#include "ship/out.h"

/* Facility 13, log audit. */
enum { FACILITY = 13, VALUE_MAX = 1023, NAME_MAX_5424 = 255, RULES_MAX = 16 };

/* --- escapes --------------------------------------------------------------------- */

/* In a header '\' and '|' are escaped and lines do not end; in an extension '\', '=' and the ends of lines. Other control
 * characters are spaces. */
enum place { IN_HEADER, IN_EXTENSION };

static void put_escaped(struct out *o, struct span text, enum place place)
{
    for (size_t i = 0; i < text.len && i < VALUE_MAX; i++) {
        char c = text.ptr[i];
        bool is_escaped = c == '\\' || c == (place == IN_HEADER ? '|' : '=');
        if (place == IN_EXTENSION && (c == '\n' || c == '\r')) {
            out_str(o, c == '\n' ? "\\n" : "\\r");
            continue;
        }
        out_str(o, is_escaped ? "\\" : "");
        c = (unsigned char)c < ' ' || c == 0x7f ? ' ' : c;
        out_raw(o, span_of(&c, 1));
    }
}

/* The characters of a string, its escapes undone; of a number its digits. */
static struct span text_of(struct ship_batch *b, struct json_value v)
{
    struct span text;
    struct error ignored;

    if (v.kind != JSON_KIND_STRING) {
        return v.kind == JSON_KIND_NUMBER ? v.raw : span_of("", 0);
    }
    if (!json_unquote(&b->memory, v, &text, &ignored)) {
        return span_of("", 0);
    }
    /* Cut between characters. */
    size_t len = text.len < VALUE_MAX ? text.len : VALUE_MAX;
    while (len < text.len && len > 0 && ((unsigned char)text.ptr[len] & 0xc0) == 0x80) {
        len--;
    }
    return span_of(text.ptr, len);
}

static void put_pair(struct ship_batch *b, struct out *o, const char *key, struct json_value v)
{
    struct span text = text_of(b, v);

    if (text.len > 0) {
        out_str(o, " ");
        out_str(o, key);
        out_str(o, "=");
        put_escaped(o, text, IN_EXTENSION);
    }
}

/* A custom string and its label. */
static void put_custom(struct ship_batch *b, struct out *o, int number, const char *label, struct json_value v)
{
    char key[8];

    (void)snprintf(key, sizeof(key), "cs%d", number);
    if (text_of(b, v).len > 0) {
        put_pair(b, o, key, v);
        out_str(o, " ");
        out_str(o, key);
        out_str(o, "Label=");
        out_str(o, label);
    }
}

/* --- severity ---------------------------------------------------------------------- */

static int findings_severity(struct json_value findings)
{
    static const char *const names[] = {"low", "medium", "high", "critical"};
    struct json_iterator it = json_iterate(findings);
    struct json_value item;
    struct span name;
    int most = 1;

    while (json_next(&it, &name, &item)) {
        for (int i = 0; i < (int)COUNT(names); i++) {
            int cef = 3 + 2 * i;
            most = ship_value_is(ship_member(item, "severity"), names[i]) && cef > most ? cef : most;
        }
    }
    return most;
}

static int severity_of(const struct ship_line *l)
{
    static const struct {
        const char *type, *event;
        int severity;
    } known[] = {
        {"agent", "not_killed", 10}, {"agent", "kill", 8}, {"agent", "killed", 8}, {"agent", NULL, 5},
        {"loss", NULL, 8},           {"recovery", NULL, 4},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        if (ship_value_is(l->type, known[i].type) && (known[i].event == NULL || ship_value_is(l->event, known[i].event))) {
            return known[i].severity;
        }
    }
    int of_findings = l->findings.kind == JSON_KIND_ARRAY ? findings_severity(l->findings) : 1;
    return ship_value_is(l->action, "block") && of_findings < 6 ? 6 : of_findings;
}

/* 7 debug … 0 emergency */
static int syslog_severity(int cef)
{
    return cef >= 10 ? 2 : cef >= 6 ? 4 : cef >= 3 ? 5 : 6;
}

/* --- the message ----------------------------------------------------------------------- */

/* PRINTUSASCII of RFC 5424. */
static void put_name(struct out *o, struct span name)
{
    out_str(o, name.len == 0 ? "-" : "");
    for (size_t i = 0; i < name.len && i < NAME_MAX_5424; i++) {
        char c = name.ptr[i] > ' ' && name.ptr[i] < 0x7f ? name.ptr[i] : '_';
        out_raw(o, span_of(&c, 1));
    }
}

/* The record's time has nanoseconds; RFC 5424 allows microseconds. */
static void put_time(struct out *o, const struct ship_line *l)
{
    struct span ts = ship_characters(l->ts);

    if (l->time_ns == 0) {
        out_str(o, "-");
        return;
    }
    out_raw(o, span_slice(ts, 0, 26));
    out_str(o, "Z");
}

static void put_rules(struct ship_batch *b, struct out *o, struct json_value findings)
{
    struct json_iterator it = json_iterate(findings);
    struct json_value seen[RULES_MAX], item;
    struct span name;
    size_t n = 0;

    while (n < RULES_MAX && json_next(&it, &name, &item)) {
        struct json_value rule = ship_member(item, "rule");
        bool is_new = rule.kind == JSON_KIND_STRING;
        for (size_t i = 0; i < n; i++) {
            is_new = is_new && !span_equal(seen[i].raw, rule.raw);
        }
        if (is_new) {
            out_str(o, n == 0 ? " cs5Label=rules cs5=" : ",");
            put_escaped(o, text_of(b, rule), IN_EXTENSION);
            seen[n++] = rule;
        }
    }
}

static void put_head(struct ship_batch *b, struct out *o, const struct ship_line *l, int severity)
{
    struct span type = text_of(b, l->type), rule = text_of(b, l->rule), event = text_of(b, l->event);
    struct span action = text_of(b, l->action);

    type = type.len > 0 ? type : span_str("unreadable");
    out_str(o, "CEF:0|filterd|filterd|" FILTERD_VERSION "|");
    put_escaped(o, rule.len > 0 ? rule : event.len > 0 ? event : type, IN_HEADER);
    out_str(o, "|");
    put_escaped(o, type, IN_HEADER);
    if (action.len > 0 || event.len > 0) {
        out_str(o, " ");
        put_escaped(o, action.len > 0 ? action : event, IN_HEADER);
    }
    out_str(o, "|");
    out_number(o, severity);
    out_str(o, "|");
}

static void put_extension(struct ship_batch *b, struct out *o, const struct ship_line *l)
{
    char leaf[DIGEST_SHA256_HEX + 1] = "";

    o->has_failed = o->has_failed || !ship_line_leaf(l, leaf, o->err);
    out_str(o, "cn1Label=seq cn1=");
    out_number(o, (int64_t)l->seq);
    out_str(o, " rt=");
    out_number(o, l->time_ns / 1000000);
    out_str(o, " fileHash=");
    out_str(o, leaf);
    put_pair(b, o, "externalId", l->req_id);
    put_pair(b, o, "act", l->action);
    put_pair(b, o, "outcome", l->phase);
    put_pair(b, o, "dvchost", l->node);
    put_pair(b, o, "reason", l->reason);
    put_pair(b, o, "suser", l->agent);
    put_pair(b, o, "requestClientApplication", l->app);
    put_pair(b, o, "in", l->in_bytes);
    put_pair(b, o, "out", l->out_bytes);
    put_custom(b, o, 1, "tenant", l->tenant);
    put_custom(b, o, 2, "policy", ship_member(l->policy, "name"));
    put_custom(b, o, 3, "policyDigest", ship_member(l->policy, "digest"));
    put_custom(b, o, 4, "jail", l->jail);
    if (l->findings.kind == JSON_KIND_ARRAY) {
        put_rules(b, o, l->findings);
    }
}

static void put_message(struct ship_batch *b, struct out *o, const struct ship_line *l)
{
    int severity = severity_of(l);

    out_str(o, "<");
    out_number(o, FACILITY * 8 + syslog_severity(severity));
    out_str(o, ">1 ");
    put_time(o, l);
    out_str(o, " ");
    put_name(o, text_of(b, l->node));
    out_str(o, " filterd - ");
    put_name(o, text_of(b, l->type));
    out_str(o, " - ");
    put_head(b, o, l, severity);
    put_extension(b, o, l);
}

size_t ship_cef_line(struct ship_batch *b, struct out *o, const struct ship_line *line)
{
    enum { LENGTH_ROOM = 12 };
    size_t from = o->buf->len;
    char digits[LENGTH_ROOM + 1];

    if (!b->is_framed) {
        put_message(b, o, line);
        out_str(o, "\n");
        return 1;
    }
    /* Its length comes before it: the message is written behind room for that, then moved up. */
    out_str(o, "            ");
    put_message(b, o, line);
    if (o->has_failed) {
        return 0;
    }
    size_t len = o->buf->len - from - LENGTH_ROOM;
    int n = snprintf(digits, sizeof(digits), "%zu ", len);
    memcpy(o->buf->data + from, digits, (size_t)n);
    memmove(o->buf->data + from + n, o->buf->data + from + LENGTH_ROOM, len);
    o->buf->len = from + (size_t)n + len;
    return 1;
}
