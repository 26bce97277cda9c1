#include "base/place.h"

#include <curl/curl.h>
#include <stdlib.h>

#include "base/host.h"

bool place_read_file(struct arena *a, const struct yaml_node *node, const char *key, const char **out,
                     struct error *err)
{
    struct span text;

    if (!yaml_read_text(node, &text, err) || !yaml_expect_no_nul(node, err)) {
        return false;
    }
    if (text.len == 0) {
        return yaml_error(node, err, "%s: a path expected", key);
    }
    const char *copy = arena_string(a, text, err);
    *out = copy == NULL ? *out : copy;
    return copy != NULL;
}

static bool has_part(CURLU *url, CURLUPart part)
{
    char *text = NULL;
    bool is_there = curl_url_get(url, part, &text, 0) == CURLUE_OK;

    curl_free(text);
    return is_there;
}

static bool is_web_scheme(CURLU *url)
{
    char *scheme = NULL;
    bool is_web = curl_url_get(url, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                  (strcmp(scheme, "https") == 0 || strcmp(scheme, "http") == 0);

    curl_free(scheme);
    return is_web;
}

static bool is_base(CURLU *url, const char *text)
{
    return curl_url_set(url, CURLUPART_URL, text, 0) == CURLUE_OK && is_web_scheme(url) &&
           has_part(url, CURLUPART_HOST) && !has_part(url, CURLUPART_USER) && !has_part(url, CURLUPART_PASSWORD) &&
           !has_part(url, CURLUPART_QUERY) && !has_part(url, CURLUPART_FRAGMENT);
}

static unsigned port_of(CURLU *url)
{
    char *port = NULL;
    unsigned long number = 0;

    if (curl_url_get(url, CURLUPART_PORT, &port, CURLU_DEFAULT_PORT) == CURLUE_OK) {
        number = strtoul(port, NULL, 10);
    }
    curl_free(port);
    return (unsigned)number;
}

/* None at the end. */
static struct span without_slashes(struct span text)
{
    while (text.len > 0 && text.ptr[text.len - 1] == '/') {
        text.len--;
    }
    return text;
}

/* The URL with its host in ASCII; NULL: it has no such form. */
static const char *to_ascii(struct arena *a, CURLU *url, struct error *err)
{
    char *host = NULL, *text = NULL;
    const char *ascii = NULL, *copy = NULL;

    if (curl_url_get(url, CURLUPART_HOST, &host, 0) == CURLUE_OK && host_to_ascii(a, host, &ascii, err) &&
        curl_url_set(url, CURLUPART_HOST, ascii, 0) == CURLUE_OK &&
        curl_url_get(url, CURLUPART_URL, &text, 0) == CURLUE_OK) {
        copy = arena_string(a, without_slashes(span_str(text)), err);
    }
    curl_free(host);
    curl_free(text);
    return copy;
}

static bool is_ascii(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] >= 0x80) {
            return false;
        }
    }
    return true;
}

/* Without white space and control characters, and without the '?' of an empty query, which libcurl does not tell.
 * Letters beyond ASCII can be in the host alone: a path says them in '%'. */
static bool is_plain(struct span text)
{
    for (size_t i = 0; i < text.len; i++) {
        if ((unsigned char)text.ptr[i] <= ' ' || text.ptr[i] == 0x7f || text.ptr[i] == '?') {
            return false;
        }
    }
    return text.len > 0;
}

bool place_read_base(struct arena *a, const struct yaml_node *node, const char *key, const char **out, unsigned *port,
                     struct error *err)
{
    struct span text;

    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    text = without_slashes(text);
    CURLU *url = curl_url();
    const char *copy = url == NULL ? NULL : arena_string(a, text, err);
    if (copy == NULL) {
        curl_url_cleanup(url);
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", key);
    }
    bool is_good = is_plain(text) && is_base(url, copy);
    if (is_good && !is_ascii(text)) {
        copy = to_ascii(a, url, err);
        is_good = copy != NULL && is_ascii(span_str(copy));
    }
    if (is_good) {
        *out = copy;
        *port = port_of(url);
    }
    curl_url_cleanup(url);
    return is_good || yaml_error(node, err,
                                 "%s: http:// or https://, host, perhaps port and path, and nothing else expected", key);
}
