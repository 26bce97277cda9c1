/* fuzz_trace_context.c - traceparent: what is read is written again as a header that is read as the same; tracestate: what is
 * valid has no byte that could begin another header. */
#include <stdlib.h>

#include "formats/trace_context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span text = span_of((const char *)data, size);
    struct trace_context t = {0}, again = {0};
    char written[TRACEPARENT_TEXT + 1];

    if (trace_parse(text, &t)) {
        must(trace_is_known(&t) && trace_has_span(t.parent) && !trace_has_span(t.span) && !t.is_recorded);
        trace_format(&t, written);
        must(trace_parse(span_str(written), &again) && memcmp(&t, &again, sizeof(t)) == 0);
    } else {
        must(!trace_is_known(&t));
    }
    if (tracestate_is_valid(text)) {
        for (size_t i = 0; i < size; i++) {
            must(data[i] == '\t' || (data[i] >= ' ' && data[i] < 0x7f));
        }
        must(size <= TRACESTATE_MAX);
    }
    return 0;
}
