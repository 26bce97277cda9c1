#include "websocket/event.h"

#include "base/json.h"

struct event_members {
    struct json_value type, response, response_id;
    bool has_type, has_response, has_response_id;
};

static bool take_once(bool *has, struct json_value *out, struct json_value value)
{
    bool is_first = !*has;

    *has = true;
    *out = value;
    return is_first;
}

static bool read_members(struct span json, struct event_members *m)
{
    struct json_iterator it = json_iterate(json_root(json));
    struct json_value value;
    struct span name;

    while (json_next(&it, &name, &value)) {
        bool is_good = memchr(name.ptr, '\\', name.len) == NULL;
        if (span_is(name, "type")) {
            is_good = take_once(&m->has_type, &m->type, value);
        } else if (span_is(name, "response")) {
            is_good = take_once(&m->has_response, &m->response, value);
        } else if (span_is(name, "response_id")) {
            is_good = take_once(&m->has_response_id, &m->response_id, value);
        }
        if (!is_good) {
            return false;
        }
    }
    return m->has_type;
}

/* What is between the quotes; false: it is another value, or has an escape. */
static bool read_word(struct json_value value, struct span *out)
{
    bool is_word = value.kind == JSON_KIND_STRING && memchr(value.raw.ptr, '\\', value.raw.len) == NULL;

    *out = is_word ? span_slice(value.raw, 1, value.raw.len - 1) : span_of("", 0);
    return is_word;
}

/* The member "id" of the member "response". */
static bool read_response(struct json_value response, struct span *id)
{
    struct json_iterator it = json_iterate(response);
    struct json_value value;
    bool has_id = false;
    struct span name;

    while (json_next(&it, &name, &value)) {
        if (span_is(name, "id") && (!take_once(&has_id, &value, value) || !read_word(value, id))) {
            return false;
        }
    }
    return has_id;
}

static bool ends_with(struct span text, const char *end)
{
    size_t n = strlen(end);

    return text.len >= n && memcmp(text.ptr + text.len - n, end, n) == 0;
}

static enum event_use use_of(enum event_api api, const struct event *e)
{
    static const char *const last[] = {"response.completed", "response.incomplete", "response.failed", "response.cancelled",
                                       "response.done", "error"};
    bool is_last = false;

    for (size_t i = 0; i < COUNT(last); i++) {
        is_last = is_last || span_is(e->type, last[i]);
    }
    if (api == EVENT_RESPONSES) {
        return is_last ? EVENT_ENDS : span_is(e->type, "response.created") ? EVENT_BEGINS : EVENT_GOES_ON;
    }
    if (e->response.len > 0) {
        return is_last ? EVENT_ENDS : span_is(e->type, "response.created") ? EVENT_BEGINS : EVENT_GOES_ON;
    }
    /* The transcript of what the user says comes in pieces, and once more as a whole. */
    return ends_with(e->type, ".delta") || ends_with(e->type, ".segment") ? EVENT_DROPPED : EVENT_ALONE;
}

static bool read_typed(struct span json, struct event_members *m, struct span *type, struct error *err)
{
    if (!json_validate(json, err)) {
        return false;
    }
    if (json_root(json).kind != JSON_KIND_OBJECT || !read_members(json, m) || !read_word(m->type, type) || type->len == 0) {
        return error_set(err, ERROR_MALFORMED, "event: an object with one type, and names without escapes, expected");
    }
    return true;
}

bool event_type(struct span json, struct span *type, struct error *err)
{
    struct event_members m = {0};

    return read_typed(json, &m, type, err);
}

bool event_read(enum event_api api, struct span json, struct event *out, struct error *err)
{
    struct event_members m = {0};

    *out = (struct event){0};
    if (!read_typed(json, &m, &out->type, err)) {
        return false;
    }
    if ((m.has_response_id && !read_word(m.response_id, &out->response)) ||
        (!m.has_response_id && m.has_response && m.response.kind == JSON_KIND_OBJECT && api == EVENT_REALTIME &&
         !read_response(m.response, &out->response))) {
        return error_set(err, ERROR_MALFORMED, "event: the id of a response expected");
    }
    out->use = use_of(api, out);
    return true;
}
