#include "http/stream_request.h"

#include "http/members.h"
#include "text/visible.h"

enum { SEQUENCE_DIGITS = 15 }; /* what a double holds exactly */

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

static bool check_path(struct member_reader *r, const struct member *m)
{
    return is_pointer(*(struct span *)member_of(r, m)) ||
           member_refuse(r, m, "a JSON pointer without control, invisible and bidirectional characters");
}

static bool read_path(struct member_reader *r, const struct member *m, struct json_value value)
{
    return member_name.read(r, m, value) && check_path(r, m);
}

static bool set_path(struct member_reader *r, const struct member *m, struct span value)
{
    return member_name.set(r, m, value) && check_path(r, m);
}

static bool set_sequence(struct member_reader *r, const struct member *m, struct span digits)
{
    uint64_t value = 0;

    for (size_t i = 0; i < digits.len && i <= SEQUENCE_DIGITS; i++) {
        if (digits.ptr[i] < '0' || digits.ptr[i] > '9') {
            value = 0;
            break;
        }
        value = value * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    *(uint64_t *)member_of(r, m) = value;
    return (value > 0 && digits.len <= SEQUENCE_DIGITS) || member_refuse(r, m, "a whole number from 1");
}

static bool read_sequence(struct member_reader *r, const struct member *m, struct json_value value)
{
    return set_sequence(r, m, value.raw);
}

static const struct member_type path_type = {read_path, set_path}, sequence_type = {read_sequence, set_sequence};

#define AT(member) offsetof(struct stream_request, member)

static const struct member members[] = {
    {"policy", &member_name, AT(policy), STREAM_BODY_OPEN},
    {"tenant", &member_name, AT(who.tenant), STREAM_BODY_OPEN},
    {"app", &member_name, AT(who.app), STREAM_BODY_OPEN},
    {"agent", &member_name, AT(who.agent), STREAM_BODY_OPEN},
    {"session", &member_name, AT(who.session), STREAM_BODY_OPEN},
    {"user", &member_name, AT(who.user), STREAM_BODY_OPEN},
    {"restore", &member_name, AT(restore), STREAM_BODY_OPEN},
    {"path", &path_type, AT(path), STREAM_BODY_OPEN},
    {"context", &member_context, AT(context), STREAM_BODY_OPEN},
    {"text", &member_text, AT(text), STREAM_BODY_CHUNK},
    {"channel", &path_type, AT(channel), STREAM_BODY_CHUNK},
    {"sequence", &sequence_type, AT(sequence), STREAM_BODY_CHUNK},
    {"truncated", &member_flag, AT(is_truncated), STREAM_BODY_END},
    {0},
};

bool stream_request_read(struct arena *a, struct span body, enum stream_body kind,
                         struct stream_request *out, struct filter_fault *fault)
{
    struct member_reader r = {.arena = a, .members = members, .out = out, .fault = fault, .kinds = kind};

    *out = (struct stream_request){0};
    if (body.len == 0 && kind != STREAM_BODY_CHUNK) {
        return true;
    }
    return members_read(&r, body) && (kind != STREAM_BODY_CHUNK || members_has(&r, "text") ||
                                      fault_set(fault, 422, "/text", "a string expected"));
}

bool stream_request_set(struct stream_request *q, struct span name, struct span value,
                        unsigned *seen, struct filter_fault *fault)
{
    struct member_reader r = {.members = members, .out = q, .fault = fault, .kinds = STREAM_BODY_CHUNK, .seen = *seen};

    bool is_set = members_set(&r, name, value);
    *seen = r.seen;
    return is_set;
}
