/* floor_server.c - the least that a scanning HTTP service can do: filterd is compared with it.
 *
 * The same library, event loop, number of threads and database of patterns as filterd; each body is
 * read, scanned once, and answered with as many bytes as filterd answers, which the request says in
 * Answer-Bytes. No JSON, no views, no confirmation, no verdict, no record.
 *
 * usage: floor_server THREADS CACHE-DIRECTORY; says "ready port=N", ends with SIGTERM. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <microhttpd.h>

#include "pipeline/load.h"

enum { BODY_MAX = 64 * 1024, ANSWER_MAX = 64 * 1024, CONNECTIONS = 1024 };

struct exchanged {
    size_t len;
    char body[BODY_MAX];
};

static struct snapshot *snapshot;
static char filler[ANSWER_MAX];

static struct scanner_scratch *scratch_of_thread(void)
{
    static _Thread_local struct scanner_scratch *scratch;
    struct error err;

    if (scratch == NULL) {
        scratch = scanner_scratch_new(&err);
    }
    return scratch;
}

static enum MHD_Result answer(struct MHD_Connection *connection, const struct exchanged *e)
{
    const char *wanted = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Answer-Bytes");
    size_t len = wanted == NULL ? e->len : strtoul(wanted, NULL, 10);
    struct scanner_scratch *scratch = scratch_of_thread();
    struct error err;
    uint64_t hits = 0;

    if (scratch == NULL || len > ANSWER_MAX ||
        !scanner_scan_bare(snapshot->rules->scanner, scratch, span_of(e->body, e->len), &hits, &err)) {
        return MHD_NO;
    }
    struct MHD_Response *response = MHD_create_response_from_buffer(len, filler, MHD_RESPMEM_PERSISTENT);
    if (response == NULL) {
        return MHD_NO;
    }
    enum MHD_Result result = MHD_NO;
    if (MHD_add_response_header(response, "Content-Type", "application/json") == MHD_YES) {
        result = MHD_queue_response(connection, 200, response);
    }
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result handle(void *context, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload, size_t *upload_len, void **state)
{
    struct exchanged *e = *state;

    (void)context;
    (void)url;
    (void)method;
    (void)version;
    if (e == NULL) {
        e = malloc(sizeof(*e));
        *state = e;
        if (e != NULL) {
            e->len = 0;
        }
        return e == NULL ? MHD_NO : MHD_YES;
    }
    if (*upload_len == 0) {
        return answer(connection, e);
    }
    if (*upload_len > BODY_MAX - e->len) {
        return MHD_NO;
    }
    memcpy(e->body + e->len, upload, *upload_len);
    e->len += *upload_len;
    *upload_len = 0;
    return MHD_YES;
}

static void complete(void *context, struct MHD_Connection *connection, void **state,
                     enum MHD_RequestTerminationCode reason)
{
    (void)context;
    (void)connection;
    (void)reason;
    free(*state);
    *state = NULL;
}

static struct MHD_Daemon *start(unsigned threads)
{
    const struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    struct MHD_OptionItem pool[] = {{MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL},
                                    {MHD_OPTION_END, 0, NULL}};

    if (threads < 2) {
        pool[0] = pool[1]; /* libmicrohttpd wants a pool of two or none */
    }
    return MHD_start_daemon(MHD_USE_EPOLL_INTERNALLY, 0, NULL, NULL, handle, NULL, MHD_OPTION_SOCK_ADDR, &address,
                            MHD_OPTION_ARRAY, pool, MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS,
                            MHD_OPTION_NOTIFY_COMPLETED, complete, NULL, MHD_OPTION_END);
}

int main(int argc, char **argv)
{
    struct error err;

    if (argc != 3) {
        (void)fprintf(stderr, "usage: floor_server THREADS CACHE-DIRECTORY\n");
        return 2;
    }
    const struct rule_set_options options = {.cache_directory = argv[2]};
    snapshot = snapshot_open(NULL, NULL, &options, &err);
    if (snapshot == NULL) {
        (void)fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    memset(filler, 'x', sizeof(filler));
    struct MHD_Daemon *daemon = start((unsigned)strtoul(argv[1], NULL, 10));
    if (daemon == NULL) {
        (void)fprintf(stderr, "floor_server: the server did not start\n");
        return 1;
    }
    printf("ready port=%u\n", MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    (void)fflush(stdout);
    for (;;) {
        (void)pause();
    }
}
