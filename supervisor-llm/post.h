/* post.h - one POST of JSON by libcurl to a configured URL: no redirects, no proxy of the environment, no
 * other protocol. For the supervisor's thread; the caller sets how the answer is handled. */
#ifndef FILTERD_SUPERVISOR_LLM_POST_H
#define FILTERD_SUPERVISOR_LLM_POST_H

#include <curl/curl.h>

#include "base/buf.h"

/* The target of libcurl's private pointer. */
struct transfer_end {
    void (*ended)(struct transfer_end *end, CURLcode code);
};

struct post {
    CURL *easy;
    struct curl_slist *headers;
    struct buf body; /* owned */
};

/* All borrowed: the strings during post_set_up, `ca` and `end` until the end of the transfer. */
struct post_target {
    const char *url;
    const char *header;   /* one more line; NULL: none */
    const char *trace;    /* the line of traceparent; NULL: none */
    const char *key, *ca; /* the line of a credential, a file of authorities; NULL: none, the system's */
    long timeout_ms;
    struct transfer_end *end;
};

/* Set post->body and zero the rest. False: no memory, or an invalid URL; call post_deinit in any case. */
MUST_CHECK bool post_set_up(struct post *post, const struct post_target *to);
void post_deinit(struct post *post);

#endif
