/* fuzz_litellm.c - bodies of LiteLLM's guardrail: read within the limits, never with the input in a
 * fault. The first byte chooses the limit of the text. */
#include <stdlib.h>

#include "http/litellm_request.h"

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

static void is_sound(const struct litellm_request *q, size_t text_max)
{
    size_t bytes = 0;

    must(q->n_texts <= q->n_channels);
    for (size_t i = 0; i < q->n_channels; i++) {
        const struct channel *c = &q->channels[i];
        bytes += c->text.len;
        must(c->output.len == 0 && c->judged == 0 && c->path.len > 0);
        must(i >= q->n_texts || (!c->is_member_name && memcmp(c->path.ptr, "/texts/", 7) == 0));
    }
    must(bytes == q->bytes && bytes <= text_max);
    must(q->who.tenant.len <= FILTER_NAME_MAX && q->who.session.len <= FILTER_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena;
    struct litellm_request q;
    struct filter_fault fault = {0};

    if (size == 0) {
        return 0;
    }
    size_t text_max = (size_t)data[0] * 64;
    struct span body = span_of((const char *)data + 1, size - 1);
    arena_init(&arena, 0, 64 * 1024 * 1024);
    if (litellm_request_read(&arena, body, text_max, &q, &fault)) {
        is_sound(&q, text_max);
    } else {
        must(fault.status >= 400 && fault.status <= 503 && fault.detail[0] != '\0');
        quotes_nothing(&fault, body);
    }
    arena_deinit(&arena);
    return 0;
}
