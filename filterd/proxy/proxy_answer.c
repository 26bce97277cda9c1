/* proxy_answer.c - the client's side: head, reader, and pausing.
 *
 * The reader runs in libmicrohttpd's thread. With nothing to read it suspends its connection, under
 * the lock, so that a writer cannot miss that it waits. */
#include "base/clock.h"
#include "base/uuid.h"
#include "proxy/proxy.h"
#include "service/receipts.h"

enum { READ_SIZE = 256 }; /* chunks do not go through it, only answers in HTTP/1.0 */

static const char receipt_field[] = "Filterd-Receipt";

/* The request is libmicrohttpd's again. */
static void hand_back(struct proxy *p)
{
    struct request *r = p->request;
    bool is_theirs = p->down.failure == NULL && !p->down.is_hard && proxy_has_head(p);

    r->reply.forbids_retry = p->down.is_hard;
    r->reply.n_forwarded = is_theirs ? p->down.n_headers : 0; /* our refusals carry nothing of theirs */
    if (p->closed == RECORD_DURABLE && !r->reply.is_stream) { /* a stream has it in a comment or a trailer, whenever its head is given */
        r->receipt = p->receipt;
        request_show_receipt(r);
    }
    proxy_down_enter(p, DOWN_HEADED);
    p->down.headed_ns = clock_monotonic_ns();
    histogram_add(&p->service->metrics.proxy.first_byte, p->down.headed_ns - p->started_ns);
    (void)atomic_fetch_add(&p->traffic->answers, 1);
    (void)atomic_fetch_add(&p->traffic->first_byte_ns, p->down.headed_ns - p->started_ns);
    request_resume(r);
}

static void begin(struct proxy *p)
{
    p->request->reply = (struct reply){
        .status = proxy_has_head(p) ? p->down.status : 200, /* a heartbeat comes before the upstream's head */
        .type = translation_type(p->translation),
        .is_stream = true,
    };
    p->shared.connection = p->request->connection;
    hand_back(p);
}

/* With the lock held. */
static void wake_reader(struct proxy *p)
{
    if (p->moved != NULL) {
        p->moved(p);
    } else if (p->shared.is_waiting) {
        p->shared.is_waiting = false;
        MHD_resume_connection(p->shared.connection);
    }
}

static bool append(struct proxy *p, size_t n)
{
    struct error err;

    if (p->shared.out_at > 0 && p->shared.out_at >= p->shared.out.len / 2) {
        memmove(p->shared.out.data, p->shared.out.data + p->shared.out_at, p->shared.out.len - p->shared.out_at);
        p->shared.out.len -= p->shared.out_at;
        p->shared.out_at = 0;
    }
    return buf_append(&p->shared.out, span_of(p->down.fresh.data, n), &err);
}

bool proxy_answer_give(struct proxy *p, size_t n)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    bool is_given = n == 0 || append(p, n);
    if (is_given && n > 0) {
        wake_reader(p);
    }
    (void)pthread_mutex_unlock(&p->shared.lock);
    if (!is_given) {
        return false;
    }
    if (n > 0) {
        memmove(p->down.fresh.data, p->down.fresh.data + n, p->down.fresh.len - n);
        p->down.fresh.len -= n;
        p->down.sent += n;
        p->down.written_ns = clock_monotonic_ns();
    }
    if (!proxy_is_headed(p)) {
        begin(p);
    }
    return true;
}

void proxy_answer_trailer(struct proxy *p, const char *receipt)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    (void)snprintf(p->shared.receipt, sizeof(p->shared.receipt), "%s", receipt);
    (void)pthread_mutex_unlock(&p->shared.lock);
}

void proxy_answer_complete(struct proxy *p, bool is_broken)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    p->shared.end = is_broken ? OUT_BROKEN : OUT_COMPLETE;
    wake_reader(p);
    (void)pthread_mutex_unlock(&p->shared.lock);
}

void proxy_answer_whole(struct proxy *p, unsigned status, const char *type)
{
    struct request *r = p->request;

    buf_deinit(&r->answer);
    r->answer = p->down.fresh;
    p->down.fresh = (struct buf){.max = r->answer.max};
    p->down.sent = r->answer.len;
    r->reply = (struct reply){
        .status = status,
        .type = type[0] == '\0' ? "application/octet-stream" : type,
        .closes = p->end == END_CLIENT,
    };
    hand_back(p);
}

size_t proxy_answer_backlog(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    size_t n = p->shared.out.len - p->shared.out_at;
    (void)pthread_mutex_unlock(&p->shared.lock);
    return n;
}

bool proxy_answer_is_full(struct proxy *p)
{
    if (!p->down.is_streaming || proxy_is_over(p)) {
        return false;
    }
    (void)pthread_mutex_lock(&p->shared.lock);
    size_t waiting = p->shared.out.len - p->shared.out_at + (p->opened == RECORD_WAITING ? p->down.fresh.len : 0);
    p->shared.is_paused = p->shared.is_paused || waiting > PROXY_BACKLOG_MAX;
    bool is_full = p->shared.is_paused;
    (void)pthread_mutex_unlock(&p->shared.lock);
    return is_full;
}

