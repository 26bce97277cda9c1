/* violation_report.h - parses the report of an agent's violation: the body of
 * POST /v1/agents/{name}/violations, one JSON object, strictly.
 *
 *     {"kind": "egress", "why": "asked the mail server for another's box"}
 *
 * `kind` is a kind of violation that policies weigh (filterd-policy(5)); `why` is for the record. Any thread. */
#ifndef FILTERD_HTTP_VIOLATION_REPORT_H
#define FILTERD_HTTP_VIOLATION_REPORT_H

#include "http/filter_request.h"
#include "policy/violations.h"

enum { VIOLATION_REPORT_MAX = 4096, VIOLATION_WHY_MAX = 100 }; /* bytes: the body, the reason */

struct violation_report {
    enum violation kind;
    struct span why; /* empty: no reason; borrowed from the body or in the arena; no control characters */
};

/* The fault never quotes the input. */
MUST_CHECK bool violation_report_read(struct arena *a, struct span body, struct violation_report *out,
                                      struct filter_fault *fault);

#endif
