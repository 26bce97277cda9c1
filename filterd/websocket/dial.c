/* dial.c - the upstream's side of a session until it is open: libcurl connects, with TLS where the URL says so, and the
 * handshake goes over that connection. */
#include <strings.h>
#include <sys/epoll.h>

#include "base/clock.h"
#include "websocket/session.h"

static const char refused[] = "the upstream refused the WebSocket";

void dial_fail(struct websocket *w, unsigned status, const char *message, enum proxy_end how)
{
    struct request *r = w->request;

    if (r != NULL) {
        w->request = NULL;
        if (proxy_end_is_upstreams(how)) {
            (void)atomic_fetch_add(&w->service->metrics.proxy.errors[how - END_UPSTREAM], 1);
        }
        request_problem(r, status, message, NULL);
        request_resume(r);
    }
    websocket_end(w);
}

/* Scheme, host and port, which libcurl reads; the path is in the handshake. */
static bool set_url(CURL *easy, const struct upstream *u)
{
    return curl_easy_setopt(easy, CURLOPT_URL, u->url) == CURLE_OK && curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK;
}

void dial_start(struct websocket *w)
{
    const struct upstream *u = w->proxy->upstream;
    struct error err;

    w->transfer.easy = curl_easy_init();
    if (w->transfer.easy == NULL || !proxy_fetch_connection(w->transfer.easy, u) || !set_url(w->transfer.easy, u) ||
        !reactor_begin(w->reactor, &w->transfer, &err)) {
        dial_fail(w, 503, "no room at the moment", END_INTERNAL);
    }
}

/* --- the handshake ------------------------------------------------------------------------ */

/* An API key that browsers put there is the client's, which ours replaces. */
static bool keep_offer(struct span item, bool has_credential)
{
    static const char key[] = "openai-insecure-api-key.";

    return item.len > 0 && !(has_credential && span_starts_with(item, span_str(key)));
}

static bool write_offers(const struct websocket *w, struct buf *out, struct error *err)
{
    struct span rest = w->subprotocols;
    bool has_credential = w->proxy->upstream->credential != NULL, is_written = true;

    while (rest.len > 0 && is_written) {
        const char *comma = memchr(rest.ptr, ',', rest.len);
        size_t len = comma == NULL ? rest.len : (size_t)(comma - rest.ptr);
        struct span item = span_slice(rest, 0, len);
        while (item.len > 0 && item.ptr[0] == ' ') {
            item = span_slice(item, 1, item.len);
        }
        if (keep_offer(item, has_credential)) {
            is_written = (out->len == 0 || buf_append_str(out, ", ", err)) && buf_append(out, item, err);
        }
        rest = span_slice(rest, len + (comma != NULL), rest.len);
    }
    return is_written;
}

/* "https://host:port/path": the host with its port, and the path in front of the client's. */
static void split_url(const struct websocket *w, struct span *host, struct span *path)
{
    const struct proxy *p = w->proxy;
    struct span url = span_of(p->upstream->url, upstream_base_length(p->upstream, p->path));
    const char *authority = strstr(p->upstream->url, "://") + 3;
    struct span rest = span_slice(url, (size_t)(authority - url.ptr), url.len);
    const char *slash = memchr(rest.ptr, '/', rest.len);
    size_t len = slash == NULL ? rest.len : (size_t)(slash - rest.ptr);

    *host = span_slice(rest, 0, len);
    *path = span_slice(rest, len, rest.len);
}

static bool write_request(struct websocket *w, struct buf *out, struct error *err)
{
    const char *headers[PROXY_HEADERS_UP];
    char key[HANDSHAKE_KEY + 1];
    struct handshake_request q = {.key = key, .headers = headers};
    struct buf target, offers;
    struct span path;

    for (const struct curl_slist *h = w->proxy->up.headers; h != NULL && q.n_headers < COUNT(headers); h = h->next) {
        headers[q.n_headers++] = h->data;
    }
    handshake_make_key(key);
    handshake_accept(span_str(key), w->expected);
    split_url(w, &q.host, &path);
    buf_init(&target, path.len + w->proxy->target.len);
    buf_init(&offers, SESSION_HEAD);
    bool is_written = buf_append(&target, path, err) && buf_append(&target, buf_span(&w->proxy->target), err) &&
                      write_offers(w, &offers, err);
    q.target = buf_span(&target);
    q.subprotocols = buf_span(&offers);
    is_written = is_written && handshake_write_request(&q, out, err);
    buf_deinit(&target);
    buf_deinit(&offers);
    return is_written;
}

