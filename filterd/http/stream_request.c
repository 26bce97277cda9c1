#include "http/stream_request.h"

#include <stdio.h>

#include "base/json.h"
#include "http/fault.h"
#include "text/visible.h"

enum { SEQUENCE_DIGITS = 15 }; /* what a double holds exactly */

struct parser {
    struct arena *arena;
    struct stream_request *out;
    struct filter_fault *fault;
    unsigned kind, seen; /* seen: bit per entry of members */
};

struct member;
typedef bool read_member_fn(const struct parser *r, const struct member *m,
                            struct json_value value);

struct member {
    const char *name;
    unsigned kinds;
    read_member_fn *read;
    size_t offset; /* in stream_request */
};

static bool refuse(struct filter_fault *fault, const struct member *m, const char *expected)
{
    char pointer[40];

    (void)snprintf(pointer, sizeof(pointer), "/%s", m->name);
    return fault_set(fault, 422, pointer, "%s expected", expected);
}

static void *field(struct stream_request *q, const struct member *m)
{
    return (char *)q + m->offset;
}

/* RFC 6901, but nothing that cannot be seen: it is shown, and recorded. */
static bool is_pointer(struct span path)
{
    for (size_t i = 0; i < path.len; i++) {
        bool is_escape = path.ptr[i] == '~';
        if (is_escape && (i + 1 == path.len || (path.ptr[i + 1] != '0' && path.ptr[i + 1] != '1'))) {
            return false;
        }
    }
    return path.len == 0 || (path.ptr[0] == '/' && text_is_visible(path));
}

static bool check_path(struct span path, const struct member *m, struct filter_fault *fault)
{
    return is_pointer(path) || refuse(fault, m, "a JSON pointer without control, invisible and bidirectional characters");
}

static bool read_name(const struct parser *r, const struct member *m, struct json_value value)
{
    struct error err;

    if (value.kind != JSON_KIND_STRING || value.raw.len > (size_t)FILTER_NAME_MAX) {
        return refuse(r->fault, m, "a string of at most 254 bytes");
    }
    return json_unquote(r->arena, value, field(r->out, m), &err) || fault_set_error(r->fault, &err);
}

static bool read_path(const struct parser *r, const struct member *m, struct json_value value)
{
    return read_name(r, m, value) && check_path(*(struct span *)field(r->out, m), m, r->fault);
}

static bool read_text(const struct parser *r, const struct member *m, struct json_value value)
{
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return refuse(r->fault, m, "a string");
    }
    return json_unquote(r->arena, value, field(r->out, m), &err) || fault_set_error(r->fault, &err);
}

static bool set_sequence(struct stream_request *q, const struct member *m, struct span digits,
                         struct filter_fault *fault)
{
    uint64_t value = 0;

    for (size_t i = 0; i < digits.len && i <= SEQUENCE_DIGITS; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') {
            value = 0;
            break;
        }
        value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    q->sequence = value;
    return (value > 0 && digits.len <= SEQUENCE_DIGITS) ||
           refuse(fault, m, "a whole number from 1");
}

static bool read_sequence(const struct parser *r, const struct member *m, struct json_value value)
{
    return set_sequence(r->out, m, value.raw, r->fault);
}

static bool read_truncated(const struct parser *r, const struct member *m, struct json_value value)
{
    r->out->is_truncated = value.kind == JSON_KIND_TRUE;
    return value.kind == JSON_KIND_TRUE || value.kind == JSON_KIND_FALSE ||
           refuse(r->fault, m, "true or false");
}

#define AT(member) offsetof(struct stream_request, member)

