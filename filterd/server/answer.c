/* answer.c - passes a request's answer to libmicrohttpd: status, headers, body. */
#include <stdlib.h>
#include <unistd.h>

#include "base/uuid.h"
#include "signin/head_lines.h"
#include "http/spool.h"
#include "server/origin.h"
#include "proxy/proxy.h"
#include "server/routes.h"
#include "server/server.h"
#include "websocket/websocket.h"

enum { ORIGIN_MAX = 255, FILE_BLOCK = 64 * 1024 };

static bool add(struct MHD_Response *response, const char *name, const char *value)
{
    return MHD_add_response_header(response, name, value) == MHD_YES;
}

static bool add_verdict(struct MHD_Response *response, const struct filter_outcome *o)
{
    char id[UUID_TEXT + 1];

    uuid_format(o->id.bytes, id);
    return add(response, "Filterd-Action", action_name(o->action)) &&
           (o->rule[0] == '\0' || add(response, "Filterd-Rule", o->rule)) &&
           add(response, "Filterd-Id", id);
}

/* An upstream's own wish is better than ours. */
static bool add_retry(struct MHD_Response *response)
{
    return MHD_get_response_header(response, "Retry-After") != NULL ||
           add(response, "Retry-After", "1");
}

static bool add_wait(struct MHD_Response *response, const struct reply *reply)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%u", reply->retry_s);
    return reply->retry_s == 0 || add(response, "Retry-After", text);
}

static bool add_node(struct MHD_Response *response, const struct reply *reply)
{
    char text[16];

    (void)snprintf(text, sizeof(text), "%02u", reply->node);
    return reply->node == 0 || add(response, "Filterd-Node", text);
}

static bool add_attachment(struct MHD_Response *response, const struct reply *reply)
{
    char text[128];

    (void)snprintf(text, sizeof(text), "attachment; filename=\"%s\"", reply->attachment == NULL ? "" : reply->attachment);
    return reply->attachment == NULL || add(response, "Content-Disposition", text);
}

/* A page of a listed origin may read the answer, and send what its API takes. */
static bool add_origin(struct MHD_Response *response, const struct request *r)
{
    static const char *const preflight[][2] = {
        {"Access-Control-Allow-Methods", "GET, HEAD, POST, PUT, PATCH, DELETE"},
        {"Access-Control-Allow-Headers", "*, Authorization"},
        {"Access-Control-Allow-Private-Network", "true"},
        {"Access-Control-Max-Age", "600"},
    };
    struct span origin = origin_listed(r);
    char text[ORIGIN_MAX + 1];
    bool is_added = true;

    if (origin.len == 0 || origin.len > ORIGIN_MAX) {
        return true;
    }
    (void)snprintf(text, sizeof(text), SPAN_FMT, SPAN_ARG(origin));
    is_added = add(response, "Access-Control-Allow-Origin", text) && add(response, "Vary", "Origin") &&
               add(response, "Access-Control-Expose-Headers", "*");
    for (size_t i = 0; r->reply.is_preflight && i < COUNT(preflight); i++) {
        is_added = is_added && add(response, preflight[i][0], preflight[i][1]);
    }
    return is_added;
}

/* What a page may load and do, and who may show it within theirs: review pages are of this origin alone. Referrer-Policy is not
 * no-referrer, which would make browsers send "Origin: null" with our own forms. */