/* At once: a new connection takes so much without waiting. */
static bool send_request(struct websocket *w)
{
    struct buf text;
    struct error err;
    size_t sent = 0;

    buf_init(&text, 2 * HANDSHAKE_HEAD_MAX);
    bool is_sent = write_request(w, &text, &err) &&
                   curl_easy_send(w->transfer.easy, text.data, text.len, &sent) == CURLE_OK && sent == text.len;
    if (text.cap > 0) {
        explicit_bzero(text.data, text.cap); /* keys among it */
    }
    buf_deinit(&text);
    return is_sent;
}

/* How a transfer of libcurl failed, as for any other request. */
static void fail_to_connect(struct websocket *w, CURLcode code)
{
    enum proxy_end how = proxy_fetch_end(code);
    const struct proxy_failure *f = proxy_failure_of(how);

    dial_fail(w, f->status, f->message, how);
}

void dial_connected(struct websocket *w, CURLcode code)
{
    curl_socket_t fd = CURL_SOCKET_BAD;

    if (code != CURLE_OK) {
        fail_to_connect(w, code);
        return;
    }
    if (curl_easy_getinfo(w->transfer.easy, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK || fd == CURL_SOCKET_BAD || !send_request(w)) {
        dial_fail(w, 502, "the upstream broke off its answer", END_BROKEN);
        return;
    }
    w->upstream.fd = fd;
    w->phase = SESSION_SHAKING;
    w->since_ns = clock_monotonic_ns();
    w->upstream.polled = EPOLLIN;
    if (!reactor_poll(w->reactor, fd, EPOLLIN, &w->upstream.watch)) {
        dial_fail(w, 503, "no room at the moment", END_INTERNAL);
        return;
    }
    dial_ready(w);
}

static void agree(struct websocket *w, const struct handshake_answer *a)
{
    struct request *r = w->request;

    if (a->status != 101) {
        dial_fail(w, a->status >= 400 && a->status < 500 ? a->status : 502, refused, END_STATUS);
        return;
    }
    memcpy(w->subprotocol, a->subprotocol, sizeof(w->subprotocol));
    w->upstream.early_at = a->len;
    w->phase = SESSION_AGREED;
    w->since_ns = clock_monotonic_ns();
    (void)!reactor_poll(w->reactor, w->upstream.fd, 0, &w->upstream.watch);
    w->request = NULL;
    r->reply = (struct reply){.status = 101};
    buf_clear(&r->answer);
    request_resume(r);
}

void dial_ready(struct websocket *w)
{
    struct buf *head = &w->upstream.early;
    struct handshake_answer answer;
    enum handshake_state state = HANDSHAKE_MORE;
    CURLcode code = CURLE_OK;
    struct error err;
    size_t n = 0;

    while (state == HANDSHAKE_MORE && code == CURLE_OK) {
        if (!buf_reserve(head, 1024, &err)) {
            break;
        }
        code = curl_easy_recv(w->transfer.easy, head->data + head->len, 1024, &n);
        if (code == CURLE_OK && n == 0) {
            code = CURLE_RECV_ERROR;
        }
        head->len += code == CURLE_OK ? n : 0;
        state = handshake_read_answer(buf_span(head), w->expected, w->subprotocols, &answer);
    }
    if (state == HANDSHAKE_OK) {
        agree(w, &answer);
    } else if (state == HANDSHAKE_BROKEN || code != CURLE_AGAIN) {
        dial_fail(w, 502, refused, END_BROKEN);
    }
}
