/* fuzz_grpc.c - a hostile HTTP/2 client: calls begin, end and close once each, memory that was taken is given back, and what waits is
 * bounded. */
#include <stdint.h>
#include <stdlib.h>

#include "envoy/grpc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MESSAGE_MAX = 4096, SENT_MAX = 1024 * 1024 };

static int64_t held;
static size_t n_open;

static void must(bool holds)
{
    if (!holds) {
        abort();
    }
}

static enum grpc_status opened(void *context, struct grpc_call *call, const struct grpc_head *head, void **state)
{
    (void)context;
    must(strlen(head->path) < sizeof(head->path) && strlen(head->authorization) < sizeof(head->authorization));
    *state = call;
    n_open++;
    return GRPC_OK;
}

static bool received(void *state, struct span message)
{
    struct error err;

    must(message.len <= MESSAGE_MAX);
    (void)!grpc_send(state, message, &err);
    return true;
}

static void ended(void *state)
{
    grpc_finish(state, GRPC_OK);
}

static void closed(void *state)
{
    must(state != NULL && n_open > 0);
    n_open--;
}

static void drained(void *state)
{
    must(state != NULL);
}

static bool hold(void *context, uint64_t n)
{
    (void)context;
    held += (int64_t)n;
    return true;
}

static void release(void *context, uint64_t n)
{
    (void)context;
    held -= (int64_t)n;
    must(held >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct grpc_events events = {opened, received, ended, drained, closed, hold, release};
    static const struct grpc_limits limits = {.message_max = MESSAGE_MAX, .send_max = 64 * 1024, .calls = 16};
    struct span rest = span_of((const char *)data, size), out = {0};
    struct error err;
    size_t sent = 0;

    struct grpc *g = grpc_new(&events, &limits, NULL, &err);
    must(g != NULL);
    bool is_open = true;
    while (is_open && rest.len > 0) {
        size_t n = rest.len < 100 ? rest.len : 100;
        is_open = grpc_feed(g, span_slice(rest, 0, n));
        rest = span_slice(rest, n, rest.len);
        while (is_open && (is_open = grpc_pull(g, &out)) && out.len > 0 && sent < SENT_MAX) {
            sent += out.len;
        }
    }
    must(grpc_calls(g) <= 16 + 1);
    grpc_free(g);
    must(held == 0 && n_open == 0);
    return 0;
}
