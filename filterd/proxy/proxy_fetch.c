/* proxy_fetch.c - the transfer: the options set for libcurl, and its callbacks. */
#include <stddef.h>
#include <strings.h>

#include "base/clock.h"
#include "proxy/proxy.h"
#include "upstream/proxy_header.h"
#include "pipeline/pipeline.h"
#include "pipeline/worker.h"

enum {
    RECEIVE_BUFFER = 4096,
    RECEIVE_BUFFER_H2 = 16384, /* what a TLS record holds: see set_version */
    BODY_COPIED = 32 * 1024,   /* a shorter body goes out with the head: libcurl copies it */
    SEND_BUFFER = 16384,       /* per transfer, to its end */
    SEND_BUFFER_LONG = 65536,  /* of a body of at least twice that: fewer calls of the kernel */
    SEND_BUFFER_WHOLE = 262144, /* of one that is longer still, while … */
    FEW = 32,                   /* … so few exchanges are open, which bounds what these take */
};

static struct proxy *of_transfer(struct transfer *t)
{
    return (struct proxy *)(void *)((char *)t - offsetof(struct proxy, up.transfer));
}

static size_t send_body(char *out, size_t size, size_t n, void *context)
{
    struct proxy *p = context;
    size_t room = size * n, left = p->up.body.len - p->up.body_at;
    size_t len = left < room ? left : room;

    if (proxy_has_head(p)) {
        return CURL_READFUNC_ABORT; /* the body is gone; so early an answer needs no more of it */
    }
    if (len > 0) {
        memcpy(out, p->up.body.data + p->up.body_at, len);
    }
    p->up.body_at += len;
    return len;
}

/* A pooled connection that turns out to be dead is replaced, and the body sent again. */
static int rewind_body(void *context, curl_off_t offset, int origin)
{
    struct proxy *p = context;

    if (origin != SEEK_SET || offset < 0 || (uint64_t)offset > p->up.body.len || proxy_has_head(p)) {
        return CURL_SEEKFUNC_FAIL;
    }
    p->up.body_at = (size_t)offset;
    return CURL_SEEKFUNC_OK;
}

/* Before each time that the request is sent: the upstream may have taken it the first time, too, before its connection ended. */
static int on_request(void *context, char *peer, char *self, int peer_port, int self_port)
{
    struct proxy *p = context;

    (void)peer, (void)self, (void)peer_port, (void)self_port;
    p->up.sent++;
    return CURL_PREREQFUNC_OK;
}

static struct span trim(struct span s)
{
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[0]) != NULL) {
        s = span_slice(s, 1, s.len);
    }
    while (s.len > 0 && strchr(" \t\r\n", s.ptr[s.len - 1]) != NULL) {
        s.len--;
    }
    return s;
}

/* Copies a value that fits; one that does not is as if it were not there. */
static void keep(char *out, size_t size, struct span value)
{
    bool fits = value.len < size && memchr(value.ptr, '\0', value.len) == NULL;

    memcpy(out, value.ptr, fits ? value.len : 0);
    out[fits ? value.len : 0] = '\0';
}

static bool is_named(struct span name, const char *other)
{
    return name.len == strlen(other) && strncasecmp(name.ptr, other, name.len) == 0;
}

static void keep_down(struct proxy *p, struct span name, struct span value)
{
    size_t before = p->down.headers.len;
    struct error err;

    /* Neither has a NUL in it: header_comes_down has looked. */
    if (buf_append(&p->down.headers, name, &err) && buf_append_char(&p->down.headers, '\0', &err) &&
        buf_append(&p->down.headers, value, &err) && buf_append_char(&p->down.headers, '\0', &err)) {
        p->down.n_headers++;
    } else {
        p->down.headers.len = before;
    }
}

/* By the policy of the answer. What is found in it is no part of the answer, so it is nothing to redact or to put on
 * record: like an unknown header, it is dropped. */
