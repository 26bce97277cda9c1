/* fuzz_http_request.c - bodies of POST /v1/filter, and a batch's lines: read strictly, never beyond
 * the limits, never with the input in a fault. The first byte chooses the limit of the text. */
#include <stdlib.h>

#include "base/json.h"
#include "http/filter_request.h"

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

static void is_sound(const struct filter_request *q, size_t text_max)
{
    size_t bytes = 0;

    for (size_t i = 0; i < q->n_channels; i++) {
        bytes += q->channels[i].text.len;
        must(q->channels[i].output.len == 0 && q->channels[i].judged == 0);
    }
    must(bytes == q->bytes && bytes <= text_max);
    must(q->who.agent.len <= FILTER_NAME_MAX && q->policy.len <= FILTER_NAME_MAX);
    must(q->kind != FILTER_TEXT || q->n_channels == 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct filter_request q;
    struct filter_fault fault = {0};

    if (size == 0) {
        return 0;
    }
    size_t text_max = (size_t)data[0] * 64;
    struct span body = span_of((const char *)data + 1, size - 1);
    arena_init(&arena, 0, 64 * 1024 * 1024);
    if (filter_request_read(&arena, body, text_max, &q, &fault)) {
        is_sound(&q, text_max);
    } else {
        must(fault.status >= 400 && fault.status <= 503 && fault.detail[0] != '\0');
        quotes_nothing(&fault, body);
    }
    arena_deinit(&arena);
    return 0;
}
