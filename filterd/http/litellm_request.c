#include "http/litellm_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/members.h"
#include "prompt/prompt_data.h"

/* Channels that were read together; joined at the end. */
struct part {
    struct channel *channels;
    size_t n;
    struct part *next;
};

struct parser {
    struct arena *arena;
    struct litellm_request *out;
    struct filter_fault *fault;
    struct part *first, *newest;
    struct json_value tool_calls, messages, tools;
    struct span call_id;
    uint32_t n_columns; /* of the documents before */
};

static bool add_part(struct parser *r, struct channel *channels, size_t n)
{
    struct error err;
    struct part *part = arena_alloc(r->arena, sizeof(*part), &err);

    if (part == NULL) {
        return fault_set_error(r->fault, &err);
    }
    *part = (struct part){.channels = channels, .n = n};
    r->newest->next = part;
    r->newest = part;
    r->out->n_channels += n;
    return true;
}

static bool read_input_type(struct member_reader *r, const struct member *m, struct json_value value)
{
    bool *is_response = &((struct parser *)r->out)->out->is_response;

    *is_response = span_is(value.raw, "\"response\"");
    return *is_response || span_is(value.raw, "\"request\"") ||
           member_refuse(r, m, "\"request\" or \"response\"");
}

static bool count_strings(struct json_value array, size_t *n)
{
    struct json_iterator it = json_iterate(array);
    struct json_value item;
    struct span name;

    *n = 0;
    while (json_next(&it, &name, &item)) {
        if (item.kind != JSON_KIND_STRING) {
            return false;
        }
        ++*n;
    }
    return true;
}

static bool text_channel(struct arena *a, size_t index, struct json_value item,
                         struct channel *channel, struct error *err)
{
    char path[40];
    int len = snprintf(path, sizeof(path), "/texts/%zu", index);

    *channel = (struct channel){0};
    return arena_copy(a, span_of(path, (size_t)len), &channel->path, err) &&
           json_unquote(a, item, &channel->text, err);
}

/* Of all members this one is read first, as its channels come first. */
static bool read_texts(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct parser *p = r->out;
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;
    struct error err;
    size_t n = 0;

    if (value.kind != JSON_KIND_ARRAY || !count_strings(value, &n)) {
        return member_refuse(r, m, "an array of strings");
    }
    struct channel *channels = arena_array(r->arena, n, sizeof(*channels), &err);
    if (channels == NULL) {
        return fault_set_error(r->fault, &err);
    }
    for (size_t i = 0; json_next(&it, &name, &item); i++) {
        if (!text_channel(r->arena, i, item, &channels[i], &err)) {
            return fault_set_error(r->fault, &err);
        }
    }
    p->out->n_texts = n;
    p->first->channels = channels;
    p->first->n = n;
    p->out->n_channels += n;
    return true;
}

/* Kept until all members are known. */
static bool keep_array(struct member_reader *r, const struct member *m, struct json_value value)
{
    if (value.kind != JSON_KIND_ARRAY) {
        return member_refuse(r, m, "an array");
    }
    *(struct json_value *)member_of(r, m) = value;
    return true;
}

static bool read_name(struct member_reader *r, struct json_value value, struct span *name)
{
    struct error err;

    if (value.kind == JSON_KIND_NULL) {
        return true;
    }
    if (value.kind != JSON_KIND_STRING || value.raw.len > (size_t)FILTER_NAME_MAX) {
        return fault_set(r->fault, 422, "", "ids and aliases of at most 254 bytes expected");
    }
    return json_unquote(r->arena, value, name, &err) || fault_set_error(r->fault, &err);
}

static bool read_id(struct member_reader *r, const struct member *m, struct json_value value)
{
    return read_name(r, value, member_of(r, m));
}

static bool read_trace_id(struct member_reader *r, const struct member *m, struct json_value value)
{
    (void)m;
    return read_name(r, value, &((struct parser *)r->out)->out->who.session);
}

/* Whose key it was. */
static bool read_request_data(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct identity *who = &((struct parser *)r->out)->out->who;
    const struct {
        const char *name;
        struct span *field;
    } fields[] = {
        {"user_api_key_team_alias", &who->tenant},
        {"user_api_key_alias", &who->app},
        {"user_api_key_end_user_id", &who->user},
    };
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;

    if (value.kind != JSON_KIND_OBJECT) {
        return member_refuse(r, m, "an object");
    }
    while (json_next(&it, &name, &item)) {
        for (size_t i = 0; i < COUNT(fields); i++) {
            if (span_is(name, fields[i].name) && !read_name(r, item, fields[i].field)) {
                return false;
            }
        }
    }
    return true;
}

static const struct member_type input_type = {read_input_type, NULL}, texts_type = {read_texts, NULL},
                                array_type = {keep_array, NULL}, data_type = {read_request_data, NULL},
                                trace_type = {read_trace_id, NULL}, id_type = {read_id, NULL};

#define AT(member) offsetof(struct parser, member), 0
static const struct member members[] = {
    {"input_type", &input_type, 0, 0},
    {"texts", &texts_type, 0, 0},
    {"tool_calls", &array_type, AT(tool_calls)},
    {"structured_messages", &array_type, AT(messages)},
    {"tools", &array_type, AT(tools)},
    {"request_data", &data_type, 0, 0},
    {"litellm_trace_id", &trace_type, 0, 0},
    {"litellm_call_id", &id_type, AT(call_id)},
    {0},
};

