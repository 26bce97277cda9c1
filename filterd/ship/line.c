#include "ship/line.h"

#include "base/cleanup.h"

enum { LEAF_MAX = 128 * 1024, YEAR_LAST = 2261, TIME_BYTES = 30 }; /* 2026-11-23T07:00:00.123456789Z */

static const struct {
    const char *name;
    size_t offset;
} members[] = {
#define MEMBER(name) {#name, offsetof(struct ship_line, name)}
    MEMBER(node),   MEMBER(type),   MEMBER(req_id), MEMBER(tenant), MEMBER(app),   MEMBER(agent),    MEMBER(policy),
    MEMBER(engine), MEMBER(action), MEMBER(rule),   MEMBER(reason), MEMBER(phase), MEMBER(event),    MEMBER(jail),
    MEMBER(ts),     MEMBER(findings), MEMBER(trace_id), MEMBER(span_id), MEMBER(model), MEMBER(in_bytes), MEMBER(out_bytes),
#undef MEMBER
};

static uint64_t number_of(struct span digits)
{
    uint64_t number = 0;

    for (size_t i = 0; i < digits.len && digits.ptr[i] >= '0' && digits.ptr[i] <= '9'; i++) {
        number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    return number;
}

static void take(struct ship_line *line, struct span name, struct json_value value)
{
    if (span_is(name, "seq") && value.kind == JSON_KIND_NUMBER) {
        line->seq = number_of(value.raw);
        return;
    }
    for (size_t i = 0; i < COUNT(members); i++) {
        if (span_is(name, members[i].name)) {
            memcpy((char *)line + members[i].offset, &value, sizeof(value));
            return;
        }
    }
}

void ship_line_read(struct span text, struct ship_line *line)
{
    struct json_value value;
    struct span name;
    struct error ignored;

    *line = (struct ship_line){.text = text};
    line->is_json = json_validate(text, &ignored) && json_root(text).kind == JSON_KIND_OBJECT;
    if (!line->is_json) {
        return;
    }
    struct json_iterator it = json_iterate(json_root(text));
    while (json_next(&it, &name, &value)) {
        take(line, name, value);
    }
    line->time_ns = ship_time_ns(line->ts);
}

struct span ship_characters(struct json_value value)
{
    return value.kind == JSON_KIND_STRING && value.raw.len >= 2 ? span_slice(value.raw, 1, value.raw.len - 1) : span_of("", 0);
}

int64_t ship_value_number(struct json_value value)
{
    const uint64_t most = INT64_MAX / 1000000;
    uint64_t number = value.kind == JSON_KIND_NUMBER && value.raw.len < 20 ? number_of(value.raw) : most;

    return value.kind != JSON_KIND_NUMBER ? 0 : (int64_t)(number < most ? number : most);
}

bool ship_value_is(struct json_value value, const char *text)
{
    return value.kind == JSON_KIND_STRING && span_is(ship_characters(value), text);
}

struct json_value ship_member(struct json_value object, const char *name)
{
    struct json_iterator it = json_iterate(object);
    struct json_value value;
    struct span found;

    while (object.kind == JSON_KIND_OBJECT && json_next(&it, &found, &value)) {
        if (span_is(found, name)) {
            return value;
        }
    }
    return (struct json_value){.kind = JSON_KIND_NULL};
}

int64_t ship_time_ns(struct json_value ts)
{
    static const char shape[] = "0000-00-00T00:00:00.000000000Z";
    struct span text = ship_characters(ts);
    struct tm t = {0};

    if (text.len != TIME_BYTES) {
        return 0;
    }
    for (size_t i = 0; i < TIME_BYTES; i++) {
        bool is_digit = text.ptr[i] >= '0' && text.ptr[i] <= '9';
        if (shape[i] == '0' ? !is_digit : text.ptr[i] != shape[i]) {
            return 0;
        }
    }
    t.tm_year = (int)number_of(span_slice(text, 0, 4)) - 1900;
    if (t.tm_year < 70 || t.tm_year > YEAR_LAST - 1900) {
        return 0; /* it would not fit */
    }
    t.tm_mon = (int)number_of(span_slice(text, 5, 7)) - 1;
    t.tm_mday = (int)number_of(span_slice(text, 8, 10));
    t.tm_hour = (int)number_of(span_slice(text, 11, 13));
    t.tm_min = (int)number_of(span_slice(text, 14, 16));
    t.tm_sec = (int)number_of(span_slice(text, 17, 19));
    return (int64_t)timegm(&t) * 1000000000 + (int64_t)number_of(span_slice(text, 20, 29));
}

bool ship_line_leaf(const struct ship_line *line, char hex[DIGEST_SHA256_HEX + 1], struct error *err)
{
    struct buf leaf CLEANUP(buf_deinit);

    buf_init(&leaf, LEAF_MAX);
    return buf_reserve(&leaf, line->text.len + 1, err) && buf_append_char(&leaf, '\0', err) &&
           buf_append(&leaf, line->text, err) && digest_sha256(buf_span(&leaf), hex, err);
}
