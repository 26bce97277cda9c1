#include "supervisor-llm/post.h"

static bool add_header(struct post *p, const char *line)
{
    struct curl_slist *longer = line == NULL ? p->headers : curl_slist_append(p->headers, line);

    p->headers = longer != NULL ? longer : p->headers;
    return longer != NULL;
}

bool post_set_up(struct post *post, const struct post_target *to)
{
    CURL *h = post->easy = curl_easy_init();

    return h != NULL && add_header(post, "Content-Type: application/json") && add_header(post, "Expect:") &&
           add_header(post, to->header) && add_header(post, to->trace) && add_header(post, to->key) &&
           curl_easy_setopt(h, CURLOPT_URL, to->url) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_HTTPHEADER, post->headers) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_USERAGENT, "filterd/" FILTERD_VERSION) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)post->body.len) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_POSTFIELDS, post->body.data) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PRIVATE, to->end) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, to->timeout_ms) == CURLE_OK &&
           (to->ca == NULL || curl_easy_setopt(h, CURLOPT_CAINFO, to->ca) == CURLE_OK);
}

void post_deinit(struct post *post)
{
    curl_easy_cleanup(post->easy);
    curl_slist_free_all(post->headers);
    buf_deinit(&post->body);
    *post = (struct post){0};
}
