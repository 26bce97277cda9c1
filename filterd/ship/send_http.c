/* send_http.c - batches as POST requests, by libcurl. The connection is kept between them. */
#include <curl/curl.h>

#include "base/buf.h"
#include "ship/send.h"

enum { ANSWER_MAX = 64 * 1024, RETRY_AFTER_MAX_MS = 300000 };

struct http {
    CURL *easy;
    struct curl_slist *headers;
    const struct ship_sink *sink;
    const atomic_bool *stop;
    struct buf answer; /* its beginning */
};

static size_t take(char *bytes, size_t size, size_t n, void *context)
{
    struct http *h = context;
    struct error ignored;
    size_t room = h->answer.max - h->answer.len, len = size * n;

    (void)!buf_append(&h->answer, span_of(bytes, len < room ? len : room), &ignored);
    return len; /* the rest is read and dropped, so that the connection stays */
}

static int is_stopped(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct http *h = context;

    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(h->stop) ? 1 : 0;
}

static bool add_header(struct http *h, const char *line)
{
    struct curl_slist *more = curl_slist_append(h->headers, line);

    h->headers = more != NULL ? more : h->headers;
    return more != NULL;
}

static bool add_headers(struct http *h, const char *media_type)
{
    char type[64];

    (void)snprintf(type, sizeof(type), "Content-Type: %s", media_type);
    bool is_added = add_header(h, type) && add_header(h, "Expect:");
    for (size_t i = 0; i < h->sink->n_headers && is_added; i++) {
        is_added = add_header(h, h->sink->headers[i].line);
    }
    return is_added;
}

static void http_close(void *state)
{
    struct http *h = state;

    for (struct curl_slist *s = h->headers; s != NULL; s = s->next) {
        explicit_bzero(s->data, strlen(s->data));
    }
    curl_slist_free_all(h->headers);
    curl_easy_cleanup(h->easy);
    buf_deinit(&h->answer);
    free(h);
}

/* curl_easy_setopt is a macro that wants each option by name. */
#define SET(option, value) (is_set = is_set && curl_easy_setopt(h->easy, CURLOPT_##option, value) == CURLE_OK)

static bool set_up(struct http *h)
{
    const struct ship_sink *s = h->sink;
    bool is_set = true;

    SET(URL, s->url);
    SET(PROTOCOLS_STR, "http,https");
    SET(PROXY, "");
    SET(NOSIGNAL, 1L);
    SET(HTTPHEADER, h->headers);
    SET(USERAGENT, "filterd-ship/" FILTERD_VERSION);
    SET(HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(TIMEOUT_MS, (long)s->timeout);
    SET(CONNECTTIMEOUT_MS, (long)s->timeout);
    SET(WRITEFUNCTION, take);
    SET(WRITEDATA, h);
    SET(XFERINFOFUNCTION, is_stopped);
    SET(XFERINFODATA, h);
    SET(NOPROGRESS, 0L);
    if (s->ca != NULL) {
        SET(CAINFO, s->ca);
    }
    if (s->certificate != NULL) {
        SET(SSLCERT, s->certificate);
        SET(SSLKEY, s->key);
    }
    return is_set;
}

static void *http_open(const struct ship_sink *sink, const char *media_type, const atomic_bool *stop, struct error *err)
{
    struct http *h = calloc(1, sizeof(*h));

    if (h != NULL) {
        *h = (struct http){.easy = curl_easy_init(), .sink = sink, .stop = stop};
        buf_init(&h->answer, ANSWER_MAX);
        if (h->easy != NULL && add_headers(h, media_type) && set_up(h)) {
            return h;
        }
        http_close(h);
    }
    error_set(err, ERROR_NO_MEMORY, "sink " SPAN_FMT ": libcurl cannot start", SPAN_ARG(sink->name));
    return NULL;
}

/* What libcurl says of a code is a fixed text; its error buffer may have parts of URLs. */
static enum ship_result fail(const struct http *h, CURLcode code, struct error *err)
{
    bool is_refused = code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE ||
                      code == CURLE_SSL_CERTPROBLEM;

    error_set(err, ERROR_SYSTEM, "sink " SPAN_FMT ": %s", SPAN_ARG(h->sink->name), curl_easy_strerror(code));
    return is_refused                      ? SHIP_REFUSED
           : code == CURLE_OPERATION_TIMEDOUT ? SHIP_TIMEOUT
           : code == CURLE_OUT_OF_MEMORY      ? SHIP_FAILED
                                              : SHIP_UNREACHABLE;
}

static enum ship_result result_of(long status)
{
    static const struct {
        long status;
        enum ship_result result;
    } known[] = {
        {413, SHIP_TOO_LARGE},  {429, SHIP_OVERLOADED}, {502, SHIP_OVERLOADED},
        {503, SHIP_OVERLOADED}, {504, SHIP_OVERLOADED},
    };

    for (size_t i = 0; i < COUNT(known); i++) {
        if (known[i].status == status) {
            return known[i].result;
        }
    }
    return status >= 200 && status < 300 ? SHIP_SENT : SHIP_REFUSED;
}

static enum ship_result http_send(void *state, struct span body, struct ship_answer *answer, struct error *err)
{
    struct http *h = state;
    curl_off_t seconds = 0;
    long status = 0;
    bool is_set = true;

    buf_clear(&h->answer);
    SET(POSTFIELDSIZE_LARGE, (curl_off_t)body.len);
    SET(POSTFIELDS, body.ptr);
    CURLcode code = is_set ? curl_easy_perform(h->easy) : CURLE_OUT_OF_MEMORY;
    if (code != CURLE_OK) {
        return fail(h, code, err);
    }
    (void)curl_easy_getinfo(h->easy, CURLINFO_RESPONSE_CODE, &status);
    (void)curl_easy_getinfo(h->easy, CURLINFO_RETRY_AFTER, &seconds);
    enum ship_result result = result_of(status);
    if (result == SHIP_SENT) {
        answer->n_rejected = h->sink->format == SHIP_OTLP || h->sink->format == SHIP_TRACES ? ship_otlp_rejected(buf_span(&h->answer)) : 0;
        return result;
    }
    answer->retry_after_ms = seconds > RETRY_AFTER_MAX_MS / 1000 ? RETRY_AFTER_MAX_MS : (int64_t)seconds * 1000;
    error_set(err, ERROR_SYSTEM, "sink " SPAN_FMT ": status %ld", SPAN_ARG(h->sink->name), status);
    return result;
}

const struct ship_transport ship_http = {http_open, http_send, http_close};
