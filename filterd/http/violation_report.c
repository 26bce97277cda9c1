#include "http/violation_report.h"

#include <stdio.h>

#include "base/json.h"
#include "http/fault.h"

enum { MEMBER_KIND = 1, MEMBER_WHY = 2 }; /* bits */

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

static bool read_kind(struct arena *a, struct json_value value, enum violation *kind, struct filter_fault *fault)
{
    struct span name;
    struct error err;

    if (value.kind != JSON_KIND_STRING) {
        return refuse_kind(fault);
    }
    if (!json_unquote(a, value, &name, &err)) {
        return fault_set_error(fault, &err);
    }
    return violation_find(name, kind) || refuse_kind(fault);
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

static bool read_why(struct arena *a, struct json_value value, struct span *why, struct filter_fault *fault)
{
    struct error err;

    if (value.kind == JSON_KIND_STRING && !json_unquote(a, value, why, &err)) {
        return fault_set_error(fault, &err);
    }
    return (value.kind == JSON_KIND_STRING && is_line(*why)) ||
           fault_set(fault, 422, "/why", "a string of at most %d bytes without control characters expected",
                     VIOLATION_WHY_MAX);
}

static bool read_member(struct arena *a, struct span raw_name, struct json_value value, unsigned *seen,
                        struct violation_report *out, struct filter_fault *fault)
{
    struct span name;
    struct error err;

    if (!json_unescape(a, raw_name, &name, &err)) {
        return fault_set_error(fault, &err);
    }
    unsigned member = span_is(name, "kind") ? MEMBER_KIND : span_is(name, "why") ? MEMBER_WHY : 0;
    if (member == 0) {
        return fault_set_unknown(fault, name, "only the members kind and why expected");
    }
    if ((*seen & member) != 0) {
        return fault_set(fault, 400, "", "each member once expected");
    }
    *seen |= member;
    return member == MEMBER_KIND ? read_kind(a, value, &out->kind, fault) : read_why(a, value, &out->why, fault);
}

bool violation_report_read(struct arena *a, struct span body, struct violation_report *out, struct filter_fault *fault)
{
    struct violation_report report = {.why = {.ptr = ""}};
    struct json_value item;
    struct span name;
    struct error err;
    unsigned seen = 0;

    if (body.len > VIOLATION_REPORT_MAX) {
        return fault_set(fault, 413, "", "at most %d bytes expected", VIOLATION_REPORT_MAX);
    }
    if (!json_validate(body, &err)) {
        return fault_set(fault, 400, "", "%s", err.text);
    }
    if (json_root(body).kind != JSON_KIND_OBJECT) {
        return fault_set(fault, 422, "", "an object expected");
    }
    for (struct json_iterator it = json_iterate(json_root(body)); json_next(&it, &name, &item);) {
        if (!read_member(a, name, item, &seen, &report, fault)) {
            return false;
        }
    }
    if ((seen & MEMBER_KIND) == 0) {
        return refuse_kind(fault);
    }
    *out = report;
    return true;
}
