#include "supervisor-llm/notice.h"

#include <stdlib.h>

enum { TIMEOUT_MS = 5000 };

struct notice {
    struct transfer_end end; /* first */
    struct supervisor *supervisor;
    struct post post;
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
    post_deinit(&n->post);
    free(n);
}

static void leave(struct notice *n)
{
    *n->link = n->next;
    if (n->next != NULL) {
        n->next->link = n->link;
    }
    n->supervisor->n_notices--;
    (void)curl_multi_remove_handle(n->supervisor->multi, n->post.easy);
    notice_free(n);
}

static void ended(struct transfer_end *end, CURLcode code)
{
    struct notice *n = (struct notice *)(void *)end;
    long status = 0;

    (void)curl_easy_getinfo(n->post.easy, CURLINFO_RESPONSE_CODE, &status);
    bool is_taken = code == CURLE_OK && status >= 200 && status < 300;
    (void)atomic_fetch_add(is_taken ? &n->supervisor->counts.notices : &n->supervisor->counts.notices_lost, 1);
    leave(n);
}

static bool set_up(struct notice *n, const struct webhook *w)
{
    const struct post_target to = {.url = w->url, .key = w->key, .ca = w->ca, .timeout_ms = TIMEOUT_MS, .end = &n->end};

    return post_set_up(&n->post, &to) && curl_easy_setopt(n->post.easy, CURLOPT_WRITEFUNCTION, drop) == CURLE_OK;
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
    n->post.body = *body;
    if (!set_up(n, &s->endpoints->webhook) || curl_multi_add_handle(s->multi, n->post.easy) != CURLM_OK) {
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
