/* push_call.h - requests to several witnesses at once, by libcurl; for push.c alone. */
#ifndef FILTERD_WITNESS_PUSH_CALL_H
#define FILTERD_WITNESS_PUSH_CALL_H

#include <curl/curl.h>

#include "base/buf.h"

enum { PUSH_ANSWER_MAX = 16 * 1024 };

/* One witness's: a request and what came back. */
struct push_call {
    CURL *easy;
    void *context;
    struct buf request, answer;
    long status;     /* 0: there was no answer, for the reason */
    const char *why; /* static */
};
MUST_CHECK bool push_call_init(struct push_call *call, const char *url, long timeout_ms, void *context, struct error *err);
void push_call_deinit(struct push_call *call); /* of zeroed memory, too */

struct push_calls;
struct push_calls *push_calls_new(struct error *err);
void push_calls_free(struct push_calls *calls); /* accepts NULL */
/* Sends call->request; the call is in progress until push_calls_next returns it. */
MUST_CHECK bool push_calls_add(struct push_calls *calls, struct push_call *call, struct error *err);
/* Waits for one that has ended; NULL: none is in progress. */
struct push_call *push_calls_next(struct push_calls *calls);
/* All that are in progress, or will be, end without an answer. Any thread. */
void push_calls_cancel(struct push_calls *calls);

#endif
