#include "formats/base_url.h"

#include <assert.h>
#include <curl/curl.h>
#include <stdlib.h>

#include "formats/host.h"

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

static bool read_url(const struct field_reader *r, const struct field *f, const struct yaml_node *node, void *out,
                     struct error *err)
{
    struct span text;

    if (!yaml_read_text(node, &text, err)) {
        return false;
    }
    text = without_slashes(text);
    CURLU *url = curl_url();
    const char *copy = url == NULL ? NULL : arena_string(r->arena, text, err);
    if (copy == NULL) {
        curl_url_cleanup(url);
        return error_set(err, ERROR_NO_MEMORY, "%s: no memory", f->name);
    }
    bool is_good = is_plain(text) && is_base(url, copy);
    if (is_good && !is_ascii(text)) {
        copy = to_ascii(r->arena, url, err);
        is_good = copy != NULL && is_ascii(span_str(copy));
    }
    const unsigned port = port_of(url);
    curl_url_cleanup(url);
    if (!is_good) {
        return yaml_expected(node, err, "http:// or https://, host, perhaps port and path, and nothing else");
    }
    assert(f->size == sizeof(copy) + sizeof(port));
    memcpy(out, &copy, sizeof(copy));
    memcpy((char *)out + sizeof(copy), &port, sizeof(port));
    return true;
}

const struct field_type field_url = {"URL", read_url, NULL, 0};
