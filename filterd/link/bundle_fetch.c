#include "link/bundle_fetch.h"

#include <curl/curl.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/digest.h"
#include "base/log.h"
#include "base/thread.h"
#include "bundle/statement.h"
#include "link/bundle_folder.h"
#include "link/metrics.h"
#include "record/note.h"

enum { URL_MAX = 2048, TIMEOUT_MS = 300000, CONNECT_MS = 10000, SLOW_BYTES = 100, SLOW_S = 30, COMPLAIN_MS = 3600000, OK = 200, NOT_MODIFIED = 304, MISSING = 404 };

/* --- one request ------------------------------------------------------------------------ */

struct download {
    struct buf *body;
    char *etag; /* NULL: not wanted */
    bool is_too_long;
};

static size_t take_body(char *bytes, size_t size, size_t n, void *context)
{
    struct download *d = context;
    struct error ignored;

    d->is_too_long = !buf_append(d->body, span_of(bytes, size * n), &ignored);
    return d->is_too_long ? 0 : size * n;
}

static size_t take_header(char *bytes, size_t size, size_t n, void *context)
{
    static const char name[] = "etag:";
    struct download *d = context;
    size_t len = size * n, begin = sizeof(name) - 1;

    if (d->etag != NULL && len > begin && strncasecmp(bytes, name, begin) == 0) {
        while (begin < len && (bytes[begin] == ' ' || bytes[begin] == '\t')) {
            begin++;
        }
        while (len > begin && (bytes[len - 1] == '\r' || bytes[len - 1] == '\n' || bytes[len - 1] == ' ')) {
            len--;
        }
        int put = len - begin < BUNDLE_ETAG_MAX ? (int)(len - begin) : 0;
        (void)snprintf(d->etag, BUNDLE_ETAG_MAX, "%.*s", put, bytes + begin);
    }
    return size * n;
}

static int is_stopped(void *context, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
    const struct bundle_fetch *f = context;

    (void)a, (void)b, (void)c, (void)d;
    return atomic_load(&f->is_stopping) ? 1 : 0;
}

/* curl_easy_setopt is a macro that wants each option by name. */
#define SET(option, value) (is_set = is_set && curl_easy_setopt(easy, CURLOPT_##option, value) == CURLE_OK)

static bool set_up(CURL *easy, struct bundle_fetch *f)
{
    const struct link_config *c = f->config;
    bool is_set = true;

    SET(PROTOCOLS_STR, "http,https");
    SET(PROXY, "");
    SET(NOSIGNAL, 1L);
    SET(USERAGENT, "filterd-link/" FILTERD_VERSION);
    SET(SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
    SET(TIMEOUT_MS, (long)TIMEOUT_MS);
    SET(CONNECTTIMEOUT_MS, (long)CONNECT_MS);
    SET(LOW_SPEED_LIMIT, (long)SLOW_BYTES);
    SET(LOW_SPEED_TIME, (long)SLOW_S);
    SET(XFERINFOFUNCTION, is_stopped);
    SET(XFERINFODATA, f);
    SET(NOPROGRESS, 0L);
    SET(WRITEFUNCTION, take_body);
    SET(HEADERFUNCTION, take_header);
    if (c->bundle_ca != NULL) {
        SET(CAINFO, c->bundle_ca);
    }
    return is_set;
}

static bool perform(CURL *easy, const char *url, struct curl_slist *headers, struct download *d, long *status, struct error *err)
{
    bool is_set = true;

    SET(URL, url);
    SET(HTTPHEADER, headers);
    SET(WRITEDATA, d);
    SET(HEADERDATA, d);
    CURLcode code = is_set ? curl_easy_perform(easy) : CURLE_OUT_OF_MEMORY;
    if (d->is_too_long) {
        return error_set(err, ERROR_LIMIT, "%s: at most %zu bytes expected", url, d->body->max);
    }
    if (code != CURLE_OK) {
        return error_set(err, ERROR_SYSTEM, "%s: %s", url, curl_easy_strerror(code));
    }
    (void)curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, status);
    return *status == OK || *status == NOT_MODIFIED ||
           error_set(err, *status == MISSING ? ERROR_NOT_FOUND : ERROR_INVALID, "%s: status 200 expected, not %ld", url, *status);
}

/* `etag`: of what is known, for If-None-Match, and that of the answer; NULL: neither. *is_new false: the server says that it is the same. */
static bool get(struct bundle_fetch *f, const char *name, struct buf *body, char *etag, bool *is_new, struct error *err)
{
    struct curl_slist *headers = NULL;
    struct download d = {.body = body, .etag = etag};
    char url[URL_MAX], line[BUNDLE_ETAG_MAX + 32];
    long status = 0;

    if (snprintf(url, sizeof(url), "%s/%s", f->config->bundle_url, name) >= (int)sizeof(url)) {
        return error_set(err, ERROR_INVALID, "bundle-url: a shorter one expected");
    }
    if (etag != NULL && etag[0] != '\0') {
        (void)snprintf(line, sizeof(line), "If-None-Match: %s", etag);
        headers = curl_slist_append(NULL, line);
    }
    if (etag != NULL) {
        etag[0] = '\0';
    }
    buf_clear(body);
    (void)atomic_fetch_add(&f->asked, 1);
    bool is_got = perform(f->easy, url, headers, &d, &status, err);
    curl_slist_free_all(headers);
    *is_new = status == OK;
    return is_got;
}

/* --- a bundle ----------------------------------------------------------------------------- */

