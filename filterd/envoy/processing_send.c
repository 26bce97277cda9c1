/* processing_send.c - the responses of a processed exchange. */
#include "base/uuid.h"
#include "envoy/processing_state.h"
#include "http/problem.h"

enum { CHANGES_MAX = 8 };

static void send_message(struct processing *g, bool is_written)
{
    struct error err;

    if (g->call == NULL || g->phase == PROCESSING_OVER) {
        return;
    }
    if (!is_written || !grpc_send(g->call, buf_span(&g->message), &err)) {
        processing_fail(g, GRPC_RESOURCE_EXHAUSTED);
    }
}

void processing_fail(struct processing *g, enum grpc_status status)
{
    g->phase = PROCESSING_OVER;
    if (g->call != NULL) {
        (void)atomic_fetch_add(&g->service->metrics.ext_proc.failed, 1);
        grpc_finish(g->call, status);
    }
    processing_touch(g);
}

void processing_send_headers(struct processing *g, enum process_part part, const struct process_changes *c)
{
    struct error err;

    buf_clear(&g->message);
    g->unanswered = g->unanswered == part ? 0 : g->unanswered;
    send_message(g, process_put_headers(&g->message, part, c, &err));
}

void processing_send_body(struct processing *g, enum body_change change, struct span body)
{
    enum process_part part = g->unanswered;
    struct error err;

    buf_clear(&g->message);
    g->unanswered = 0;
    send_message(g, process_put_body(&g->message, part, change, body, false, &err));
}

static void send_piece(struct processing *g, enum process_part part, struct span body, bool is_last)
{
    struct error err;

    buf_clear(&g->message);
    send_message(g, process_put_body(&g->message, part, CHANGE_STREAMED, body, is_last, &err));
}

void processing_send_piece(struct processing *g, enum process_part part, struct span body)
{
    send_piece(g, part, body, false);
}

void processing_send_trailers(struct processing *g, enum process_part part, struct span trailers)
{
    struct error err;

    buf_clear(&g->message);
    g->unanswered = 0;
    send_message(g, process_put_trailers(&g->message, part, trailers, &err));
}

static void send_pieces(struct processing *g, bool is_request, struct span body)
{
    enum process_part part = is_request ? PROCESS_REQUEST_BODY : PROCESS_RESPONSE_BODY;
    enum process_part trailers = is_request ? PROCESS_REQUEST_TRAILERS : PROCESS_RESPONSE_TRAILERS;
    bool has_trailers = g->unanswered == trailers;

    while (body.len > PROCESSING_PIECE) {
        send_piece(g, part, span_slice(body, 0, PROCESSING_PIECE), false);
        body = span_slice(body, PROCESSING_PIECE, body.len);
    }
    if (body.len > 0 || !has_trailers) {
        send_piece(g, part, body, !has_trailers);
    }
    if (has_trailers) {
        processing_send_trailers(g, trailers, buf_span(&g->trailers));
    }
    g->unanswered = 0;
}

void processing_send_last(struct processing *g, enum process_part direction, bool is_changed, struct span body)
{
    bool is_request = direction == PROCESS_REQUEST_BODY;

    if (g->modes[is_request ? 0 : 1] == BODY_FULL_DUPLEX) {
        send_pieces(g, is_request, body);
    } else if (g->unanswered == direction) {
        processing_send_body(g, is_changed ? CHANGE_REPLACED : CHANGE_NONE, body);
    } else if (body.len > 0) {
        processing_refuse(g, 502, "the body ended with trailers, which leave no place for what was held");
    } else {
        processing_send_trailers(g, g->unanswered, buf_span(&g->trailers));
    }
}

static struct process_header header(const char *name, const char *value)
{
    return (struct process_header){.name = span_str(name), .value = span_str(value)};
}

static void send_immediate(struct processing *g, const struct reply *reply, struct span body)
{
    struct process_header set[CHANGES_MAX];
    struct process_changes changes = {.set = set};
    char id[UUID_TEXT + 1], wait[16];
    struct error err;

    set[changes.n_set++] = header("content-type", reply->type);
    set[changes.n_set++] = header("cache-control", "no-cache, no-transform");
    if (g->request != NULL && g->request->proxy != NULL) {
        uuid_format(g->request->proxy->id.bytes, id);
        set[changes.n_set++] = header("x-filterd-request-id", id);
    }
    if (reply->forbids_retry) {
        set[changes.n_set++] = header("x-should-retry", "false");
    }
    if (reply->retry_s > 0) {
        (void)snprintf(wait, sizeof(wait), "%u", reply->retry_s);
        set[changes.n_set++] = header("retry-after", wait);
    }
    (void)atomic_fetch_add(&g->service->metrics.ext_proc.replaced, 1);
    buf_clear(&g->message);
    send_message(g, process_put_immediate(&g->message, reply->status, &changes, body, &err));
    if (g->phase != PROCESSING_OVER && g->call != NULL) {
        grpc_finish(g->call, GRPC_OK);
    }
    g->phase = PROCESSING_OVER;
    processing_touch(g);
}

void processing_send_immediate(struct processing *g)
{
    send_immediate(g, &g->request->reply, buf_span(&g->request->answer));
}

void processing_refuse(struct processing *g, unsigned status, const char *detail)
{
    const struct reply reply = {.status = status, .type = g->request != NULL && g->request->protocol != NULL
                                                              ? "application/json"
                                                              : "application/problem+json"};
    struct buf body;
    struct error err;

    buf_init(&body, PROCESSING_HEAD_MAX);
    bool is_written = g->request != NULL && g->request->protocol != NULL
                          ? protocol_error_body(g->request->protocol, status, detail, &body, &err)
                          : problem_write(&body, status, detail, NULL, &err);
    if (!is_written) {
        buf_clear(&body); /* the status says enough */
    }
    send_immediate(g, &reply, buf_span(&body));
    buf_deinit(&body);
}
