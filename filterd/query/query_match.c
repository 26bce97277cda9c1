/* query_match.c - a line against a compiled query: one pass over its members, a bit for each term that a value meets. */
#include "base/json.h"
#include "query/query_parts.h"
#include "query/timestamp.h"

_Static_assert(QUERY_TERMS_MAX <= 32, "a bit for each term");

/* Where a member is found. */
enum place { OF_LINE, OF_FINDING, OF_POLICY, OF_SUPERVISOR };

static const struct {
    enum place place;
    const char *member;
    enum query_field field;
} members[] = {
    {OF_LINE, "tenant", QUERY_TENANT},
    {OF_LINE, "app", QUERY_APP},
    {OF_LINE, "agent", QUERY_AGENT},
    {OF_LINE, "rule", QUERY_RULE},
    {OF_LINE, "action", QUERY_ACTION},
    {OF_LINE, "type", QUERY_TYPE},
    {OF_LINE, "state", QUERY_STATE},
    {OF_LINE, "to", QUERY_STATE},
    {OF_LINE, "disposition", QUERY_DISPOSITION},
    {OF_LINE, "by", QUERY_WHO},
    {OF_LINE, "approver", QUERY_WHO},
    {OF_LINE, "input_tok", QUERY_TOKEN},
    {OF_LINE, "group", QUERY_TOKEN},
    {OF_LINE, "note_tok", QUERY_TOKEN},
    {OF_LINE, "ip_tok", QUERY_TOKEN},
    {OF_LINE, "subject_tok", QUERY_TOKEN},
    {OF_LINE, "user_tok", QUERY_TOKEN},
    {OF_LINE, "req_id", QUERY_REQ},
    {OF_LINE, "session", QUERY_SESSION},
    {OF_LINE, "trace_id", QUERY_TRACE},
    {OF_LINE, "seq", QUERY_SEQ},
    {OF_LINE, "ts", QUERY_SINCE}, /* and until */
    {OF_FINDING, "rule", QUERY_RULE},
    {OF_FINDING, "category", QUERY_CATEGORY},
    {OF_FINDING, "severity", QUERY_SEVERITY},
    {OF_FINDING, "value_tok", QUERY_TOKEN},
    {OF_POLICY, "name", QUERY_POLICY},
    {OF_POLICY, "digest", QUERY_POLICY},
    {OF_SUPERVISOR, "category", QUERY_CATEGORY},
};

struct match {
    const struct query *q;
    uint32_t met; /* terms */
};

enum { DECODED_MAX = 4096 }; /* no member that is looked at is longer */

/* Without its quotes; `room` is for one that has escapes. A longer text is cut: no value of a query is as long. */
static struct span text_of(struct json_value v, struct arena *room)
{
    struct span text = span_of(NULL, 0);
    struct error err;

    if (v.kind != JSON_KIND_STRING || !json_unquote(room, v, &text, &err)) {
        return span_of(NULL, 0);
    }
    return text;
}

static bool is_met_by_text(const struct query_value *v, struct span text)
{
    return v->is_prefix ? span_starts_with(text, v->text) : span_equal(text, v->text);
}

static bool is_met_by_number(const struct query_value *v, struct json_value number)
{
    uint64_t n = 0;

    for (size_t i = 0; i < number.raw.len; i++) {
        char c = number.raw.ptr[i];
        if (c < '0' || c > '9' || n > (UINT64_MAX - 9) / 10) {
            return false;
        }
        n = n * 10 + (uint64_t)(c - '0');
    }
    return number.kind == JSON_KIND_NUMBER && n >= v->from && n <= v->to;
}

static bool is_met_by_time(const struct query_term *t, const struct query_value *v, struct span text)
{
    int64_t ns = 0;

    return timestamp_parse(text, 0, &ns) && (t->field == QUERY_SINCE ? ns >= v->time_ns : ns < v->time_ns);
}

static bool is_met(const struct match *m, const struct query_term *t, struct json_value value, struct span text)
{
    enum query_kind kind = query_fields[t->field].kind;

    for (size_t i = 0; i < t->n; i++) {
        const struct query_value *v = &m->q->values[t->first + i];
        bool is_it = kind == QUERY_IS_RANGE  ? is_met_by_number(v, value)
                     : kind == QUERY_IS_TIME ? is_met_by_time(t, v, text)
                                             : value.kind == JSON_KIND_STRING && is_met_by_text(v, text);
        if (is_it) {
            return true;
        }
    }
    return false;
}

static void take_value(struct match *m, enum query_field field, struct json_value value)
{
    struct arena room;
    struct span text = span_of(NULL, 0);
    bool has_text = false;

    for (size_t i = 0; i < m->q->n_terms; i++) {
        const struct query_term *t = &m->q->terms[i];
        bool is_asked = t->field == field || (field == QUERY_SINCE && t->field == QUERY_UNTIL);
        if (!is_asked || (m->met >> i & 1U) != 0) {
            continue;
        }
        if (!has_text) {
            arena_init(&room, 0, DECODED_MAX * 4);
            text = text_of(value, &room);
            has_text = true;
        }
        m->met |= is_met(m, t, value, text) ? UINT32_C(1) << i : 0;
    }
    if (has_text) {
        arena_deinit(&room);
    }
}

static void take_object(struct match *m, enum place place, struct json_value object);

static void take_inner(struct match *m, struct span name, struct json_value value)
{
    if (span_is(name, "findings")) {
        struct json_iterator it = json_iterate(value);
        struct json_value finding;
        struct span none;
        while (json_next(&it, &none, &finding)) {
            take_object(m, OF_FINDING, finding);
        }
    } else if (span_is(name, "policy")) {
        take_object(m, OF_POLICY, value);
    } else if (span_is(name, "supervisor")) {
        take_object(m, OF_SUPERVISOR, value);
    }
}

static void take_object(struct match *m, enum place place, struct json_value object)
{
    struct json_iterator it = json_iterate(object);
    struct json_value value;
    struct span name;

    while (object.kind == JSON_KIND_OBJECT && json_next(&it, &name, &value)) {
        if (place == OF_LINE && (value.kind == JSON_KIND_ARRAY || value.kind == JSON_KIND_OBJECT)) {
            take_inner(m, name, value);
            continue;
        }
        for (size_t i = 0; i < COUNT(members); i++) {
            if (members[i].place == place && span_is(name, members[i].member)) {
                take_value(m, members[i].field, value);
            }
        }
    }
}

bool query_matches(const struct query *q, struct span line)
{
    struct match m = {.q = q};

    if (q->n_terms > 0) {
        take_object(&m, OF_LINE, json_root(line));
    }
    for (size_t i = 0; i < q->n_terms; i++) {
        if (((m.met >> i & 1U) != 0) == q->terms[i].is_negated) {
            return false;
        }
    }
    return true;
}
