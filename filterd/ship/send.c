#include "ship/send.h"

#include "base/json.h"
#include "ship/line.h"

struct ship_sender {
    const struct ship_transport *transport;
    void *state;
};

const char *ship_result_name(enum ship_result result)
{
    static const char *const names[SHIP_RESULTS] = {
        [SHIP_SENT] = "sent",       [SHIP_TOO_LARGE] = "too_large",     [SHIP_OVERLOADED] = "overloaded",
        [SHIP_REFUSED] = "refused", [SHIP_UNREACHABLE] = "unreachable", [SHIP_TIMEOUT] = "timeout",
        [SHIP_FAILED] = "failed",
    };

    return names[result];
}

struct ship_sender *ship_sender_new(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop,
                                    struct error *err)
{
    struct ship_sender *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        error_set(err, ERROR_NO_MEMORY, "sink " SPAN_FMT ": no memory", SPAN_ARG(sink->name));
        return NULL;
    }
    s->transport = sink->url != NULL ? &ship_http : sink->file != NULL ? &ship_file : &ship_syslog;
    s->state = s->transport->open(sink, media_type, stop, err);
    if (s->state == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

void ship_sender_free(struct ship_sender *s)
{
    if (s != NULL) {
        s->transport->close(s->state);
        free(s);
    }
}

enum ship_result ship_send(struct ship_sender *s, struct span body, struct ship_answer *answer, struct error *err)
{
    *answer = (struct ship_answer){0};
    return s->transport->send(s->state, body, answer, err);
}

/* A 64-bit integer is a string in this JSON; some receivers write a number. */
uint64_t ship_otlp_rejected(struct span answer)
{
    struct error ignored;
    uint64_t number = 0;

    if (!json_validate(answer, &ignored)) {
        return 0;
    }
    struct json_value partial = ship_member(json_root(answer), "partialSuccess");
    struct json_value v = ship_member(partial, "rejectedLogRecords");
    v = ship_value_is_there(v) ? v : ship_member(partial, "rejectedSpans");
    struct span digits = v.kind == JSON_KIND_STRING ? ship_characters(v) : v.raw;
    for (size_t i = 0; i < digits.len; i++) {
        char c = digits.ptr[i];
        if (c < '0' || c > '9' || __builtin_mul_overflow(number, 10U, &number) ||
            __builtin_add_overflow(number, (uint64_t)(c - '0'), &number)) {
            return 0;
        }
    }
    return number;
}
