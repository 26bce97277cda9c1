/* fuzz_stream_request.c - bodies of /v1/streams: read strictly, never with the input in a fault.
 * The first byte chooses which of the three. */
#include <stdlib.h>

#include "http/stream_request.h"

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

static void is_sound(const struct stream_request *q, enum stream_body kind)
{
    must(kind == STREAM_BODY_CHUNK ? q->text.ptr != NULL : q->text.len == 0);
    must(q->path.len == 0 || (kind == STREAM_BODY_OPEN && q->path.ptr[0] == '/'));
    must(q->channel.len == 0 || (kind == STREAM_BODY_CHUNK && q->channel.ptr[0] == '/'));
    must(q->sequence < UINT64_C(1000000000000000));
    must(q->who.agent.len <= FILTER_NAME_MAX && q->channel.len <= FILTER_NAME_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const enum stream_body kinds[] = {STREAM_BODY_OPEN, STREAM_BODY_CHUNK, STREAM_BODY_END};
    struct arena arena;
    struct stream_request q;
    struct filter_fault fault = {0};

    if (size == 0) {
        return 0;
    }
    enum stream_body kind = kinds[data[0] % 3];
    struct span body = span_of((const char *)data + 1, size - 1);
    arena_init(&arena, 0, 64 * 1024 * 1024);
    if (stream_request_read(&arena, body, kind, &q, &fault)) {
        is_sound(&q, kind);
    } else {
        must(fault.status >= 400 && fault.status <= 503 && fault.detail[0] != '\0');
        quotes_nothing(&fault, body);
    }
    arena_deinit(&arena);
    return 0;
}