static bool get_keys(void *context, uint64_t generation, struct buf *note, struct error *err)
{
    char name[64];
    bool is_new;

    (void)snprintf(name, sizeof(name), "keys-%" PRIu64 ".note", generation);
    return get(context, name, note, NULL, &is_new, err);
}

/* What is not the archive of the note is not written: filterd would refuse it, until it is fetched again. */
static bool get_archive(struct bundle_fetch *f, const struct policy_bundle *b, struct buf *archive, struct error *err)
{
    char name[64], sha256[DIGEST_SHA256_HEX + 1];
    bool is_new;

    (void)snprintf(name, sizeof(name), "rules-%" PRIu64 ".tar.zst", b->version);
    return get(f, name, archive, NULL, &is_new, err) && digest_sha256(buf_span(archive), sha256, err) &&
           (strcmp(sha256, b->sha256) == 0 || error_set(err, ERROR_INVALID, "%s: the archive of the note expected", name));
}

static bool take(struct bundle_fetch *f, const struct buf *note, uint64_t *version, struct error *err)
{
    struct buf archive CLEANUP(buf_deinit);
    const char *folder = f->config->bundles;
    struct policy_bundle b;
    struct note parsed;

    buf_init(&archive, BUNDLE_ARCHIVE_MAX);
    if (!note_parse(buf_span(note), &parsed, err) || !policy_bundle_parse(parsed.text, &b, err)) {
        return error_wrap(err, "newest.note");
    }
    bool is_there = bundle_folder_has_note(folder, b.version, buf_span(note));
    if (!bundle_folder_add_keys(folder, &f->keys, get_keys, f, err) ||
        (!is_there && (!get_archive(f, &b, &archive, err) || !bundle_folder_write_rules(folder, b.version, &archive, note, err)))) {
        return false;
    }
    *version = b.version;
    return true;
}

bool bundle_fetch_once(struct bundle_fetch *f, const struct link_config *config, uint64_t *version, struct error *err)
{
    struct buf note CLEANUP(buf_deinit);
    char etag[BUNDLE_ETAG_MAX];
    bool is_new;

    buf_init(&note, BUNDLE_NOTE_MAX);
    *version = 0;
    f->config = config;
    f->easy = f->easy != NULL ? f->easy : curl_easy_init();
    if (f->easy == NULL || !set_up(f->easy, f)) {
        return error_set(err, ERROR_NO_MEMORY, "bundles: libcurl cannot start");
    }
    if (f->config->bundle_ca != NULL && access(f->config->bundle_ca, R_OK) != 0) {
        return error_set(err, ERROR_SYSTEM, "bundle-ca: %s: %s", f->config->bundle_ca, strerror(errno));
    }
    memcpy(etag, f->etag, sizeof(etag));
    if (!get(f, "newest.note", &note, etag, &is_new, err)) {
        return false;
    }
    if (!is_new) {
        return true;
    }
    if (!take(f, &note, version, err)) {
        return false;
    }
    memcpy(f->etag, etag, sizeof(etag)); /* only now: what failed is asked for again */
    return true;
}

void bundle_fetch_end(struct bundle_fetch *f)
{
    curl_easy_cleanup(f->easy);
    f->easy = NULL;
}

/* --- again and again ------------------------------------------------------------------------ */

static void step(struct bundle_fetch *f)
{
    struct error err = {.text = ""};
    uint64_t version = 0;

    if (bundle_fetch_once(f, f->config, &version, &err)) {
        f->complained_ms = 0;
        if (version != 0 && version != atomic_load(&f->version)) {
            log_info("link: policy bundle fetched version=%" PRIu64, version);
            atomic_store(&f->version, version);
        }
        return;
    }
    (void)atomic_fetch_add(&f->failures, 1);
    if (f->complained_ms == 0 || clock_monotonic_ms() - f->complained_ms >= COMPLAIN_MS) {
        f->complained_ms = clock_monotonic_ms();
        log_warn("link: policy bundles: %s: it is tried again", err.text);
    }
}

static void *run(void *context)
{
    struct bundle_fetch *f = context;
    struct pollfd stop = {.fd = f->stop, .events = POLLIN};

    do {
        step(f);
    } while (poll(&stop, 1, (int)f->config->bundle_interval * 1000) <= 0);
    return NULL;
}

bool bundle_fetch_start(struct bundle_fetch *f, const struct link_config *config, struct error *err)
{
    f->config = config;
    f->stop = -1;
    if (config->bundle_url == NULL) {
        return true;
    }
    f->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (f->stop < 0) {
        return error_errno(err, "link: bundles");
    }
    f->is_running = thread_start(&f->thread, run, f, err);
    return f->is_running;
}

void bundle_fetch_stop(struct bundle_fetch *f)
{
    const uint64_t one = 1;

    atomic_store(&f->is_stopping, true);

    if (f->is_running) {
        (void)!write(f->stop, &one, sizeof(one));
        (void)pthread_join(f->thread, NULL);
        f->is_running = false;
        cleanup_fd(&f->stop);
    }
    bundle_fetch_end(f);
}

bool bundle_fetch_put_metrics(const struct bundle_fetch *f, struct buf *out, struct error *err)
{
    const struct link_metric metrics[] = {
        {"bundle_version", "gauge", "Of the policy bundle that was last fetched from the web server.", atomic_load(&f->version)},
        {"bundle_requests_total", "counter", "Requests to the web server.", atomic_load(&f->asked)},
        {"bundle_failures_total", "counter", "Attempts that failed; they are tried again.", atomic_load(&f->failures)},
    };

    return f->config == NULL || f->config->bundle_url == NULL || link_metrics_put(metrics, COUNT(metrics), out, err);
}
