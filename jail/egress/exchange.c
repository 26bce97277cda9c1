/* exchange.c - judges one plain HTTP request, serializes it anew and sends it. */
#include "base/cleanup.h"
#include "base/clock.h"
#include "formats/trace_context.h"
#include "jail/egress/wire/restated.h"
#include "jail/egress/session.h"

enum { SECRETS_ROOM = 64 * 1024 };

/* --- what leaves, judged --------------------------------------------------- */

static bool expect_no_surprise(struct egress_session *s)
{
    const struct span *expected = egress_head_find(&s->head, "Expect");

    return expected == NULL || egress_name_equal(*expected, "100-continue") ||
           egress_session_fail(s, EGRESS_BAD_REQUEST, "Expect: 100-continue expected, or none");
}

/* `found`: what restates; NULL: nothing does. */
static bool expect_not_restated(struct egress_session *s, const char *found)
{
    char detail[96];

    (void)snprintf(detail, sizeof(detail), "no %s expected: method, path and host stand in the request once", found == NULL ? "" : found);
    return found == NULL || egress_session_fail(s, EGRESS_RESTATED, detail);
}

static bool expect_said_once(struct egress_session *s, struct span target_text)
{
    const char *query = memchr(target_text.ptr, '?', target_text.len);
    size_t at = query == NULL ? target_text.len : (size_t)(query - target_text.ptr) + 1;

    return expect_not_restated(s, egress_restated_in_head(&s->head)) &&
           expect_not_restated(s, egress_restated_in_pairs(span_slice(target_text, at, target_text.len), s->head.method));
}

static bool invite_body(struct egress_session *s, struct error *err)
{
    return egress_head_find(&s->head, "Expect") == NULL || s->head.minor == 0 ||
           egress_link_send(&s->client, span_str("HTTP/1.1 100 Continue\r\n\r\n"), err);
}

static bool read_body(struct egress_session *s)
{
    struct egress_body body;
    struct error err = {0};
    size_t max = (size_t)s->rule->request_max;

    if (s->head.framing == EGRESS_BODY_LENGTH && (uint64_t)s->head.length > max) {
        return egress_session_fail(s, EGRESS_SIZE, "a body of at most the rule's request_max expected");
    }
    egress_body_init(&body, &s->head, false);
    if (!invite_body(s, &err) || !egress_session_take_body(s, &s->client, &body, max, &err)) {
        bool is_full = err.kind == ERROR_LIMIT && s->client.stopped == EGRESS_STOP_NONE;
        if (is_full && s->is_out_of_memory) {
            return egress_session_fail_memory(s);
        }
        return is_full ? egress_session_fail(s, EGRESS_SIZE, "a body of at most the rule's request_max expected")
                       : egress_session_fail_link(s, &err);
    }
    return true;
}

static bool refuse_canary(struct egress_session *s)
{
    return egress_session_fail(s, EGRESS_CANARY, "it holds what only a honeytoken of this jail holds");
}

/* The parts that have come, whether or not the rule judges. */
static bool expect_no_canary(struct egress_session *s, struct span target_text)
{
    const struct egress_canary *c = &s->service->canary;
    bool is_in_url = egress_canary_is_in(c, target_text) || egress_canary_is_in(c, span_str(s->target.host.text));
    bool is_in = is_in_url;

    for (size_t i = 0; c->n > 0 && i < s->head.n; i++) {
        is_in |= egress_canary_is_in(c, s->head.headers[i].name) || egress_canary_is_in(c, s->head.headers[i].value);
    }
    s->attempt.is_target_secret |= is_in_url;
    return !is_in || refuse_canary(s);
}

