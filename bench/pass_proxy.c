/* pass_proxy.c - the least that a proxy can do: filterd's is compared with it.
 *
 * The same libraries, threads, memory of a connection and event loop (filterd's own reactor); what the upstream sends goes to the client as it
 * comes. No admission, no headers to choose, no JSON, no judgement, no record, no limits.
 *
 * usage: pass_proxy THREADS UPSTREAM-PORT; says "ready port=N", ends with SIGTERM. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdatomic.h>

#include "base/buf.h"
#include "upstream/reactor.h"
#include "pipeline/pipeline.h"

enum { THREADS_MAX = 64, BODY_MAX = 1024 * 1024, OUT_MAX = 256 * 1024 * 1024, CONNECTIONS = 20000 };

struct passage {
    atomic_uint references; /* the client's, the transfer's */
    struct MHD_Connection *connection;
    struct reactor *reactor;
    struct reactor_task task;
    struct transfer transfer;
    struct buf body;
    bool is_asked;
    pthread_mutex_t lock; /* guards what follows */
    struct buf out;
    size_t at;
    bool is_headed, is_waiting, is_complete;
};

static struct reactor *reactors[THREADS_MAX];
static unsigned n_reactors;
static char url[128];
static struct curl_slist *headers;

static void unref(struct passage *p)
{
    if (atomic_fetch_sub(&p->references, 1) == 1) {
        buf_deinit(&p->body);
        buf_deinit(&p->out);
        (void)pthread_mutex_destroy(&p->lock);
        free(p);
    }
}

/* With the lock held. */
static void wake(struct passage *p)
{
    if (p->is_waiting) {
        p->is_waiting = false;
        MHD_resume_connection(p->connection);
    }
}

static size_t on_header(char *bytes, size_t size, size_t n, void *context)
{
    struct passage *p = context;

    if (size * n == 2 && bytes[0] == '\r') {
        (void)pthread_mutex_lock(&p->lock);
        p->is_headed = true;
        wake(p);
        (void)pthread_mutex_unlock(&p->lock);
    }
    return size * n;
}

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct passage *p = context;
    struct error err;

    (void)pthread_mutex_lock(&p->lock);
    if (p->at > 0 && p->at == p->out.len) {
        p->at = p->out.len = 0;
    }
    bool is_kept = buf_append(&p->out, span_of(bytes, size * n), &err);
    wake(p);
    (void)pthread_mutex_unlock(&p->lock);
    return is_kept ? size * n : 0;
}

static void on_done(struct transfer *t, CURLcode code)
{
    struct passage *p = (struct passage *)(void *)((char *)t - offsetof(struct passage, transfer));

    (void)code;
    curl_easy_cleanup(t->easy);
    (void)pthread_mutex_lock(&p->lock);
    p->is_complete = true;
    wake(p);
    (void)pthread_mutex_unlock(&p->lock);
    unref(p);
}

static void on_tick(struct transfer *t, uint64_t now_ns)
{
    (void)t;
    (void)now_ns;
}

static void fetch(struct reactor_task *e)
{
    struct passage *p = (struct passage *)(void *)((char *)e - offsetof(struct passage, task));
    CURL *easy = curl_easy_init();
    struct error err;

    p->transfer = (struct transfer){.easy = easy, .done = on_done, .tick = on_tick};
    if (easy == NULL || curl_easy_setopt(easy, CURLOPT_URL, url) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_PROXY, "") != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, (long)p->body.len) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_POSTFIELDS, p->body.data) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_HEADERDATA, p) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body) != CURLE_OK ||
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, p) != CURLE_OK || !reactor_begin(p->reactor, &p->transfer, &err)) {
        abort();
    }
}

