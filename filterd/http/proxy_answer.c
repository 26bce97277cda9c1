/* proxy_answer.c - the client's side: head, reader, and who waits for whom.
 *
 * The reader runs in libmicrohttpd's thread. With nothing to read it suspends its connection, under
 * the lock, so that whoever brings more cannot miss it. */
#include "base/clock.h"
#include "base/uuid.h"
#include "http/proxy.h"
#include "http/request.h"

enum { READ_SIZE = 256 }; /* chunks do not go through it, only answers in HTTP/1.0 */

/* The request is libmicrohttpd's again. */
static void hand_back(struct proxy *p)
{
    struct request *r = p->request;
    bool is_theirs = p->failure == NULL && !p->is_hard && p->has_head;

    r->reply.forbids_retry = p->is_hard;
    r->reply.n_forwarded = is_theirs ? p->n_down : 0; /* our refusals carry nothing of theirs */
    p->is_headed = true;
    histogram_add(&p->service->metrics.proxy.first_byte, clock_monotonic_ns() - p->started_ns);
    request_resume(r);
}

static void begin(struct proxy *p)
{
    p->request->reply = (struct reply){
        .status = p->has_head ? p->status : 200, /* a heartbeat comes before the upstream's head */
        .type = translation_type(p->translation),
        .is_stream = true,
    };
    p->connection = p->request->connection;
    hand_back(p);
}

/* With the lock held. */
static void wake_reader(struct proxy *p)
{
    if (p->is_waiting) {
        p->is_waiting = false;
        MHD_resume_connection(p->connection);
    }
}

static bool append(struct proxy *p, size_t n)
{
    struct error err;

    if (p->out_at > 0 && p->out_at >= p->out.len / 2) {
        memmove(p->out.data, p->out.data + p->out_at, p->out.len - p->out_at);
        p->out.len -= p->out_at;
        p->out_at = 0;
    }
    return buf_append(&p->out, span_of(p->fresh.data, n), &err);
}

bool proxy_answer_give(struct proxy *p, size_t n)
{
    (void)pthread_mutex_lock(&p->lock);
    bool is_given = n == 0 || append(p, n);
    if (is_given && n > 0) {
        wake_reader(p);
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (!is_given) {
        return false;
    }
    if (n > 0) {
        memmove(p->fresh.data, p->fresh.data + n, p->fresh.len - n);
        p->fresh.len -= n;
        p->sent += n;
        p->written_ns = clock_monotonic_ns();
    }
    if (!p->is_headed) {
        begin(p);
    }
    return true;
}

void proxy_answer_complete(struct proxy *p, bool is_broken)
{
    (void)pthread_mutex_lock(&p->lock);
    p->is_complete = true;
    p->is_broken = is_broken;
    wake_reader(p);
    (void)pthread_mutex_unlock(&p->lock);
}

void proxy_answer_whole(struct proxy *p, unsigned status, const char *type)
{
    struct request *r = p->request;

    buf_deinit(&r->answer);
    r->answer = p->fresh;
    p->fresh = (struct buf){.max = r->answer.max};
    p->sent = r->answer.len;
    r->reply = (struct reply){
        .status = status,
        .type = type[0] == '\0' ? "application/octet-stream" : type,
        .closes = p->end == END_CLIENT,
    };
    hand_back(p);
}

size_t proxy_answer_backlog(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->lock);
    size_t n = p->out.len - p->out_at;
    (void)pthread_mutex_unlock(&p->lock);
    return n;
}

bool proxy_answer_is_full(struct proxy *p)
{
    if (!p->is_streaming || p->is_over) {
        return false;
    }
    (void)pthread_mutex_lock(&p->lock);
    size_t waiting = p->out.len - p->out_at + (p->opened == RECORD_WAITING ? p->fresh.len : 0);
    p->is_paused = p->is_paused || waiting > PROXY_BACKLOG_MAX;
    bool is_full = p->is_paused;
    (void)pthread_mutex_unlock(&p->lock);
    return is_full;
}

bool proxy_answer_may_resume(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->lock);
    bool may = p->is_paused && p->out.len - p->out_at <= PROXY_BACKLOG_LOW;
    p->is_paused = p->is_paused && !may;
    (void)pthread_mutex_unlock(&p->lock);
    return may;
}

bool proxy_answer_is_paused(struct proxy *p)
{
    (void)pthread_mutex_lock(&p->lock);
    bool is_paused = p->is_paused;
    (void)pthread_mutex_unlock(&p->lock);
    return is_paused;
}

/* --- libmicrohttpd's thread ----------------------------------------------- */

static size_t copy_out(struct proxy *p, char *out, size_t max)
{
    size_t left = p->out.len - p->out_at;
    size_t n = left < max ? left : max;

    memcpy(out, p->out.data + p->out_at, n);
    p->out_at += n;
    if (p->out_at == p->out.len) {
        p->out.len = p->out_at = 0;
    }
    return n;
}

static ssize_t read_answer(void *context, uint64_t position, char *out, size_t max)
{
    struct proxy *p = context;
    bool is_drained = false;
    ssize_t n = 0;

    (void)position; /* in order, once */
    (void)pthread_mutex_lock(&p->lock);
    if (p->out.len > p->out_at) {
        n = (ssize_t)copy_out(p, out, max);
        is_drained = p->is_paused && p->out.len - p->out_at <= PROXY_BACKLOG_LOW;
    } else if (p->is_complete) {
        n = p->is_broken ? MHD_CONTENT_READER_END_WITH_ERROR : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        p->is_waiting = true;
        MHD_suspend_connection(p->connection);
    }
    (void)pthread_mutex_unlock(&p->lock);
    if (is_drained) {
        proxy_notify(p, PROXY_DRAINED);
    }
    return n;
}

struct MHD_Response *proxy_answer_response(struct proxy *p)
{
    return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, READ_SIZE, read_answer, p, NULL);
}

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

/* They do not change any more once the upstream's head is there. */
static bool add_down(struct MHD_Response *response, const struct proxy *p, size_t n)
{
    for (size_t i = 0, at = 0; i < n; i++) {
        const char *name = p->down.data + at;
        const char *value = name + strlen(name) + 1;
        if (!add(response, name, value)) {
            return false;
        }
        at += strlen(name) + strlen(value) + 2;
    }
    return true;
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
           (!reply->forbids_retry || add(response, "X-Should-Retry", "false")) &&
           add_down(response, p, reply->n_forwarded);
}