static bool judge(struct egress_session *s, struct span target_text)
{
    struct buf url CLEANUP(buf_deinit);
    struct error err = {0};
    struct egress_verdict verdict;

    buf_init(&url, EGRESS_HOST_MAX + target_text.len + 1);
    if (!egress_judges_requests(s->rule)) {
        return true;
    }
    if (!read_body(s)) {
        return false;
    }
    if (!buf_append_str(&url, s->target.host.text, &err) || !buf_append(&url, target_text, &err)) {
        return egress_session_fail(s, EGRESS_TRANSFER, err.text);
    }
    struct egress_message m = {
        .route = span_str("egress/request"), .url = buf_span(&url), .head = &s->head, .body = buf_span(&s->body)};
    if (!egress_session_judge(s, &m, (size_t)s->rule->request_max, &verdict)) {
        return false;
    }
    s->attempt.is_target_secret = verdict.is_url_secret;
    if (!expect_not_restated(s, egress_restated_in_body(&s->head, m.body))) {
        return false;
    }
    if (egress_canary_is_in(&s->service->canary, buf_span(&s->body)) || egress_canary_is_in(&s->service->canary, m.body)) {
        return refuse_canary(s);
    }
    if (verdict.action == ACTION_ALLOW) {
        return true;
    }
    (void)snprintf(s->attempt.filter_rule, sizeof(s->attempt.filter_rule), "%s", verdict.rule);
    return egress_session_fail(s, EGRESS_FILTER, "the filter does not let this request leave");
}

/* --- the request, written anew ---------------------------------------------- */

static bool write_host(enum egress_scheme scheme, const struct egress_host *host, uint16_t port, struct buf *out,
                       struct error *err)
{
    bool is_v6 = host->kind == EGRESS_HOST_V6;

    return buf_appendf(out, err, "Host: %s%s%s", is_v6 ? "[" : "", host->text, is_v6 ? "]" : "") &&
           (port == (scheme == EGRESS_HTTPS ? EGRESS_PORT_HTTPS : EGRESS_PORT_HTTP) || buf_appendf(out, err, ":%u", port)) &&
           buf_append_str(out, "\r\n", err);
}

/* The first line, and who is spoken to: the target, or filterd's proxy, which learns who calls. */
static bool write_request_line(const struct egress_session *s, struct span target_text, struct buf *out, struct error *err)
{
    const struct egress_target *t = &s->target;
    const struct egress_via *via = &s->rule->via;
    bool is_via = egress_via_is_set(via);

    return buf_append(out, s->head.method, err) && buf_append_char(out, ' ', err) &&
           (!is_via || buf_append(out, via->path, err)) && buf_append(out, target_text, err) &&
           buf_append_str(out, " HTTP/1.1\r\n", err) &&
           (is_via ? write_host(via->scheme, &via->host, via->port, out, err) &&
                         egress_via_write(&s->service->caller, out, err)
                   : write_host(t->scheme, &t->host, t->port, out, err));
}

/* What a malformed traceparent names is no trace: another one takes its place, and a tracestate goes with a trace alone. */
static bool write_trace(const struct egress_session *s, const struct egress_header *h, struct buf *out, struct error *err)
{
    const struct span *parent = egress_head_find(&s->head, "traceparent");
    bool is_state = egress_name_equal(h->name, "tracestate");
    bool is_once = egress_head_count(&s->head, "traceparent") == 1;
    struct trace_context trace = {0};
    char text[TRACEPARENT_TEXT + 1];

    if (parent == NULL || !is_once || !trace_parse(*parent, &trace)) {
        bool is_written_anew = parent != NULL && h->value.ptr == parent->ptr;
        if (!is_written_anew) {
            return true;
        }
        if (!trace_begin(&trace, 0, err)) {
            return false;
        }
        trace_format(&trace, text);
        return buf_append_str(out, "traceparent: ", err) && buf_append_str(out, text, err) && buf_append_str(out, "\r\n", err);
    }
    return (is_state && !tracestate_is_valid(h->value)) ||
           (buf_append(out, h->name, err) && buf_append_str(out, ": ", err) && buf_append(out, h->value, err) &&
            buf_append_str(out, "\r\n", err));
}

/* An answer that is judged, or searched for credentials, must come in a coding that can be undone. */
static bool reads_answer(const struct egress_session *s)
{
    return egress_judges_responses(s->rule) || s->service->secrets.n > 0;
}

/* Pieces of an answer that repeats a credential would each be too short to tell. */
static bool is_of_ranges(struct span name)
{
    return egress_name_equal(name, "Range") || egress_name_equal(name, "If-Range");
}

static bool stays_behind(const struct egress_session *s, struct span name)
{
    return egress_header_stays_behind(name) || (egress_via_is_set(&s->rule->via) && egress_via_drops(name)) ||
           (reads_answer(s) && egress_name_equal(name, "Accept-Encoding")) ||
           (is_of_ranges(name) && egress_secrets_are_for(&s->service->secrets, &s->target.host));
}

