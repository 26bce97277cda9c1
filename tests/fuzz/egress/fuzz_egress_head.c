/* Any bytes as a request's and a response's head and, behind it, a body: what is accepted means one thing only, and a
 * body ends at the same place however it is cut. The first byte says where to cut. */
#include <stdint.h>
#include <stdlib.h>

#include "jail/egress/wire/body.h"
#include "jail/egress/wire/path.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool is_true)
{
    if (!is_true) {
        abort();
    }
}

static void check_head(const struct egress_head *h, bool is_request)
{
    size_t lengths = egress_head_count(h, "Content-Length"), codings = egress_head_count(h, "Transfer-Encoding");

    expect(h->n <= EGRESS_HEADERS_MAX && lengths + codings <= 1 && h->minor <= 1 && h->length >= 0);
    expect(!is_request || egress_head_count(h, "Host") == 1 || span_is(h->method, "CONNECT"));
    expect(!is_request || h->framing != EGRESS_BODY_TO_END);
    for (size_t i = 0; i < h->n; i++) {
        expect(h->headers[i].name.len > 0);
        expect(memchr(h->headers[i].name.ptr, '\n', h->headers[i].name.len) == NULL);
        expect(h->headers[i].value.len == 0 || memchr(h->headers[i].value.ptr, '\r', h->headers[i].value.len) == NULL);
        expect(h->headers[i].value.len == 0 || memchr(h->headers[i].value.ptr, '\0', h->headers[i].value.len) == NULL);
    }
}

/* How much of the text the body is; SIZE_MAX: refused. */
static size_t take_body(const struct egress_head *h, bool is_response, struct span text, size_t step, size_t *sum)
{
    struct egress_body b;
    size_t at = 0;

    egress_body_init(&b, h, is_response);
    *sum = 0;
    while (at < text.len && !b.is_done) {
        struct span data;
        struct error err;
        size_t used = 0;
        size_t n = text.len - at < step ? text.len - at : step;
        if (!egress_body_take(&b, span_slice(text, at, at + n), &used, &data, &err)) {
            return SIZE_MAX;
        }
        expect(used <= n && data.len <= used && (used > 0 || b.is_done));
        *sum += data.len;
        at += used;
    }
    return at;
}

static void check_body(const struct egress_head *h, bool is_response, struct span text, size_t step)
{
    size_t whole_sum = 0, cut_sum = 0;
    size_t whole = take_body(h, is_response, text, SIZE_MAX, &whole_sum);
    size_t cut = take_body(h, is_response, text, step, &cut_sum);

    expect(whole == cut && (whole == SIZE_MAX || whole_sum == cut_sum));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct egress_head head;
    struct error err;

    if (size < 1) {
        return 0;
    }
    struct span text = span_of((const char *)data + 1, size - 1);
    size_t len = egress_head_length(text), step = (size_t)data[0] % 16 + 1;
    struct span rest = span_slice(text, len, text.len);
    if (egress_request_read(span_slice(text, 0, len), &head, &err)) {
        check_head(&head, true);
        check_body(&head, false, rest, step);
        if (egress_path_check(head.target, &err)) {
            expect(head.target.ptr[0] == '/' && memmem(head.target.ptr, egress_path_only(head.target).len, "/../", 4) == NULL);
        }
    }
    if (egress_response_read(span_slice(text, 0, len), span_str(step == 1 ? "HEAD" : "GET"), &head, &err)) {
        check_head(&head, false);
        check_body(&head, true, rest, step);
    }
    return 0;
}