static const struct member members[] = {
    {"policy", STREAM_BODY_OPEN, read_name, AT(policy)},
    {"tenant", STREAM_BODY_OPEN, read_name, AT(who.tenant)},
    {"app", STREAM_BODY_OPEN, read_name, AT(who.app)},
    {"agent", STREAM_BODY_OPEN, read_name, AT(who.agent)},
    {"session", STREAM_BODY_OPEN, read_name, AT(who.session)},
    {"path", STREAM_BODY_OPEN, read_path, AT(path)},
    {"text", STREAM_BODY_CHUNK, read_text, AT(text)},
    {"channel", STREAM_BODY_CHUNK, read_path, AT(channel)},
    {"sequence", STREAM_BODY_CHUNK, read_sequence, AT(sequence)},
    {"truncated", STREAM_BODY_END, read_truncated, AT(is_truncated)},
};

static const struct member *find_member(struct span name, unsigned kind)
{
    for (size_t i = 0; i < COUNT(members); i++) {
        if ((members[i].kinds & kind) != 0 && span_is(name, members[i].name)) {
            return &members[i];
        }
    }
    return NULL;
}

static bool refuse_unknown(struct filter_fault *fault, struct span name, unsigned kind)
{
    static const struct {
        unsigned kind;
        const char *detail;
    } details[] = {
        {STREAM_BODY_OPEN,
         "only the members policy, tenant, app, agent, session and path expected"},
        {STREAM_BODY_CHUNK, "only the members text, channel and sequence expected"},
        {STREAM_BODY_END, "only the member truncated expected"},
    };
    const char *detail = "";

    for (size_t i = 0; i < COUNT(details); i++) {
        detail = details[i].kind == kind ? details[i].detail : detail;
    }
    return fault_set_unknown(fault, name, detail);
}

static bool mark_seen(const struct member *m, unsigned *seen, struct filter_fault *fault)
{
    unsigned bit = 1U << (unsigned)(m - members);

    if ((*seen & bit) != 0) {
        return fault_set(fault, 400, "", "each member once expected");
    }
    *seen |= bit;
    return true;
}

static bool read_member(struct parser *r, struct span raw_name, struct json_value value)
{
    struct span name;
    struct error err;

    if (!json_unescape(r->arena, raw_name, &name, &err)) {
        return fault_set_error(r->fault, &err);
    }
    const struct member *m = find_member(name, r->kind);
    if (m == NULL) {
        return refuse_unknown(r->fault, name, r->kind);
    }
    return mark_seen(m, &r->seen, r->fault) && m->read(r, m, value);
}

static bool read_object(struct parser *r, struct span body)
{
    struct json_value item;
    struct span name;
    struct error err;

    if (!json_validate(body, &err)) {
        return fault_set(r->fault, 400, "", "%s", err.text);
    }
    struct json_value root = json_root(body);
    if (root.kind != JSON_KIND_OBJECT) {
        return fault_set(r->fault, 422, "", "an object expected");
    }
    for (struct json_iterator it = json_iterate(root); json_next(&it, &name, &item);) {
        if (!read_member(r, name, item)) {
            return false;
        }
    }
    return true;
}

bool stream_request_read(struct arena *a, struct span body, enum stream_body kind,
                         struct stream_request *out, struct filter_fault *fault)
{
    struct parser r = {.arena = a, .out = out, .fault = fault, .kind = kind};

    *out = (struct stream_request){0};
    if (body.len == 0 && kind != STREAM_BODY_CHUNK) {
        return true;
    }
    return read_object(&r, body) && (kind != STREAM_BODY_CHUNK || out->text.ptr != NULL ||
                                     fault_set(fault, 422, "/text", "a string expected"));
}

bool stream_request_set(struct stream_request *q, struct span name, struct span value,
                        unsigned *seen, struct filter_fault *fault)
{
    const struct member *m = find_member(name, STREAM_BODY_CHUNK);

    if (m == NULL || m->read == read_text) {
        return fault_set(fault, 422, "", "only the parameters channel and sequence expected");
    }
    if (!mark_seen(m, seen, fault)) {
        return false;
    }
    if (m->read == read_sequence) {
        return set_sequence(q, m, value, fault);
    }
    q->channel = value;
    return value.len <= (size_t)FILTER_NAME_MAX ? check_path(value, m, fault)
                                                : refuse(fault, m, "at most 254 bytes");
}
