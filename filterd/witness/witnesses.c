#include "witness/witnesses.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/file.h"

static const char request_path[] = "/add-checkpoint";

static void cleanup_curl_text(char **text)
{
    curl_free(*text);
}

static void cleanup_curl_url(CURLU **url)
{
    curl_url_cleanup(*url);
}

/* "https://w.example/" and "/add-checkpoint", with one slash. */
static bool make_url(struct span prefix, char **out, struct error *err)
{
    while (prefix.len > 0 && prefix.ptr[prefix.len - 1] == '/') {
        prefix.len--;
    }
    *out = malloc(prefix.len + sizeof(request_path));
    if (*out == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "witnesses: no memory");
    }
    memcpy(*out, prefix.ptr, prefix.len);
    memcpy(*out + prefix.len, request_path, sizeof(request_path));
    return true;
}

/* libcurl also reads "http:/w.example" and "http:///w.example". */
static bool has_host(struct span url)
{
    struct span http = span_str("http://"), https = span_str("https://");
    size_t at = span_starts_with(url, http) ? http.len : span_starts_with(url, https) ? https.len : url.len;

    return at < url.len && url.ptr[at] != '/';
}

static bool read_port(const char *text, unsigned *port)
{
    CURLU *url CLEANUP(cleanup_curl_url) = curl_url();
    char *user CLEANUP(cleanup_curl_text) = NULL;
    char *query CLEANUP(cleanup_curl_text) = NULL;
    char *number CLEANUP(cleanup_curl_text) = NULL;

    bool is_good = url != NULL && curl_url_set(url, CURLUPART_URL, text, CURLU_DISALLOW_USER) == CURLUE_OK &&
                   curl_url_get(url, CURLUPART_QUERY, &query, 0) == CURLUE_NO_QUERY &&
                   curl_url_get(url, CURLUPART_USER, &user, 0) == CURLUE_NO_USER &&
                   curl_url_get(url, CURLUPART_PORT, &number, CURLU_DEFAULT_PORT) == CURLUE_OK;
    *port = is_good ? (unsigned)strtoul(number, NULL, 10) : 0;
    return is_good && *port > 0;
}

static bool read_targets(struct witnesses *w, struct error *err)
{
    if (w->policy.n_logs > 0) {
        return error_set(err, ERROR_INVALID, "no log expected: the witnesses are of this service's own");
    }
    for (size_t i = 0; i < w->policy.n_members; i++) {
        const struct log_policy_member *m = &w->policy.members[i];
        if (m->is_group) {
            continue;
        }
        if (!make_url(m->url, &w->targets[i].url, err)) {
            return false;
        }
        if (!has_host(m->url) || !read_port(w->targets[i].url, &w->targets[i].port)) {
            return error_set(err, ERROR_INVALID, "witness " SPAN_FMT ": an http or https URL expected", SPAN_ARG(m->name));
        }
    }
    return true;
}

struct witnesses *witnesses_load(const char *path, struct error *err)
{
    struct witnesses *w = calloc(1, sizeof(*w));

    if (w == NULL) {
        error_set(err, ERROR_NO_MEMORY, "witnesses: no memory");
        return NULL;
    }
    buf_init(&w->text, LOG_POLICY_MAX);
    if (!file_read(path, &w->text, err)) {
        witnesses_free(w);
        return NULL;
    }
    if (!log_policy_parse(buf_span(&w->text), &w->policy, err) || !read_targets(w, err)) {
        error_wrap(err, "%s", path);
        witnesses_free(w);
        return NULL;
    }
    return w;
}

void witnesses_free(struct witnesses *w)
{
    if (w == NULL) {
        return;
    }
    for (size_t i = 0; i < LOG_POLICY_MEMBERS_MAX; i++) {
        free(w->targets[i].url);
    }
    buf_deinit(&w->text);
    free(w);
}
