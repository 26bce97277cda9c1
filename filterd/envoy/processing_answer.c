/* processing_answer.c - the answer's side: what the upstream of the proxy's exchange sends, and what may leave of it. */
#include <stddef.h>
#include <strings.h>

#include "envoy/processing_state.h"
#include "proxy/proxy.h"

enum { STATUS_DIGITS = 3 };

static bool is_named(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

/* --- the head ------------------------------------------------------------------- */

static unsigned parse_status(struct span text)
{
    unsigned status = 0;

    for (size_t i = 0; i < text.len && text.len == STATUS_DIGITS; i++) {
        if (text.ptr[i] < '0' || text.ptr[i] > '9') {
            return 0;
        }
        status = 10 * status + (unsigned)(text.ptr[i] - '0');
    }
    return status < 200 || status > 599 ? 502 : status;
}

/* A value that does not fit is as good as an unknown one. */
static void keep(char *out, size_t size, struct span value)
{
    bool fits = value.len < size && memchr(value.ptr, '\0', value.len) == NULL;

    (void)snprintf(out, size, SPAN_FMT, fits ? (int)value.len : 1, fits ? value.ptr : "?");
}

static bool remove_header(struct processing *g, struct span name)
{
    struct error err;

    return buf_append(&g->removed, name, &err) && buf_append_char(&g->removed, '\0', &err);
}

/* Envoy removes a header of that prefix only where its mutation_rules say so. The one excepted is Envoy's, whatever the upstream sent. */
static bool may_stay(struct span name)
{
    static const char prefix[] = "x-envoy-";

    return name.len >= sizeof(prefix) - 1 && strncasecmp(name.ptr, prefix, sizeof(prefix) - 1) == 0 &&
           !is_named(name, "x-envoy-upstream-service-time");
}

/* A second coding would be another one to another reader. */
static void keep_coding(struct proxy *p, struct span value)
{
    bool is_first = p->up.coding[0] == '\0';

    keep(p->up.coding, sizeof(p->up.coding), is_first && value.len > 0 ? value : span_str("none"));
}

static bool drop_header(struct processing *g, const struct process_header *h)
{
    struct proxy *p = g->request->proxy;

    return remove_header(g, h->name) &&
           (!may_stay(h->name) || (proxy_header_is_clean(p, h->name) && proxy_header_is_clean(p, h->value)));
}

static bool take_header(struct processing *g, const struct process_header *h)
{
    struct proxy *p = g->request->proxy;

    if (h->name.len == 0 || memchr(h->name.ptr, '\0', h->name.len) != NULL) {
        return false;
    }
    if (span_is(h->name, ":status")) {
        p->down.status = parse_status(h->value);
        return true;
    }
    if (is_named(h->name, "Content-Type")) {
        bool is_first = p->up.type[0] == '\0';
        keep(p->up.type, sizeof(p->up.type), h->value);
        return is_first;
    }
    if (is_named(h->name, "Content-Encoding")) {
        keep_coding(p, h->value);
        return true;
    }
    return h->name.ptr[0] == ':' || proxy_header_comes_down(p, h->name, h->value) || drop_header(g, h);
}

static bool read_head(struct processing *g, struct span headers)
{
    struct process_header h;
    enum wire_step step = WIRE_END;
    size_t n = 0;

    if (headers.len > PROCESSING_HEAD_MAX) {
        return false;
    }
    while ((step = process_next_header(&headers, &h)) == WIRE_FIELD) {
        if (n++ == PROCESSING_FIELDS_MAX || !take_header(g, &h)) {
            return false;
        }
    }
    return step == WIRE_END && g->request->proxy->down.status != 0;
}

/* The type is that of what was judged, as through the proxy: the upstream's could say anything in its parameters. */
static void send_head(struct processing *g)
{
    struct span removed[PROCESSING_FIELDS_MAX + 1];
    const struct process_header type = {.name = span_str("content-type"),
                                        .value = span_str(translation_type(g->request->proxy->translation))};
    struct process_changes c = {.set = &type, .n_set = 1, .removed = removed};

    if (g->modes[1] != BODY_BUFFERED) {
        removed[c.n_removed++] = span_str("content-length");
    }
    for (size_t at = 0; at < g->removed.len; at += removed[c.n_removed++].len + 1) {
        removed[c.n_removed] = span_str(g->removed.data + at); /* no more than there were headers */
    }
    g->is_headed = true;
    processing_send_headers(g, PROCESS_RESPONSE_HEADERS, &c);
}

bool processing_answer_headers(struct processing *g, const struct process_message *m)
{
    struct proxy *p = g->request->proxy;
    bool is_known = g->modes[1] <= BODY_FULL_DUPLEX && g->modes[1] != BODY_BUFFERED_PARTIAL;

    if (!is_known || (g->modes[1] == BODY_NOT_SENT && !m->is_last)) {
        processing_refuse(g, 500, "response_body_mode BUFFERED, STREAMED or FULL_DUPLEX_STREAMED expected");
        return true;
    }
    if (proxy_is_over(p)) {
        g->phase = PROCESSING_ENDING;
        return true; /* its answer comes by itself */
    }
    if (!read_head(g, m->headers)) {
        processing_refuse(g, 502, "the upstream's head could not be read");
        return true;
    }
    g->status = p->down.status;
    g->phase = m->is_last ? PROCESSING_ENDING : PROCESSING_ANSWER;
    proxy_flow_head(p);
    if (m->is_last) {
        proxy_finish(p, END_WHOLE);
    }
    proxy_flow_advance(p);
    if (!m->is_last && !proxy_is_over(p) && g->modes[1] != BODY_FULL_DUPLEX) {
        send_head(g);
    }
    processing_answer_go(g);
    return true;
}

/* --- the body --------------------------------------------------------------------- */

bool processing_answer_body(struct processing *g, const struct process_message *m)
{
    struct proxy *p = g->request->proxy;

    if (!proxy_answer_may_feed(p)) {
        return false;
    }
    if (m->body.len > 0) {
        proxy_flow_take(p, m->body);
    }
    if (m->is_last || g->modes[1] == BODY_BUFFERED) {
        g->phase = PROCESSING_ENDING;
        g->awaits_trailers = !m->is_last;
        proxy_finish(p, END_WHOLE);
    }
    proxy_flow_advance(p);
    processing_answer_go(g);
    return true;
}

bool processing_answer_trailers(struct processing *g, const struct process_message *m)
{
    struct proxy *p = g->request->proxy;
    struct error err;

    if (g->phase == PROCESSING_TRAILERS) {
        g->awaits_trailers = false;
        processing_send_trailers(g, m->part, m->headers);
        return true;
    }
    if (!proxy_answer_may_feed(p)) {
        return false;
    }
    if (!buf_append(&g->trailers, m->headers, &err)) {
        processing_refuse(g, 502, "fewer trailers expected");
        return true;
    }
    g->phase = PROCESSING_ENDING;
    proxy_finish(p, END_WHOLE);
    proxy_flow_advance(p);
    processing_answer_go(g);
    return true;
}

/* --- what may leave ------------------------------------------------------------------ */

static void send_end(struct processing *g, struct span body)
{
    bool is_duplex = g->modes[1] == BODY_FULL_DUPLEX;

    if (g->unanswered == PROCESS_RESPONSE_HEADERS) { /* there was no body */
        if (body.len > 0) {
            processing_send_immediate(g);
            return;
        }
        send_head(g);
    } else {
        if (!g->is_headed) {
            send_head(g);
        }
        processing_send_last(g, PROCESS_RESPONSE_BODY, true, body);
    }
    if (g->phase != PROCESSING_OVER) {
        g->phase = is_duplex ? PROCESSING_OVER : PROCESSING_TRAILERS;
    }
    processing_touch(g);
}

/*
 * An answer that leaves as a whole: as the upstream's, if it has its status. It may be there before the upstream's end, when the
 * first bytes that came are blocked: where Envoy has sent the head already, an immediate response would break the connection off,
 * so that the rest of the upstream's body is dropped first.
 */
static void send_whole(struct processing *g)
{
    const struct request *r = g->request;
    bool is_theirs = r->reply.status == g->status && r->proxy->down.failure == NULL;

    if (is_theirs && g->phase == PROCESSING_ENDING) {
        send_end(g, buf_span(&r->answer));
    } else if (!is_theirs || !g->is_headed) {
        processing_send_immediate(g);
    } else if (g->unanswered == PROCESS_RESPONSE_BODY) {
        processing_send_body(g, CHANGE_REPLACED, span_str(""));
    }
}

/* Takes what is there. False: it is broken off, and so is the exchange. */
static bool take_out(struct processing *g, size_t max, enum proxy_out_end *end)
{
    struct error err;

    if (!proxy_answer_take(g->request->proxy, max, &g->piece, end, &err) || *end == OUT_BROKEN) {
        processing_refuse(g, 502, "the answer was broken off");
        return false;
    }
    return true;
}

/* BODY_FULL_DUPLEX: as it comes, as long as Envoy reads. */
static void send_flow(struct processing *g)
{
    enum proxy_out_end end = OUT_OPEN;

    if (!g->is_headed) {
        send_head(g);
    }
    while (g->phase != PROCESSING_OVER && g->call != NULL && grpc_queued(g->call) < PROCESSING_QUEUE_MAX) {
        if (!take_out(g, PROCESSING_PIECE, &end)) {
            return;
        }
        bool is_end = end == OUT_COMPLETE && g->phase == PROCESSING_ENDING;
        if (is_end) {
            send_end(g, buf_span(&g->piece));
        } else if (g->piece.len > 0) {
            processing_send_piece(g, PROCESS_RESPONSE_BODY, buf_span(&g->piece));
        }
        bool has_more = g->piece.len > 0 && !is_end;
        buf_clear(&g->piece);
        if (!has_more) {
            return;
        }
    }
}

/* One response for each message; the last has the rest. So has the one with which the upstream has said all: what follows it may be
 * trailers, whose response has no place for text. */
static void send_in_turn(struct processing *g)
{
    enum proxy_out_end end = OUT_OPEN;
    bool is_last = g->phase == PROCESSING_ENDING, is_rest = is_last || proxy_is_over(g->request->proxy);

    if ((!is_last && g->unanswered != PROCESS_RESPONSE_BODY) || !take_out(g, SIZE_MAX, &end)) {
        return;
    }
    if (is_rest && end == OUT_OPEN) {
        return;
    }
    if (is_last) {
        send_end(g, buf_span(&g->piece));
    } else {
        processing_send_body(g, CHANGE_REPLACED, buf_span(&g->piece));
    }
    buf_clear(&g->piece);
}

void processing_answer_go(struct processing *g)
{
    bool has_head = atomic_load(&g->is_resumed);

    if (g->phase < PROCESSING_HEADERS || g->phase > PROCESSING_ENDING) {
        return;
    }
    if (has_head && !g->request->reply.is_stream) {
        send_whole(g);
    } else if (g->phase == PROCESSING_HEADERS) {
        return; /* nothing of an answer leaves before Envoy has shown its head */
    } else if (has_head && g->modes[1] == BODY_FULL_DUPLEX) {
        send_flow(g);
    } else if (has_head) {
        send_in_turn(g);
    } else if (g->phase == PROCESSING_ANSWER && g->unanswered == PROCESS_RESPONSE_BODY && g->modes[1] == BODY_STREAMED &&
               !proxy_is_over(g->request->proxy)) {
        processing_send_body(g, CHANGE_REPLACED, span_str(""));
    }
}