bool proxy_answer_may_resume(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    bool may = p->shared.is_paused && p->shared.out.len - p->shared.out_at <= PROXY_BACKLOG_LOW;
    p->shared.is_paused = p->shared.is_paused && !may;
    (void)pthread_mutex_unlock(&p->shared.lock);
    return may;
}

bool proxy_answer_is_paused(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    bool is_paused = p->shared.is_paused;
    (void)pthread_mutex_unlock(&p->shared.lock);
    return is_paused;
}

/* --- libmicrohttpd's thread ----------------------------------------------- */

static size_t copy_out(struct proxy *p, char *out, size_t max)
{
    size_t left = p->shared.out.len - p->shared.out_at;
    size_t n = left < max ? left : max;

    memcpy(out, p->shared.out.data + p->shared.out_at, n);
    p->shared.out_at += n;
    if (p->shared.out_at == p->shared.out.len) {
        p->shared.out.len = p->shared.out_at = 0;
    }
    return n;
}

/* At the end of the body, which is when libmicrohttpd takes trailers. HTTP/1.0 has none. */
static void add_trailer(const struct proxy *p)
{
    if (p->shared.receipt[0] != '\0' && p->shared.end == OUT_COMPLETE) {
        (void)MHD_add_response_footer(p->shared.response, receipt_field, p->shared.receipt);
    }
}

bool proxy_answer_may_feed(struct proxy *p)
{
    return proxy_is_over(p) || (!proxy_is_asking(p) && !proxy_answer_is_full(p));
}

bool proxy_answer_take(struct proxy *p, size_t max, struct buf *out, enum proxy_out_end *end, struct error *err)
{
    (void)pthread_mutex_lock(&p->shared.lock);
    size_t left = p->shared.out.len - p->shared.out_at;
    size_t n = left < max ? left : max;
    bool is_taken = buf_reserve(out, n, err);
    if (is_taken && n > 0) {
        out->len += copy_out(p, out->data + out->len, n);
    }
    bool is_drained = p->shared.is_paused && p->shared.out.len - p->shared.out_at <= PROXY_BACKLOG_LOW;
    *end = p->shared.out.len > p->shared.out_at ? OUT_OPEN : p->shared.end;
    (void)pthread_mutex_unlock(&p->shared.lock);
    if (is_drained) {
        proxy_notify(p, PROXY_EVENT_DRAINED);
    }
    return is_taken;
}

static ssize_t read_answer(void *context, uint64_t position, char *out, size_t max)
{
    struct proxy *p = context;
    bool is_drained = false;
    ssize_t n = 0;

    (void)position; /* in order, once */
    (void)pthread_mutex_lock(&p->shared.lock);
    if (p->shared.out.len > p->shared.out_at) {
        n = (ssize_t)copy_out(p, out, max);
        is_drained = p->shared.is_paused && p->shared.out.len - p->shared.out_at <= PROXY_BACKLOG_LOW;
    } else if (p->shared.end != OUT_OPEN) {
        add_trailer(p);
        n = p->shared.end == OUT_BROKEN ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        p->shared.is_waiting = true;
        MHD_suspend_connection(p->shared.connection);
    }
    (void)pthread_mutex_unlock(&p->shared.lock);
    if (is_drained) {
        proxy_notify(p, PROXY_EVENT_DRAINED);
    }
    return n;
}

struct MHD_Response *proxy_answer_response(struct proxy *p)
{
    p->shared.response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, READ_SIZE, read_answer, p, NULL);
    return p->shared.response;
}

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* They do not change any more once the upstream's head is there. */
static bool add_down(struct MHD_Response *response, const struct proxy *p, size_t n)
{
    for (size_t i = 0, at = 0; i < n; i++) {
        const char *name = p->down.headers.data + at;
        const char *value = name + strlen(name) + 1;
        if (!add(response, name, value)) {
            return false;
        }
        at += strlen(name) + strlen(value) + 2;
    }
    return true;
}

/* A stream without comments that may have its receipt behind its end. */
static bool has_trailer(const struct proxy *p, const struct reply *reply)
{
    return reply->is_stream && p->service->signer.socket >= 0 && receipts_of(p->service) != RECEIPTS_OFF &&
           !translation_takes_comments(p->translation);
}

bool proxy_answer_headers(struct MHD_Response *response, const struct proxy *p,
                          const struct reply *reply)
{
    char id[UUID_TEXT + 1], policy[256];

    uuid_format(p->id.bytes, id);
    (void)snprintf(policy, sizeof(policy), SPAN_FMT,
                   p->policy == NULL ? 0 : (int)p->policy->name.len,
                   p->policy == NULL ? "" : p->policy->name.ptr);
    return add(response, "Cache-Control", "no-cache, no-transform") &&
           add(response, "X-Accel-Buffering", "no") && add(response, "X-Filterd-Request-Id", id) &&
           (policy[0] == '\0' || add(response, "X-Filterd-Policy", policy)) &&
           (!has_trailer(p, reply) || add(response, "Trailer", receipt_field)) &&
           (!reply->forbids_retry || add(response, "X-Should-Retry", "false")) &&
           add_down(response, p, reply->n_forwarded);
}
