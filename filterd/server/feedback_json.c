#include "server/feedback_json.h"

#include <inttypes.h>
#include <time.h>

#include "base/clock.h"
#include "http/parameters.h"
#include "record/note_text.h"

static bool read_number(struct member_reader *r, const struct member *m, struct json_value value)
{
    return (value.kind == JSON_KIND_NUMBER && note_read_number(value.raw, member_of(r, m))) || member_refuse(r, m, "a whole number");
}

const struct member_type member_number = {read_number, NULL};

bool feedback_caller(struct request *r, struct caller *out)
{
    if (!access_caller_of(r, out)) {
        request_problem(r, 401, "a token expected", NULL);
        return false;
    }
    return true;
}

bool feedback_body(struct request *r, struct arena *memory, const struct member *members, void *out)
{
    struct filter_fault fault;
    struct member_reader reader = {.arena = memory, .members = members, .out = out, .fault = &fault};

    if (r->body.len > FEEDBACK_BODY_MAX) {
        request_problem(r, 413, "at most 16384 bytes expected", NULL);
        return false;
    }
    if (!members_read(&reader, buf_span(&r->body))) {
        request_problem(r, fault.status, fault.detail, fault.pointer);
        return false;
    }
    return true;
}

static bool take_parameter(void *into, struct span name, struct span value, unsigned *seen, struct filter_fault *fault)
{
    struct feedback_list *l = into;
    unsigned bit = span_is(name, "state") ? 1 : span_is(name, "before") ? 2 : span_is(name, "limit") ? 4 : 0;

    if (bit == 0 || (*seen & bit) != 0) {
        return fault_set(fault, 422, "", "the parameters state, before and limit expected, each once");
    }
    *seen |= bit;
    l->state = bit == 1 ? value : l->state;
    return bit == 1 || note_read_number(value, bit == 2 ? &l->before : &l->limit) ||
           fault_set(fault, 422, "", "before and limit: a number expected");
}

/* The parameters state, before and limit. False with an answer. */
static bool feedback_list(struct request *r, struct feedback_list *out)
{
    struct filter_fault fault;

    *out = (struct feedback_list){.limit = FEEDBACK_LIST_DEFAULT, .state = {"", 0}};
    if (!parameters_read(r->connection, take_parameter, out, &fault)) {
        request_problem(r, fault.status, fault.detail, NULL);
        return false;
    }
    if (out->limit == 0 || out->limit > FEEDBACK_LIST_MAX) {
        request_problem(r, 422, "limit: 1 to 500 expected", NULL);
        return false;
    }
    return true;
}

static void put_name(struct writer *w, const char *name)
{
    put(w, ",\"");
    put(w, name);
    put(w, "\":");
}

void put_member(struct writer *w, const char *name, const char *text)
{
    if (text[0] != '\0') {
        put_name(w, name);
        put_string(w, span_str(text));
    }
}

void put_count(struct writer *w, const char *name, uint64_t n)
{
    put_name(w, name);
    put_number(w, n);
}

void put_flag(struct writer *w, const char *name, bool flag)
{
    put_name(w, name);
    put(w, flag ? "true" : "false");
}

void put_ms(struct writer *w, const char *name, int64_t utc_ms)
{
    time_t seconds = (time_t)(utc_ms / 1000);
    struct tm t;
    char text[40] = "";

    if (utc_ms > 0 && gmtime_r(&seconds, &t) != NULL && strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &t) > 0) {
        put_member(w, name, text);
    }
}

bool feedback_rows_init(struct feedback_rows *rows, struct request *r, struct caller *c, struct feedback_list *l, struct error *err)
{
    *rows = (struct feedback_rows){.w = {.out = &r->answer, .err = err, .is_ok = true}, .now_ms = clock_utc_ns() / 1000000};
    return feedback_caller(r, c) && feedback_list(r, l);
}

struct span feedback_tenant(const struct caller *c)
{
    return c->tenant[0] == '\0' ? span_of(NULL, 0) : span_str(c->tenant);
}

void feedback_rows_next(struct feedback_rows *rows, struct error *err)
{
    rows->w.err = err;
    put(&rows->w, rows->has_some ? ",\n" : "");
    rows->has_some = true;
}

void feedback_rows_end(struct feedback_rows *rows, uint64_t before)
{
    char text[48] = "null";

    if (before != 0) {
        (void)snprintf(text, sizeof(text), "\"before=%" PRIu64 "\"", before);
    }
    put(&rows->w, "],\"next\":");
    put(&rows->w, text);
    put(&rows->w, "}\n");
}
