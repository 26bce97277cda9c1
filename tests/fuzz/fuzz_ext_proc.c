/* fuzz_ext_proc.c - messages of external processing: what is accepted lies in the message, and trailers are removed by name. */
#include <stdint.h>
#include <stdlib.h>

#include "envoy/process.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void must_lie_in(struct span part, struct span whole)
{
    must(part.len == 0 || (part.ptr >= whole.ptr && part.ptr + part.len <= whole.ptr + whole.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span message = span_of((const char *)data, size);
    struct process_message m;
    struct process_header h;
    struct error err;
    struct buf out;

    if (!process_read(message, &m, &err)) {
        return 0;
    }
    must(m.part >= PROCESS_REQUEST_HEADERS && m.part <= PROCESS_RESPONSE_TRAILERS);
    must_lie_in(m.headers, message);
    must_lie_in(m.body, message);
    for (struct span rest = m.headers; process_next_header(&rest, &h) == WIRE_FIELD;) {
        must_lie_in(h.name, message);
        must_lie_in(h.value, message);
    }
    buf_init(&out, 2 * size + 64);
    must(process_put_trailers(&out, PROCESS_RESPONSE_TRAILERS, m.headers, &err));
    must(process_put_body(&out, PROCESS_RESPONSE_BODY, CHANGE_STREAMED, span_str(""), true, &err));
    buf_deinit(&out);
    return 0;
}
