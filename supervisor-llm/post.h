/* post.h - one POST of JSON by libcurl, to a place that is configured: no redirects, no proxy of the environment, no
 * other protocol. For the supervisor's thread; what is done with the answer is the caller's to set. */
#ifndef FILTERD_SUPERVISOR_LLM_POST_H
#define FILTERD_SUPERVISOR_LLM_POST_H

#include <curl/curl.h>

#include "base/buf.h"

/* What libcurl's private pointer leads to. */
struct transfer_end {
    void (*ended)(struct transfer_end *end, CURLcode code);
};

struct post {
    CURL *easy;
    struct curl_slist *headers;
    struct buf body; /* owned */
};

/* Borrowed: the strings while it is set up, `ca` and `end` until it is over. */
struct post_target {
    const char *url;
    const char *header;   /* one more line; NULL: none */
    const char *key, *ca; /* the line of a credential, a file of authorities; NULL: none, the system's */
    long timeout_ms;
    struct transfer_end *end;
};

/* post->body is set, the rest is zero. False: no memory, or an URL that is none; to be released all the same. */
MUST_CHECK bool post_set_up(struct post *post, const struct post_target *to);
void post_deinit(struct post *post);

#endif
