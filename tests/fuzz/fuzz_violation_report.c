/* fuzz_violation_report.c - what a component says that an agent did: read strictly, never with the input in a fault. */
#include <stdlib.h>

#include "http/violation_report.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

/* The corpus plants a mark where a fault could be tempted to quote. */
static void quotes_nothing(const struct filter_fault *fault, struct span body)
{
    static const char mark[] = "CANARY-4f2b91";

    if (memmem(body.ptr, body.len, mark, sizeof(mark) - 1) != NULL) {
        must(strstr(fault->detail, mark) == NULL && strstr(fault->pointer, mark) == NULL);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct violation_report report;
    struct filter_fault fault = {0};
    struct span body = span_of((const char *)data, size);

    arena_init(&arena, 0, 4 * VIOLATION_REPORT_MAX);
    if (violation_report_read(&arena, body, &report, &fault)) {
        must(report.kind < VIOLATION_COUNT && report.why.len <= VIOLATION_WHY_MAX);
        for (size_t i = 0; i < report.why.len; i++) {
            must((unsigned char)report.why.ptr[i] >= ' ');
        }
    } else {
        must(fault.status == 400 || fault.status == 413 || fault.status == 422);
        must(fault.detail[0] != '\0');
        quotes_nothing(&fault, body);
    }
    arena_deinit(&arena);
    return 0;
}
