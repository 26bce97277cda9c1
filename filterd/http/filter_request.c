#include "http/filter_request.h"

#include <stdio.h>

#include "http/members.h"

static bool check_size(struct filter_request *q, size_t text_max, struct filter_fault *fault)
{
    q->bytes = 0;
    for (size_t i = 0; i < q->n_channels; i++) {
        q->bytes += q->channels[i].text.len;
    }
    return q->bytes <= text_max || fault_set(fault, 413, "", "at most %zu bytes of text expected", text_max);
}

static int count_contents(const struct member_reader *r)
{
    return members_has(r, "text") + members_has(r, "messages") + members_has(r, "document");
}

static bool is_only_content(const struct member_reader *r)
{
    return count_contents(r) == 1 || fault_set(r->fault, 422, "", "only one of text, messages and document expected");
}

static bool read_text(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct filter_request *q = r->out;

    if (!is_only_content(r) || !member_text.read(r, m, value)) {
        return false;
    }
    q->kind = FILTER_TEXT;
    q->quoted = value.raw;
    q->channels = &q->text;
    q->n_channels = 1;
    return true;
}

static bool read_channels(struct member_reader *r, struct json_value value, enum filter_kind kind)
{
    struct filter_request *q = r->out;
    struct error err;

    if (!document_read(r->arena, value.raw, (struct span){0}, &q->document, &err)) {
        return fault_set_error(r->fault, &err);
    }
    q->kind = kind;
    q->channels = q->document.channels;
    q->n_channels = q->document.n;
    return true;
}

static bool read_messages(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct json_iterator it = json_iterate(value);
    struct json_value item;
    struct span name;

    if (!is_only_content(r)) {
        return false;
    }
    if (value.kind != JSON_KIND_ARRAY) {
        return member_refuse(r, m, "an array of messages");
    }
    for (size_t i = 0; json_next(&it, &name, &item); i++) {
        if (item.kind != JSON_KIND_OBJECT) {
            char pointer[40];
            (void)snprintf(pointer, sizeof(pointer), "/messages/%zu", i);
            return fault_set(r->fault, 422, pointer, "an object expected");
        }
    }
    return read_channels(r, value, FILTER_MESSAGES);
}

static bool read_document(struct member_reader *r, const struct member *m, struct json_value value)
{
    (void)m;
    return is_only_content(r) && read_channels(r, value, FILTER_DOCUMENT);
}

#define AT(member) offsetof(struct request_context, member), 0
static const struct member context_members[] = {
    {"system", &member_text, AT(prompt)},
    {"user", &member_text, AT(user)},
    {0},
};
#undef AT

static bool read_context(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct member_reader inner = {
        .arena = r->arena, .members = context_members, .out = member_of(r, m), .fault = r->fault};
    char pointer[sizeof(r->fault->pointer)];

    if (members_read(&inner, value.raw)) {
        return true;
    }
    (void)snprintf(pointer, sizeof(pointer), "/%.8s%.28s", m->name, r->fault->pointer);
    (void)snprintf(r->fault->pointer, sizeof(r->fault->pointer), "%s", pointer);
    return false;
}

const struct member_type member_context = {read_context, NULL};

bool context_system_prompt(const struct request_context *context, const struct policy *policy, struct system_prompt **out,
                           struct filter_fault *fault)
{
    struct system_prompt *prompt = NULL;
    struct error err = {0};

    *out = NULL;
    if (policy->system_prompt == NULL || context->prompt.len == 0) {
        return true;
    }
    prompt = system_prompt_new(&err);
    if (prompt == NULL || !system_prompt_add(prompt, context->prompt, &err) ||
        !system_prompt_add_user(prompt, context->user, &err)) {
        system_prompt_unref(prompt);
        return err.kind == ERROR_LIMIT
                   ? fault_set(fault, 422, "/context/system", "at most %d bytes expected", SYSTEM_PROMPT_MAX)
                   : fault_set(fault, 503, "", "no room at the moment");
    }
    *out = prompt;
    return true;
}

static bool set_direction(struct member_reader *r, const struct member *m, struct span value)
{
    *(bool *)member_of(r, m) = span_is(value, "request");
    return span_is(value, "request") || span_is(value, "answer") || member_refuse(r, m, "'request' or 'answer'");
}

static bool read_direction(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct span text;
    struct error err;

    if (value.kind != JSON_KIND_STRING || !json_unquote(r->arena, value, &text, &err)) {
        return member_refuse(r, m, "'request' or 'answer'");
    }
    return set_direction(r, m, text);
}

static const struct member_type direction_type = {read_direction, set_direction};
static const struct member_type text_type = {read_text, NULL}, messages_type = {read_messages, NULL},
                                document_type = {read_document, NULL};

#define AT(member) offsetof(struct filter_request, member), 0
static const struct member members[] = {
    {"text", &text_type, AT(text.text)},
    {"messages", &messages_type, 0, 0},
    {"document", &document_type, 0, 0},
    {"policy", &member_name, AT(policy)},
    {"tenant", &member_name, AT(who.tenant)},
    {"app", &member_name, AT(who.app)},
    {"agent", &member_name, AT(who.agent)},
    {"session", &member_name, AT(who.session)},
    {"user", &member_name, AT(who.user)},
    {"explain", &member_flag, AT(explain)},
    {"context", &member_context, AT(context)},
    {"direction", &direction_type, AT(is_request)},
    {"restore", &member_name, AT(restore)},
    {0},
};

bool filter_request_read(struct arena *a, struct span body, size_t text_max,
                         struct filter_request *out, struct filter_fault *fault)
{
    struct member_reader r = {.arena = a, .members = members, .out = out, .fault = fault};

    *out = (struct filter_request){0};
    if (!members_read(&r, body)) {
        return false;
    }
    if (count_contents(&r) == 0) {
        return fault_set(fault, 422, "", "one of text, messages and document expected");
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
    struct member_reader r = {.members = members, .out = q, .fault = fault, .seen = *seen};

    bool is_set = members_set(&r, name, value);
    *seen = r.seen;
    return is_set;
}

const char *filter_kind_name(enum filter_kind kind)
{
    static const char *const names[] = {"text", "messages", "document"};

    return names[kind];
}