static bool is_arguments(const struct channel *c)
{
    static const char end[] = "/function/arguments";
    size_t len = sizeof(end) - 1;

    return !c->is_member_name && c->path.len >= len &&
           span_is(span_slice(c->path, c->path.len - len, c->path.len), end);
}

/* True when the text is a JSON array or object. */
static bool is_document(struct span text)
{
    struct error err;

    if (!json_validate(text, &err)) {
        return false;
    }
    enum json_kind kind = json_root(text).kind;
    return kind == JSON_KIND_OBJECT || kind == JSON_KIND_ARRAY;
}

static bool add_document(struct parser *r, struct span json, struct span prefix,
                         struct document *document)
{
    struct error err;

    if (!document_read(r->arena, json, prefix, document, &err)) {
        return fault_set_error(r->fault, &err);
    }
    r->n_columns = document_number_columns(document, r->n_columns);
    return add_part(r, document->channels, document->n);
}

/* Arguments that are a document give way to its channels: a tool reads what the document says, and
 * names in it tell what a value is. Arguments that are not (yet) one are judged as a text. */
static bool add_tool_calls(struct parser *r)
{
    struct document calls, arguments;
    size_t kept = 0;

    if (r->tool_calls.kind != JSON_KIND_ARRAY) {
        return true;
    }
    if (!add_document(r, r->tool_calls.raw, span_str("/tool_calls"), &calls)) {
        return false;
    }
    struct part *part = r->newest;
    for (size_t i = 0; i < calls.n; i++) {
        struct channel c = calls.channels[i];
        if (!is_arguments(&c) || !is_document(c.text)) {
            calls.channels[kept++] = c;
        } else if (!add_document(r, c.text, c.path, &arguments)) {
            return false;
        }
    }
    r->out->n_channels -= part->n - kept;
    part->n = kept;
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    const struct span *one = a, *other = b;

    if (one->len != other->len) {
        return one->len < other->len ? -1 : 1;
    }
    return one->len == 0 ? 0 : memcmp(one->ptr, other->ptr, one->len);
}

/* What the texts say already is judged there, where the answer may rewrite it. Images are not judged. */
static bool leave_repeated(struct parser *r, struct part *messages)
{
    const struct channel *texts = r->first->channels;
    size_t kept = 0;
    struct error err;
    struct span *sorted = arena_array(r->arena, r->out->n_texts, sizeof(*sorted), &err);

    if (sorted == NULL) {
        return fault_set_error(r->fault, &err);
    }
    for (size_t i = 0; i < r->out->n_texts; i++) {
        sorted[i] = texts[i].text;
    }
    qsort(sorted, r->out->n_texts, sizeof(*sorted), compare_texts);
    for (size_t i = 0; i < messages->n; i++) {
        struct channel c = messages->channels[i];
        bool is_repeated = bsearch(&c.text, sorted, r->out->n_texts, sizeof(*sorted), compare_texts) != NULL;
        if (c.is_member_name || !(is_repeated || prompt_is_data(c.text))) {
            messages->channels[kept++] = c;
        }
    }
    r->out->n_channels -= messages->n - kept;
    messages->n = kept;
    return true;
}

/* Beside a model's output they are what it was asked. */
static bool add_messages(struct parser *r)
{
    bool has_texts = r->out->n_texts > 0;
    struct document messages;

    if (r->messages.kind != JSON_KIND_ARRAY || (has_texts && r->out->is_response)) {
        return true;
    }
    return add_document(r, r->messages.raw, span_str("/structured_messages"), &messages) && (!has_texts || leave_repeated(r, r->newest));
}

/* Beside a model's output they are what it was offered. */
static bool add_tools(struct parser *r)
{
    struct document tools;

    return r->tools.kind != JSON_KIND_ARRAY || r->out->is_response || add_document(r, r->tools.raw, span_str("/tools"), &tools);
}

static bool join(struct parser *r, size_t text_max)
{
    struct litellm_request *q = r->out;
    struct error err;
    size_t n = 0;

    q->channels = arena_array(r->arena, q->n_channels, sizeof(*q->channels), &err);
    if (q->channels == NULL) {
        return fault_set_error(r->fault, &err);
    }
    for (const struct part *p = r->first; p != NULL; p = p->next) {
        for (size_t i = 0; i < p->n; i++) {
            q->channels[n++] = p->channels[i];
            q->bytes += p->channels[i].text.len;
        }
    }
    return q->bytes <= text_max ||
           fault_set(r->fault, 413, "", "at most %zu bytes of text expected", text_max);
}

bool litellm_request_read(struct arena *a, struct span body, size_t text_max,
                          struct litellm_request *out, struct filter_fault *fault)
{
    struct part texts = {0};
    struct parser r = {.arena = a, .out = out, .fault = fault, .first = &texts, .newest = &texts};
    struct member_reader reader = {.arena = a, .members = members, .out = &r, .fault = fault, .is_open = true};

    *out = (struct litellm_request){0};
    if (!members_read(&reader, body)) {
        return false;
    }
    if (!members_has(&reader, "input_type")) {
        return fault_set(fault, 422, "/input_type", "\"request\" or \"response\" expected");
    }
    if (!add_tool_calls(&r) || !add_messages(&r) || !add_tools(&r)) {
        return false;
    }
    out->who.session = out->who.session.len > 0 ? out->who.session : r.call_id;
    return join(&r, text_max);
}