static bool write_header(struct egress_session *s, const struct egress_header *h, struct buf *out, struct error *err)
{
    if (stays_behind(s, h->name)) {
        return true;
    }
    if (egress_name_equal(h->name, "traceparent") || egress_name_equal(h->name, "tracestate")) {
        return write_trace(s, h, out, err);
    }
    return buf_append(out, h->name, err) && buf_append_str(out, ": ", err) &&
           (egress_secrets_wants(h->value)
                ? egress_secrets_fill(&s->service->secrets, &s->target, h->value, clock_monotonic_ns(), out, err)
                : buf_append(out, h->value, err)) &&
           buf_append_str(out, "\r\n", err);
}

static bool write_framing(const struct egress_session *s, struct buf *out, struct error *err)
{
    if (s->head.framing == EGRESS_BODY_NONE) {
        return true;
    }
    if (egress_judges_requests(s->rule)) {
        return buf_appendf(out, err, "Content-Length: %zu\r\n", s->body.len);
    }
    return s->head.framing == EGRESS_BODY_CHUNKED
               ? buf_append_str(out, "Transfer-Encoding: chunked\r\n", err)
               : buf_appendf(out, err, "Content-Length: %lld\r\n", (long long)s->head.length);
}

static bool write_head(struct egress_session *s, struct span target_text, struct buf *out, struct error *err)
{
    if (!write_request_line(s, target_text, out, err)) {
        return false;
    }
    for (size_t i = 0; i < s->head.n; i++) {
        if (!write_header(s, &s->head.headers[i], out, err)) {
            return false;
        }
    }
    return (!reads_answer(s) || buf_append_str(out, "Accept-Encoding: identity\r\n", err)) &&
           write_framing(s, out, err) && buf_append_str(out, "Connection: close\r\n\r\n", err);
}

/* A body on its way that is not judged, and yet looked through. */
struct passage {
    struct egress_session *session;
    struct egress_canary_scan scan;
    egress_sink *sink;
};

static bool pass(void *context, struct span data, struct error *err)
{
    struct passage *p = context;

    if (egress_canary_is_in_next(&p->session->service->canary, &p->scan, data)) {
        return error_set(err, ERROR_DENIED, "a canary");
    }
    return p->sink(&p->session->upstream, data, err);
}

/* The other side may answer, and close, before it has read all; its answer is what counts then. */
static bool send_body(struct egress_session *s, struct error *err)
{
    struct egress_body body;
    bool is_chunked = s->head.framing == EGRESS_BODY_CHUNKED;

    if (egress_judges_requests(s->rule)) {
        return egress_link_send(&s->upstream, buf_span(&s->body), err);
    }
    struct passage p = {.session = s, .sink = is_chunked ? egress_sink_chunks : egress_sink_link};
    egress_body_init(&body, &s->head, false);
    return invite_body(s, err) && egress_body_move(&s->client, &body, pass, &p, err) &&
           (!is_chunked || egress_link_send(&s->upstream, span_str("0\r\n\r\n"), err));
}

static void wipe(struct buf *b)
{
    if (b->len > 0) {
        explicit_bzero(b->data, b->len);
    }
    buf_deinit(b);
}

bool egress_exchange(struct egress_session *s, struct span target_text)
{
    struct buf head CLEANUP(wipe);
    struct error err = {0};

    buf_init(&head, s->head_text.len + SECRETS_ROOM);
    if (!expect_no_surprise(s) || !expect_said_once(s, target_text) || !expect_no_canary(s, target_text) || !judge(s, target_text)) {
        return false;
    }
    /* At once as large as it may get, so that no part with a credential is left behind in freed memory. */
    if (!buf_reserve(&head, head.max, &err) || !write_head(s, target_text, &head, &err)) {
        return egress_session_fail(s, err.kind == ERROR_DENIED ? EGRESS_CREDENTIAL : EGRESS_SIZE, err.text);
    }
    if (!egress_session_dial(s)) {
        return false;
    }
    if (!egress_link_send(&s->upstream, buf_span(&head), &err)) {
        return egress_session_fail_link(s, &err);
    }
    if (!send_body(s, &err) && err.kind != ERROR_SYSTEM) {
        return err.kind == ERROR_DENIED ? refuse_canary(s) : egress_session_fail_link(s, &err);
    }
    egress_memory_free(&s->service->memory, &s->body);
    egress_memory_free(&s->service->memory, &s->decoded);
    return egress_response(s);
}
