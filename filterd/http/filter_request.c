#include "http/filter_request.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

#include "base/json.h"
#include "http/fault.h"

struct parser {
    struct arena *arena;
    struct filter_request *out;
    struct filter_fault *fault;
    unsigned seen; /* bit per entry of members */
    bool has_content;
};

static bool refuse(struct filter_fault *fault, unsigned status, const char *pointer,
                   const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool refuse(struct filter_fault *fault, unsigned status, const char *pointer,
                   const char *format, ...)
{
    va_list args;

    fault->status = status;
    (void)snprintf(fault->pointer, sizeof(fault->pointer), "%s", pointer);
    va_start(args, format);
    (void)vsnprintf(fault->detail, sizeof(fault->detail), format, args);
    va_end(args);
    return false;
}

/* Limits are the client's doing, the rest is ours. */
static bool refuse_error(struct filter_fault *fault, const struct error *err)
{
    bool is_limit = err->kind == ERROR_LIMIT;

    return refuse(fault, is_limit ? 413 : 503, "", "%s",
                  is_limit ? "the body needs more working memory than one request may have"
                           : "out of memory");
}

static bool check_size(struct filter_request *q, size_t text_max, struct filter_fault *fault)
{
    q->bytes = 0;
    for (size_t i = 0; i < q->n_channels; i++) {
        q->bytes += q->channels[i].text.len;
    }
    return q->bytes <= text_max ||
           refuse(fault, 413, "", "at most %zu bytes of text expected", text_max);
}

struct member;
typedef bool read_member_fn(struct parser *r, const struct member *m, struct json_value value);

struct member {
    const char *name;
    read_member_fn *read;
    size_t offset; /* in filter_request, for names */
    bool is_content;
};

static bool refuse_type(struct parser *r, const struct member *m, const char *expected)
{
    char pointer[40];

    (void)snprintf(pointer, sizeof(pointer), "/%s", m->name);
    return refuse(r->fault, 422, pointer, "%s expected", expected);
}

static bool read_text(struct parser *r, const struct member *m, struct json_value value)
{
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return refuse_type(r, m, "a string");
    }
    r->out->kind = FILTER_TEXT;
    r->out->text = (struct channel){0};
    r->out->quoted = value.raw;
    r->out->channels = &r->out->text;
    r->out->n_channels = 1;
    return json_unquote(r->arena, value, &r->out->text.text, &err) || refuse_error(r->fault, &err);
}

static bool read_channels(struct parser *r, struct json_value value)
{
    struct error err;

    if (!document_read(r->arena, value.raw, (struct span){0}, &r->out->document, &err)) {
        return refuse_error(r->fault, &err);
    }
    r->out->channels = r->out->document.channels;
    r->out->n_channels = r->out->document.n;
    return true;
}

static bool read_messages(struct parser *r, const struct member *m, struct json_value value)
{
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;

    if (value.kind != JSON_KIND_ARRAY) {
        return refuse_type(r, m, "an array of messages");
    }
    for (size_t i = 0; json_next(&it, &name, &item); i++) {
        if (item.kind != JSON_KIND_OBJECT) {
            char pointer[40];
            (void)snprintf(pointer, sizeof(pointer), "/messages/%zu", i);
            return refuse(r->fault, 422, pointer, "an object expected");
        }
    }
    r->out->kind = FILTER_MESSAGES;
    return read_channels(r, value);
}

static bool read_document(struct parser *r, const struct member *m, struct json_value value)
{
    (void)m;
    r->out->kind = FILTER_DOCUMENT;
    return read_channels(r, value);
}

static struct span *name_field(struct filter_request *q, const struct member *m)
{
    return (struct span *)(void *)((char *)q + m->offset);
}

static bool read_name(struct parser *r, const struct member *m, struct json_value value)
{
    struct span *field = name_field(r->out, m);
    struct error err;

    if (value.kind != JSON_KIND_STRING || value.raw.len > (size_t)FILTER_NAME_MAX) {
        return refuse_type(r, m, "a string of at most 254 bytes");
    }
    return json_unquote(r->arena, value, field, &err) || refuse_error(r->fault, &err);
}

static bool read_explain(struct parser *r, const struct member *m, struct json_value value)
{
    if (value.kind != JSON_KIND_TRUE && value.kind != JSON_KIND_FALSE) {
        return refuse_type(r, m, "true or false");
    }
    r->out->explain = value.kind == JSON_KIND_TRUE;
    return true;
}

