#include "http/violation_report.h"

#include <stdio.h>

#include "http/members.h"

static bool refuse_kind(struct filter_fault *fault)
{
    char kinds[160] = "";
    size_t len = 0;

    for (unsigned i = 0; i < VIOLATION_COUNT && len < sizeof(kinds); i++) {
        len += (size_t)snprintf(kinds + len, sizeof(kinds) - len, "%s%s", i == 0 ? "" : ", ",
                                violation_name((enum violation)i));
    }
    return fault_set(fault, 422, "/kind", "one of %s expected", kinds);
}

static bool read_kind(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct span name;
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return refuse_kind(r->fault);
    }
    if (!json_unquote(r->arena, value, &name, &err)) {
        return fault_set_error(r->fault, &err);
    }
    return violation_find(name, member_of(r, m)) || refuse_kind(r->fault);
}

static bool is_line(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] < ' ' || text.ptr[i] == 0x7f) {
            return false;
        }
    }
    return text.len <= VIOLATION_WHY_MAX;
}

static bool read_why(struct member_reader *r, const struct member *m, struct json_value value)
{
    struct span *why = member_of(r, m);
    struct error err;

    if (value.kind == JSON_KIND_STRING && !json_unquote(r->arena, value, why, &err)) {
        return fault_set_error(r->fault, &err);
    }
    return (value.kind == JSON_KIND_STRING && is_line(*why)) ||
           fault_set(r->fault, 422, "/why", "a string of at most %d bytes without control characters expected",
                     VIOLATION_WHY_MAX);
}

static const struct member_type kind_type = {read_kind, NULL}, why_type = {read_why, NULL};

static const struct member members[] = {
    {"kind", &kind_type, offsetof(struct violation_report, kind), 0},
    {"why", &why_type, offsetof(struct violation_report, why), 0},
    {0},
};

bool violation_report_read(struct arena *a, struct span body, struct violation_report *out, struct filter_fault *fault)
{
    struct violation_report report = {.why = {.ptr = ""}};
    struct member_reader r = {.arena = a, .members = members, .out = &report, .fault = fault};

    if (body.len > VIOLATION_REPORT_MAX) {
        return fault_set(fault, 413, "", "at most %d bytes expected", VIOLATION_REPORT_MAX);
    }
    if (!members_read(&r, body)) {
        return false;
    }
    if (!members_has(&r, "kind")) {
        return refuse_kind(fault);
    }
    *out = report;
    return true;
}