static ssize_t read_answer(void *context, uint64_t position, char *out, size_t max)
{
    struct passage *p = context;
    ssize_t n = 0;

    (void)position;
    (void)pthread_mutex_lock(&p->lock);
    if (p->at < p->out.len) {
        n = (ssize_t)(p->out.len - p->at < max ? p->out.len - p->at : max);
        memcpy(out, p->out.data + p->at, (size_t)n);
        p->at += (size_t)n;
    } else if (p->is_complete) {
        n = MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        p->is_waiting = true;
        MHD_suspend_connection(p->connection);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return n;
}

static enum MHD_Result answer(struct passage *p)
{
    struct MHD_Response *response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 1024, read_answer, p, NULL);
    enum MHD_Result result = MHD_NO;

    if (response == NULL) {
        return MHD_NO;
    }
    if (MHD_add_response_header(response, "Content-Type", "text/event-stream") == MHD_YES) {
        result = MHD_queue_response(p->connection, 200, response);
    }
    MHD_destroy_response(response);
    return result;
}

static struct passage *passage_new(struct MHD_Connection *connection)
{
    static atomic_uint turn;
    struct passage *p = calloc(1, sizeof(*p));

    if (p != NULL) {
        atomic_init(&p->references, 1);
        (void)pthread_mutex_init(&p->lock, NULL);
        p->connection = connection;
        p->reactor = reactors[atomic_fetch_add(&turn, 1) % n_reactors];
        buf_init(&p->body, BODY_MAX);
        buf_init(&p->out, OUT_MAX);
    }
    return p;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *path, const char *method,
                              const char *version, const char *upload, size_t *upload_len, void **state)
{
    struct passage *p = *state;
    struct error err;

    (void)context;
    (void)path;
    (void)method;
    (void)version;
    if (p == NULL) {
        *state = passage_new(connection);
        return *state == NULL ? MHD_NO : MHD_YES;
    }
    if (*upload_len > 0) {
        bool is_kept = buf_append(&p->body, span_of(upload, *upload_len), &err);
        *upload_len = 0;
        return is_kept ? MHD_YES : MHD_NO;
    }
    if (p->is_asked) {
        return answer(p);
    }
    p->is_asked = p->is_waiting = true;
    (void)atomic_fetch_add(&p->references, 1);
    MHD_suspend_connection(connection);
    p->task.run = fetch;
    reactor_post(p->reactor, &p->task);
    return MHD_YES;
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode reason)
{
    (void)context;
    (void)connection;
    (void)reason;
    if (*state != NULL) {
        unref(*state);
        *state = NULL;
    }
}

static struct MHD_Daemon *start(unsigned threads)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct MHD_OptionItem pool[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
                                    {MHD_OPTION_END, 0, NULL}};

    if (threads < 2) {
        pool[0] = pool[1]; /* libmicrohttpd wants a pool of two or none */
    }
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNALLY | MHD_USE_SUSPEND_RESUME, 0, NULL, NULL, handle, NULL,
                            MHD_OPTION_SOCK_ADDR, &address, MHD_OPTION_ARRAY, pool, MHD_OPTION_CONNECTION_LIMIT,
                            (unsigned)CONNECTIONS, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)16384,
                            MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_END);
}

int main(int argc, char **argv)
{
    const struct redaction_keys keys = {0};
    struct worker_limits limits = worker_limits_default();
    struct error err;

    if (argc != 3 || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        (void)fprintf(stderr, "usage: pass_proxy THREADS UPSTREAM-PORT\n");
        return 2;
    }
    unsigned threads = (unsigned)strtoul(argv[1], NULL, 10);
    (void)snprintf(url, sizeof(url), "http://127.0.0.1:%s/v1/chat/completions", argv[2]);
    headers = curl_slist_append(NULL, "Content-Type: application/json");
    for (n_reactors = 0; n_reactors < threads && n_reactors < THREADS_MAX; n_reactors++) {
        reactors[n_reactors] = reactor_new(&limits, &keys, &err);
        if (reactors[n_reactors] == NULL || !reactor_start(reactors[n_reactors], &err)) {
            (void)fprintf(stderr, "%s\n", err.text);
            return 1;
        }
    }
    struct MHD_Daemon *daemon = start(threads);
    if (daemon == NULL) {
        (void)fprintf(stderr, "pass_proxy: the server did not start\n");
        return 1;
    }
    printf("ready port=%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    (void)fflush(stdout);
    for (;;) {
        (void)pause();
    }
}