static bool is_clean(struct proxy *p, struct span value, bool is_joined)
{
    struct channel channel = {.path = span_str(""), .text = value, .has_tokens_alone = is_joined};
    struct exchange x;

    stream_exchange(p->stream, &x);
    x.channels = &channel;
    x.n_channels = 1;
    x.spending = NULL;
    (void)worker_begin(reactor_worker(p->reactor));
    pipeline_judge(reactor_worker(p->reactor), &x);
    return x.action == ACTION_ALLOW && x.unjudged_reason == NULL;
}

bool proxy_header_is_clean(struct proxy *p, struct span value)
{
    return is_clean(p, value, false);
}

/* Ids of one answer are read in a row: a token over two of them is kept back, too. */
static bool is_clean_behind(struct proxy *p, struct span value)
{
    struct buf *ids = &p->down.ids;
    size_t before = ids->len;
    struct error err;

    if (!buf_append(ids, value, &err)) {
        return false;
    }
    bool is_kept = before == 0 || is_clean(p, buf_span(ids), true);
    ids->len = is_kept ? ids->len : before;
    return is_kept;
}

bool proxy_header_comes_down(struct proxy *p, struct span name, struct span value)
{
    enum header_use use = header_comes_down(name, value);

    return use == HEADER_PASSES ||
           (use == HEADER_JUDGED && proxy_header_is_clean(p, value) && is_clean_behind(p, value));
}

static void take_header(struct proxy *p, struct span line)
{
    const char *colon = memchr(line.ptr, ':', line.len);

    if (colon == NULL) {
        return;
    }
    struct span name = span_slice(line, 0, (size_t)(colon - line.ptr));
    struct span value = trim(span_slice(line, name.len + 1, line.len));
    if (is_named(name, "Content-Type")) {
        keep(p->up.type, sizeof(p->up.type), value);
    } else if (is_named(name, "Content-Encoding")) {
        keep(p->up.coding, sizeof(p->up.coding), value.len > 0 ? value : span_str("none"));
    } else if (p->down.n_headers < PROXY_HEADERS_DOWN && proxy_header_comes_down(p, name, value)) {
        keep_down(p, name, value);
    }
}