static const struct member members[] = {
    {"text", read_text, 0, true},
    {"messages", read_messages, 0, true},
    {"document", read_document, 0, true},
    {"policy", read_name, offsetof(struct filter_request, policy), false},
    {"tenant", read_name, offsetof(struct filter_request, who.tenant), false},
    {"app", read_name, offsetof(struct filter_request, who.app), false},
    {"agent", read_name, offsetof(struct filter_request, who.agent), false},
    {"session", read_name, offsetof(struct filter_request, who.session), false},
    {"explain", read_explain, 0, false},
};

static const struct member *find_member(struct span name)
{
    for (size_t i = 0; i < COUNT(members); i++) {
        if (span_is(name, members[i].name)) {
            return &members[i];
        }
    }
    return NULL;
}

static bool mark_seen(const struct member *m, unsigned *seen, struct filter_fault *fault)
{
    unsigned bit = 1U << (unsigned)(m - members);

    if ((*seen & bit) != 0) {
        char pointer[40];
        (void)snprintf(pointer, sizeof(pointer), "/%s", m->name);
        return refuse(fault, 400, pointer, "each member once expected");
    }
    *seen |= bit;
    return true;
}

static bool read_member(struct parser *r, struct span raw_name, struct json_value value)
{
    struct span name;
    struct error err;

    if (!json_unescape(r->arena, raw_name, &name, &err)) {
        return refuse_error(r->fault, &err);
    }
    const struct member *m = find_member(name);
    if (m == NULL) {
        return fault_set_unknown(r->fault, name,
                                 "only the members text, messages, document, policy, tenant, app, agent, "
                                 "session and explain expected");
    }
    if (!mark_seen(m, &r->seen, r->fault)) {
        return false;
    }
    if (m->is_content && r->has_content) {
        return refuse(r->fault, 422, "", "only one of text, messages and document expected");
    }
    r->has_content |= m->is_content;
    return m->read(r, m, value);
}

bool filter_request_read(struct arena *a, struct span body, size_t text_max,
                         struct filter_request *out, struct filter_fault *fault)
{
    struct parser r = {.arena = a, .out = out, .fault = fault};
    struct json_value item;
    struct span name;
    struct error err;

    *out = (struct filter_request){0};
    if (!json_validate(body, &err)) {
        return refuse(fault, 400, "", "%s", err.text);
    }
    struct json_value root = json_root(body);
    if (root.kind != JSON_KIND_OBJECT) {
        return refuse(fault, 422, "", "an object expected");
    }
    for (struct json_iterator it = json_iterate(root); json_next(&it, &name, &item);) {
        if (!read_member(&r, name, item)) {
            return false;
        }
    }
    if (!r.has_content) {
        return refuse(fault, 422, "", "one of text, messages and document expected");
    }
    return check_size(out, text_max, fault);
}

bool filter_request_plain(struct span body, size_t text_max, struct filter_request *out,
                          struct filter_fault *fault)
{
    *out = (struct filter_request){.kind = FILTER_TEXT, .n_channels = 1};
    out->text.text = body;
    out->channels = &out->text;
    return check_size(out, text_max, fault);
}

bool filter_request_set(struct filter_request *q, struct span name, struct span value,
                        unsigned *seen, struct filter_fault *fault)
{
    const struct member *m = find_member(name);

    if (m == NULL || m->is_content) {
        return refuse(fault, 422, "",
                      "only the parameters policy, tenant, app, agent, session and explain "
                      "expected");
    }
    if (!mark_seen(m, seen, fault)) {
        return false;
    }
    if (m->read == read_name) {
        *name_field(q, m) = value;
        return value.len <= (size_t)FILTER_NAME_MAX ||
               refuse(fault, 422, "", "at most %d bytes in a parameter expected", FILTER_NAME_MAX);
    }
    q->explain = span_is(value, "true") || span_is(value, "1");
    return q->explain || span_is(value, "false") || span_is(value, "0") ||
           refuse(fault, 422, "", "explain: true or false expected");
}

const char *filter_kind_name(enum filter_kind kind)
{
    static const char *const names[] = {"text", "messages", "document"};

    return names[kind];
}
