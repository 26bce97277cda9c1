/* fuzz_ship.c - a line of the log, whatever its bytes, becomes well-formed OTLP, OCSF and CEF; so does the answer of a receiver
 * become a number. A CEF message ends where its frame says, and no other line begins within it. */
#include <stdlib.h>

#include "ship/format.h"
#include "ship/send.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static void format(struct ship_batch *b, unsigned kind, struct span line)
{
    const struct ship_format *f = ship_format(kind);
    struct error err;

    must(ship_batch_begin(b, f, &err) && ship_batch_add(b, f, line, &err) && ship_batch_add(b, f, line, &err) &&
         ship_batch_end(b, f, &err));
}

static void each_line_is_json(struct span text)
{
    struct error err;

    while (text.len > 0) {
        const char *end = memchr(text.ptr, '\n', text.len);
        must(end != NULL);
        size_t len = (size_t)(end - text.ptr);
        must(json_validate(span_of(text.ptr, len), &err));
        text = span_slice(text, len + 1, text.len);
    }
}

static size_t count_newlines(struct span text)
{
    size_t n = 0;

    for (size_t i = 0; i < text.len; i++) {
        n += text.ptr[i] == '\n';
    }
    return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct span line = span_of((const char *)data, size);
    struct ship_batch b;
    struct error err;

    if (memchr(data, '\n', size) != NULL) {
        return 0;
    }
    ship_batch_init(&b);
    format(&b, SHIP_OTLP, line);
    must(json_validate(buf_span(&b.body), &err));
    format(&b, SHIP_OCSF, line);
    each_line_is_json(buf_span(&b.body));
    format(&b, SHIP_CEF, line);
    must(count_newlines(buf_span(&b.body)) == 2 && memchr(b.body.data, '\0', b.body.len) == NULL);
    b.is_framed = true;
    format(&b, SHIP_CEF, line);
    must(count_newlines(buf_span(&b.body)) == 0);
    ship_batch_deinit(&b);
    (void)ship_otlp_rejected(line);
    return 0;
}