static unsigned status_of(CURL *easy)
{
    long status = 0;

    (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
    return status < 100 || status > 599 ? 502 : (unsigned)status;
}

/* Each line of the head, the status line and the empty one among them; trailers, too. */
static size_t on_header(char *bytes, size_t size, size_t n, void *context)
{
    struct proxy *p = context;
    struct span line = span_of(bytes, size * n);

    p->up.received += line.len;
    p->up.head_bytes += line.len;
    if (p->up.head_bytes > PROXY_HEAD_MAX) {
        return 0;
    }
    if (proxy_has_head(p)) {
        return line.len;
    }
    if (span_starts_with(line, span_str("HTTP/"))) {
        p->down.n_headers = p->down.headers.len = p->down.ids.len = 0;
        p->up.type[0] = p->up.coding[0] = '\0';
        p->down.status = status_of(p->up.transfer.easy);
    } else if (trim(line).len > 0) {
        take_header(p, line);
    } else if (p->down.status >= 200) {
        proxy_flow_head(p);
    }
    return proxy_is_over(p) && p->end != END_WHOLE ? 0 : line.len;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct proxy *p = context;

    if ((proxy_is_asking(p) && !proxy_is_over(p)) || proxy_answer_is_full(p)) {
        return CURL_WRITEFUNC_PAUSE;
    }
    proxy_flow_take(p, span_of(bytes, size * n));
    proxy_flow_advance(p);
    return !proxy_is_over(p) || p->end == END_WHOLE ? size * n : 0;
}

enum proxy_end proxy_fetch_end(CURLcode code)
{
    static const struct {
        CURLcode code;
        enum proxy_end end;
    } ends[] = {
        {CURLE_OK, END_WHOLE},
        {CURLE_COULDNT_RESOLVE_HOST, END_RESOLVE},
        {CURLE_COULDNT_CONNECT, END_CONNECT},
        {CURLE_OPERATION_TIMEDOUT, END_TIMEOUT},
        {CURLE_SSL_CONNECT_ERROR, END_TLS},
        {CURLE_PEER_FAILED_VERIFICATION, END_TLS},
        {CURLE_SSL_CERTPROBLEM, END_TLS},
        {CURLE_SSL_CIPHER, END_TLS},
        {CURLE_SSL_CACERT_BADFILE, END_TLS},
        {CURLE_SSL_ISSUER_ERROR, END_TLS},
        {CURLE_SSL_INVALIDCERTSTATUS, END_TLS},
    };

    for (size_t i = 0; i < COUNT(ends); i++) {
        if (ends[i].code == code) {
            return ends[i].end;
        }
    }
    return END_BROKEN;
}

static void on_done(struct transfer *t, CURLcode code)
{
    struct proxy *p = of_transfer(t);

    if (code == CURLE_OK && !proxy_has_head(p)) {
        code = CURLE_WEIRD_SERVER_REPLY;
    }
    bool was_under_way = t->easy != NULL;
    curl_easy_cleanup(t->easy);
    t->easy = NULL;
    proxy_finish(p, proxy_fetch_end(code)); /* nothing, when it is over already */
    proxy_flow_advance(p);
    if (p->up.phase == UP_LINGERING) {
        proxy_unref(p);
    } else if (proxy_is_asking(p) && was_under_way) {
        reactor_keep(p->reactor, t);
    }
}

static void on_tick(struct transfer *t, uint64_t now_ns)
{
    proxy_flow_tick(of_transfer(t), now_ns);
}

/* One failure is kept, so that the options read as a list. */
#define SET(option, value)                                                                         \
    is_set = is_set && curl_easy_setopt(easy, CURLOPT_##option, value) == CURLE_OK

bool proxy_fetch_connection(CURL *easy, const struct upstream *u)
{
    bool is_set = true;

    SET(PROTOCOLS_STR, "http,https");
    SET(PROXY, ""); /* whatever the environment says */
    SET(FOLLOWLOCATION, 0L);
    SET(NOSIGNAL, 1L);
    SET(TCP_KEEPALIVE, 1L);
    SET(HTTP09_ALLOWED, 0L);
    SET(PATH_AS_IS, 1L);
    SET(SSL_VERIFYPEER, 1L);
    SET(SSL_VERIFYHOST, 2L);
    SET(CONNECTTIMEOUT_MS, (long)u->connect_timeout * 1000);
    if (u->ca != NULL) {
        SET(CAINFO, u->ca);
        SET(CAPATH, NULL); /* that bundle and no other */
    }
    return is_set;
}

/* A buffer is kept per transfer, to its end. Over HTTP/2 libcurl 7.88 forgets what it has read of a
 * record beyond its buffer, and an answer whose end is there never ends. A transfer that finds a
 * connection being made waits for it: it may share it. */
static bool set_version(CURL *easy, const struct upstream *u)
{
    bool may_be_h2 = u->http2 && strncmp(u->url, "https:", 6) == 0;
    bool is_set = true;

    SET(HTTP_VERSION, may_be_h2 ? (long)CURL_HTTP_VERSION_2TLS : (long)CURL_HTTP_VERSION_1_1);
    SET(BUFFERSIZE, may_be_h2 ? (long)RECEIVE_BUFFER_H2 : (long)RECEIVE_BUFFER);
    SET(PIPEWAIT, may_be_h2 ? 1L : 0L);
    return is_set;
}

static bool set_callbacks(CURL *easy, struct proxy *p)
{
    bool is_set = true;

    SET(WRITEFUNCTION, on_body);
    SET(WRITEDATA, p);
    SET(HEADERFUNCTION, on_header);
    SET(HEADERDATA, p);
    SET(READFUNCTION, send_body);
    SET(READDATA, p);
    SET(SEEKFUNCTION, rewind_body);
    SET(SEEKDATA, p);
    SET(PREREQFUNCTION, on_request);
    SET(PREREQDATA, p);
    return is_set;
}

static long send_buffer(const struct proxy *p)
{
    bool are_few = (uint64_t)atomic_load(&p->service->metrics.proxy.open) <= FEW;

    return p->up.body.len < 2 * (size_t)SEND_BUFFER_LONG ? SEND_BUFFER : are_few ? SEND_BUFFER_WHOLE : SEND_BUFFER_LONG;
}

static bool set_request(CURL *easy, const struct proxy *p)
{
    struct span url = span_of(p->upstream->url, upstream_base_length(p->upstream, p->path));
    struct buf target;
    struct error err;
    bool is_set = true;

    buf_init(&target, p->target.len + url.len + 1);
    SET(HTTPHEADER, p->up.headers);
    SET(UPLOAD_BUFFERSIZE, send_buffer(p));
    if (p->up.body.len > 0 || strcmp(p->method, "POST") == 0) {
        SET(POST, 1L);
        SET(POSTFIELDSIZE_LARGE, (curl_off_t)p->up.body.len);
        if (p->up.body.len > 0 && p->up.body.len <= BODY_COPIED) {
            SET(POSTFIELDS,
                p->up.body.data); /* spares an upload buffer; kept until the answer's head */
        }
    } else if (strcmp(p->method, "HEAD") == 0) {
        SET(NOBODY, 1L);
    }
    SET(CUSTOMREQUEST, p->method);
    is_set = is_set && buf_append(&target, url, &err) &&
             buf_append(&target, buf_span(&p->target), &err) &&
             buf_append_char(&target, '\0', &err);
    SET(URL, target.data);
    buf_deinit(&target);
    return is_set;
}

bool proxy_fetch_start(struct proxy *p, struct error *err)
{
    CURL *easy = p->moved != NULL ? NULL : curl_easy_init();

    p->up.asked_ns = clock_monotonic_ns();
    if (p->moved != NULL) {
        p->up.transfer = (struct transfer){.done = on_done, .tick = on_tick};
        reactor_keep(p->reactor, &p->up.transfer);
        p->moved(p);
        return true;
    }
    if (easy == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "proxy: no memory");
    }
    p->up.transfer = (struct transfer){.easy = easy, .done = on_done, .tick = on_tick};
    if (!proxy_fetch_connection(easy, p->upstream) || !set_version(easy, p->upstream) ||
        !set_callbacks(easy, p) || !set_request(easy, p) ||
        !reactor_begin(p->reactor, &p->up.transfer, err)) {
        curl_easy_cleanup(easy);
        p->up.transfer.easy = NULL;
        return error_set(err, ERROR_INTERNAL, "proxy: libcurl refused the request");
    }
    return true;
}

void proxy_fetch_stop(struct proxy *p)
{
    if (p->up.transfer.easy == NULL) {
        reactor_end(p->reactor, &p->up.transfer); /* it may only wait for the supervisor */
        return;
    }
    /* libcurl 7.88 leaves the reset of an HTTP/2 stream lying until the connection has something
     * else to do, and the upstream would go on generating. A connection without other streams is
     * closed; on one that others use the next frame that comes takes the reset along. */
    (void)curl_easy_setopt(p->up.transfer.easy, CURLOPT_FORBID_REUSE, 1L);
    reactor_end(p->reactor, &p->up.transfer);
    curl_easy_cleanup(p->up.transfer.easy);
    p->up.transfer.easy = NULL;
}

void proxy_fetch_resume(struct proxy *p)
{
    if (p->up.transfer.easy != NULL) {
        (void)curl_easy_pause(p->up.transfer.easy, CURLPAUSE_CONT);
    } else if (p->moved != NULL) {
        p->moved(p);
    }
}
