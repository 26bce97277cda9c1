/* processing_request.c - the request's side: as the proxy's request, whose headers and body come in messages. */
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <strings.h>

#include "base/cleanup.h"
#include "envoy/processing_state.h"
#include "service/access.h"
#include "upstream/proxy_header.h"

static const char token_header[] = "x-filterd-token", no_trailers[] = "a request without trailers expected";

static bool is_named(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

/* --- the head ------------------------------------------------------------------ */

struct request_line {
    struct span method, path;
};

static bool add_field(struct processing *g, struct span name, struct span value)
{
    if (g->source.n_fields == PROCESSING_FIELDS_MAX) {
        return false;
    }
    g->fields[g->source.n_fields++] = (struct request_field){name, value};
    return true;
}

static bool keep_once(struct span *out, struct span value)
{
    bool is_first = out->ptr == NULL;

    *out = value;
    return is_first;
}

/* The tokens of filterd are those of the call, not those of the client whose request this is. */
static bool take_field(struct processing *g, const struct process_header *h, struct request_line *line)
{
    if (h->name.len == 0 || memchr(h->name.ptr, '\0', h->name.len) != NULL || memchr(h->value.ptr, '\0', h->value.len) != NULL) {
        return false;
    }
    if (span_is(h->name, ":method")) {
        return keep_once(&line->method, h->value);
    }
    if (span_is(h->name, ":path")) {
        return keep_once(&line->path, h->value);
    }
    return h->name.ptr[0] == ':' || is_named(h->name, token_header) || add_field(g, h->name, h->value);
}

/* The head is copied, as it is needed for as long as the request lives. */
static bool read_head(struct processing *g, const struct process_message *m, struct request_line *line)
{
    struct process_header h;
    enum wire_step step = WIRE_END;
    struct error err;

    g->fields = malloc(PROCESSING_FIELDS_MAX * sizeof(*g->fields)); /* most of it is never touched */
    if (g->fields == NULL || m->headers.len > PROCESSING_HEAD_MAX || !buf_append(&g->head, m->headers, &err)) {
        return false;
    }
    struct span rest = buf_span(&g->head);
    while ((step = process_next_header(&rest, &h)) == WIRE_FIELD) {
        if (!take_field(g, &h, line)) {
            return false;
        }
    }
    /* HTTP/2 needs neither this nor a length for a body. */
    bool is_added = m->is_last || add_field(g, span_str("Transfer-Encoding"), span_str("chunked"));
    g->source.fields = g->fields;
    return step == WIRE_END && is_added && line->method.len > 0 && line->path.len > 0 && line->path.ptr[0] == '/';
}

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

/* Appends the path, decoded; what cannot be decoded, or would end it, is malformed. */
static bool put_path(struct buf *out, struct span path)
{
    struct error err;

    for (size_t i = 0; i < path.len; i++) {
        char c = path.ptr[i];
        if (c == '%') {
            int high = i + 2 < path.len ? digit(path.ptr[i + 1]) : -1, low = high < 0 ? -1 : digit(path.ptr[i + 2]);
            c = low < 0 ? '\0' : (char)(high << 4 | low);
            i += 2;
        } else if (!isgraph((unsigned char)c)) {
            return false;
        }
        if (c == '\0' || !buf_append_char(out, c, &err)) {
            return false;
        }
    }
    return true;
}

/* "/upstream/path", as requests to the proxy have it. */
static bool set_path(struct processing *g, struct span target, struct buf *path)
{
    const char *mark = memchr(target.ptr, '?', target.len);
    size_t len = mark == NULL ? target.len : (size_t)(mark - target.ptr);
    struct error err;

    g->source.query = mark == NULL ? span_str("") : span_slice(target, len + 1, target.len);
    for (size_t i = 0; i < g->source.query.len; i++) {
        if (!isgraph((unsigned char)g->source.query.ptr[i])) {
            return false;
        }
    }
    return buf_append_char(path, '/', &err) && buf_append_str(path, g->upstream, &err) &&
           put_path(path, span_slice(target, 0, len)) && buf_append_char(path, '\0', &err);
}

static void resumed(struct request *r)
{
    struct processing *g = (struct processing *)(void *)((char *)(uintptr_t)r->source - offsetof(struct processing, source));

    atomic_store(&g->is_resumed, true);
    processing_touch(g);
}

static void moved(struct proxy *p)
{
    struct processing *g =
        (struct processing *)(void *)((char *)(uintptr_t)p->request->source - offsetof(struct processing, source));

    g->has_started = true;
    processing_touch(g);
}

/* False: it is refused, with a response. */
static bool admit(struct processing *g, const struct process_message *m)
{
    struct buf path CLEANUP(buf_deinit);
    struct request_line line = {0};
    char method[16];

    buf_init(&path, PROCESSING_HEAD_MAX);
    if (!read_head(g, m, &line) || line.method.len >= sizeof(method) || !set_path(g, line.path, &path)) {
        processing_refuse(g, 400, "a method, a path and fewer headers expected");
        return false;
    }
    struct request *r = request_take(g->service, g->listener, NULL);
    if (r == NULL) {
        processing_refuse(g, 503, "no room at the moment");
        return false;
    }
    g->request = r;
    r->source = &g->source;
    g->source.resume = resumed;
    g->source.reactor = g->reactor;
    (void)snprintf(method, sizeof(method), SPAN_FMT, SPAN_ARG(line.method));
    if (!proxy_admit(r, method, path.data)) {
        processing_refuse(g, 500, "the metadata filterd-upstream names no upstream");
        return false;
    }
    if (r->proxy != NULL) {
        r->proxy->moved = moved;
    }
    if (r->reply.status != 0) {
        processing_send_immediate(g);
        return false;
    }
    return true;
}

/* Those that the proxy would not forward; an encoded answer could not be judged. */
static void send_head(struct processing *g)
{
    static const char *const kept[] = {"Host", "Content-Length", "TE", "Connection", "Transfer-Encoding", "Trailer", "Upgrade"};
    const struct process_header identity = {.name = span_str("accept-encoding"), .value = span_str("identity")};
    struct span removed[PROCESSING_FIELDS_MAX + 2];
    struct process_changes c = {.set = &identity, .n_set = 1, .removed = removed};
    const struct request_source *s = &g->source;

    for (size_t i = 0; i < s->n_fields; i++) {
        bool is_kept = is_named(s->fields[i].name, "Accept-Encoding");
        for (size_t k = 0; k < COUNT(kept) && !is_kept; k++) {
            is_kept = is_named(s->fields[i].name, kept[k]);
        }
        if (!is_kept && !header_goes_up(s->fields[i].name, s->fields[i].value, span_str(""), false)) {
            removed[c.n_removed++] = s->fields[i].name;
        }
    }
    removed[c.n_removed++] = span_str(token_header);
    if (g->modes[0] != BODY_BUFFERED) {
        removed[c.n_removed++] = span_str("content-length"); /* a masked body has another */
    }
    processing_send_headers(g, PROCESS_REQUEST_HEADERS, &c);
}

/* --- the body -------------------------------------------------------------------- */

static void judge(struct processing *g)
{
    struct request *r = g->request;

    g->phase = PROCESSING_JUDGING;
    reactor_end(g->reactor, &g->ticker);
    if (r->proxy != NULL) {
        r->proxy->is_taken_whole = g->modes[1] == BODY_BUFFERED; /* processing_answer.c: send_in_turn */
    }
    g->is_waiting = proxy_run(r) == STEP_SUSPENDED;
    if (!g->is_waiting) {
        processing_send_immediate(g);
    }
}

bool processing_request_headers(struct processing *g, const struct process_message *m)
{
    if (m->has_modes) {
        g->modes[0] = m->request_mode;
        g->modes[1] = m->response_mode;
    }
    bool is_known = g->modes[0] <= BODY_FULL_DUPLEX && g->modes[0] != BODY_BUFFERED_PARTIAL;
    g->phase = PROCESSING_REQUEST;
    if (m->is_observed) {
        processing_fail(g, GRPC_UNIMPLEMENTED);
    } else if (!is_known || (g->modes[0] == BODY_NOT_SENT && !m->is_last)) {
        processing_refuse(g, 500, "request_body_mode BUFFERED, STREAMED or FULL_DUPLEX_STREAMED expected");
    } else if (admit(g, m)) {
        if (m->is_last) {
            judge(g);
        } else if (g->modes[0] != BODY_FULL_DUPLEX) {
            send_head(g);
        }
    }
    return true;
}

static bool has_room(struct processing *g, struct span bytes)
{
    struct request *r = g->request;

    if (!request_receive(r, bytes)) {
        processing_refuse(g, 408, "the body came too slowly");
    } else if (r->reply.status != 0) {
        processing_send_immediate(g);
    }
    return g->phase == PROCESSING_REQUEST;
}

bool processing_request_body(struct processing *g, const struct process_message *m)
{
    if (!has_room(g, m->body)) {
        return true;
    }
    if (m->is_last) {
        judge(g);
    } else if (g->modes[0] == BODY_BUFFERED) { /* trailers follow, which Envoy need not send here but would pass on */
        processing_refuse(g, 400, no_trailers);
    } else if (g->modes[0] == BODY_STREAMED) {
        processing_send_body(g, CHANGE_REPLACED, span_str(""));
    }
    return true;
}

bool processing_request_trailers(struct processing *g, const struct process_message *m)
{
    struct error err;

    if (g->phase != PROCESSING_REQUEST) {
        processing_send_trailers(g, m->part, m->headers);
    } else if (g->modes[0] == BODY_STREAMED || !buf_append(&g->trailers, m->headers, &err)) {
        processing_refuse(g, 400, no_trailers);
    } else {
        judge(g);
    }
    return true;
}

void processing_request_go(struct processing *g)
{
    const struct proxy *p = g->request->proxy;
    bool had_no_body = g->unanswered == PROCESS_REQUEST_HEADERS;

    g->phase = PROCESSING_HEADERS;
    if (had_no_body || g->modes[0] == BODY_FULL_DUPLEX) {
        send_head(g);
    }
    if (!had_no_body) {
        bool is_changed = p->judged.is_changed || g->modes[0] != BODY_BUFFERED;
        processing_send_last(g, PROCESS_REQUEST_BODY, is_changed, buf_span(&p->up.body));
    }
    buf_clear(&g->trailers);
}