static bool add_page_headers(struct MHD_Response *response, const struct head_lines *head)
{
    static const char *const lines[][2] = {
        {"Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
                                    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"},
        {"X-Content-Type-Options", "nosniff"},
        {"X-Frame-Options", "DENY"},
        {"Referrer-Policy", "same-origin"},
        {"Cross-Origin-Opener-Policy", "same-origin"},
        {"Cross-Origin-Resource-Policy", "same-origin"},
    };
    bool is_added = true;

    for (size_t i = 0; i < COUNT(lines); i++) {
        is_added = is_added && add(response, lines[i][0], lines[i][1]);
    }
    for (size_t i = 0; i < head->n; i++) {
        is_added = is_added && add(response, head->lines[i].name, head->lines[i].value);
    }
    return is_added;
}

/* libmicrohttpd 0.9.75 takes chunk lines that end in a bare LF, and any trailer: where a proxy in front sees the end of such a body
 * elsewhere, nothing behind it is a request. */
static bool has_chunks(const struct request *r)
{
    return request_header(r, "Transfer-Encoding").len > 0;
}

static bool add_headers(struct MHD_Response *response, const struct request *r)
{
    const struct reply *reply = &r->reply;
    bool closes = reply->closes || has_chunks(r) || atomic_load(&r->service->is_draining);

    return (reply->type == NULL || add(response, "Content-Type", reply->type)) &&
           (r->receipt_text[0] == '\0' || add(response, "Filterd-Receipt", r->receipt_text)) &&
           (r->etag[0] == '\0' || add(response, "ETag", r->etag)) &&
           (reply->cache == NULL || add(response, "Cache-Control", reply->cache)) &&
           (reply->allow == NULL || add(response, "Allow", reply->allow)) &&
           (reply->status != 401 || add(response, "WWW-Authenticate", "Bearer")) &&
           (!closes || add(response, "Connection", "close")) &&
           (!reply->has_verdict || add_verdict(response, &r->outcome)) &&
           (r->head == NULL || add_page_headers(response, r->head)) &&
           (r->proxy == NULL || proxy_answer_headers(response, r->proxy, reply)) &&
           add_attachment(response, reply) && (reply->status != 503 || add_retry(response)) && add_wait(response, reply) &&
           add_node(response, reply) && add_origin(response, r);
}

static ssize_t read_content(void *context, uint64_t position, char *out, size_t max)
{
    struct spool *content = context;
    struct span bytes;
    struct error err;

    (void)position; /* in order, once */
    if (!spool_read(content, max, &bytes, &err)) {
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    memcpy(out, bytes.ptr, bytes.len);
    return bytes.len == 0 ? MHD_CONTENT_READER_END_OF_STREAM : (ssize_t)bytes.len;
}

/* Of a file that is not written any more; it may have no name by now. */
static ssize_t read_file(void *context, uint64_t position, char *out, size_t max)
{
    const int *file = context;
    ssize_t n = pread(*file, out, max, (off_t)position);

    return n > 0 ? n : MHD_CONTENT_READER_END_WITH_ERROR;
}

static void close_file(void *context)
{
    int *file = context;

    (void)close(*file);
    free(file);
}

/* The response closes the file. */
static struct MHD_Response *file_response(struct reply *reply)
{
    int *file = malloc(sizeof(*file));
    struct MHD_Response *response = NULL;

    if (file == NULL) {
        return NULL; /* request_give_back closes it */
    }
    *file = reply->file;
    response = MHD_create_response_from_callback(reply->file_size, FILE_BLOCK, read_file, file, close_file);
    if (response == NULL) {
        free(file);
    } else {
        reply->has_file = false;
    }
    return response;
}

enum MHD_Result request_send(struct request *r)
{
    struct MHD_Response *response;

    if (r->reply.status == MHD_HTTP_SWITCHING_PROTOCOLS) {
        response = websocket_response(r);
    } else if (r->reply.is_stream) {
        response = proxy_answer_response(r->proxy);
    } else if (r->reply.has_file) {
        response = file_response(&r->reply);
    } else if (r->reply.content != NULL) {
        response = MHD_create_response_from_callback(spool_size(r->reply.content), SPOOL_CHUNK,
                                                     read_content, r->reply.content, NULL);
    } else {
        (void)request_hold_answer(r); /* without room it is another, short answer */
        response =
            MHD_create_response_from_buffer(r->answer.len, r->answer.data, MHD_RESPMEM_PERSISTENT);
    }
    if (response == NULL) {
        return MHD_NO;
    }
    enum MHD_Result result = MHD_NO;
    if (add_headers(response, r)) {
        result = MHD_queue_response(r->connection, r->reply.status, response);
        metrics_count_answer(&r->service->metrics, route_index(r->route), r->reply.status);
    }
    MHD_destroy_response(response);
    return result;
}
