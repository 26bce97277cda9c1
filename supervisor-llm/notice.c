#include "supervisor-llm/notice.h"

#include <stdlib.h>

struct notice {
    struct transfer_end end; /* first */
    struct supervisor *supervisor;
    CURL *easy;
    struct curl_slist *headers;
    struct buf body;
    struct notice *next, **link;
};

static size_t drop(char *bytes, size_t size, size_t n, void *context)
{
    (void)bytes;
    (void)context;
    return size * n;
}

static void notice_free(struct notice *n)
{
    curl_easy_cleanup(n->easy);
    curl_slist_free_all(n->headers);
    buf_deinit(&n->body);
    free(n);
}

static void leave(struct notice *n)
{
    *n->link = n->next;
    if (n->next != NULL) {
        n->next->link = n->link;
    }
    n->supervisor->n_notices--;
    (void)curl_multi_remove_handle(n->supervisor->multi, n->easy);
    notice_free(n);
}

static void ended(struct transfer_end *end, CURLcode code)
{
    struct notice *n = (struct notice *)(void *)end;
    long status = 0;

    (void)curl_easy_getinfo(n->easy, CURLINFO_RESPONSE_CODE, &status);
    bool is_taken = code == CURLE_OK && status >= 200 && status < 300;
    (void)atomic_fetch_add(is_taken ? &n->supervisor->counts.notices : &n->supervisor->counts.notices_lost, 1);
    leave(n);
}

static bool add_header(struct notice *n, const char *line)
{
    struct curl_slist *longer = curl_slist_append(n->headers, line);

    n->headers = longer != NULL ? longer : n->headers;
    return longer != NULL;
}

static bool set_up(struct notice *n, const struct webhook *w)
{
    CURL *h = n->easy;

    return h != NULL && add_header(n, "Content-Type: application/json") && add_header(n, "Expect:") &&
           (w->key == NULL || add_header(n, w->key)) && curl_easy_setopt(h, CURLOPT_URL, w->url) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PROXY, "") == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_HTTPHEADER, n->headers) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_USERAGENT, "filterd/" FILTERD_VERSION) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)n->body.len) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_POSTFIELDS, n->body.data) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, drop) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_PRIVATE, &n->end) == CURLE_OK &&
           curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, 5000L) == CURLE_OK &&
           (w->ca == NULL || curl_easy_setopt(h, CURLOPT_CAINFO, w->ca) == CURLE_OK);
}

static struct notice *notice_new(struct supervisor *s, struct buf *body)
{
    struct notice *n = s->n_notices < NOTICES_MAX ? calloc(1, sizeof(*n)) : NULL;

    if (n == NULL) {
        buf_deinit(body);
        return NULL;
    }
    n->end.ended = ended;
    n->supervisor = s;
    n->body = *body;
    n->easy = curl_easy_init();
    if (!set_up(n, &s->endpoints->webhook) || curl_multi_add_handle(s->multi, n->easy) != CURLM_OK) {
        notice_free(n);
        return NULL;
    }
    return n;
}

void notice_begin(struct supervisor *s, struct buf *body)
{
    struct notice *n = notice_new(s, body);

    if (n == NULL) {
        (void)atomic_fetch_add(&s->counts.notices_lost, 1);
        return;
    }
    n->next = s->notices;
    n->link = &s->notices;
    if (n->next != NULL) {
        n->next->link = &n->next;
    }
    s->notices = n;
    s->n_notices++;
}

void notice_stop(struct supervisor *s)
{
    while (s->notices != NULL) {
        (void)atomic_fetch_add(&s->counts.notices_lost, 1);
        leave(s->notices);
    }
}
