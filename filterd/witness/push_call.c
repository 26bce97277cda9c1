#include "witness/push_call.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { POLL_MS = 1000, REQUEST_MAX = 128 * 1024 };

struct push_calls {
    CURLM *multi;
    unsigned n; /* in progress */
    atomic_bool is_cancelled;
};

static size_t take_answer(char *bytes, size_t size, size_t n, void *context)
{
    struct push_call *call = context;
    struct error ignored;

    return buf_append(&call->answer, span_of(bytes, size * n), &ignored) ? size * n : 0;
}

bool push_call_init(struct push_call *call, const char *url, long timeout_ms, void *context, struct error *err)
{
    *call = (struct push_call){.easy = curl_easy_init(), .context = context};
    buf_init(&call->request, REQUEST_MAX);
    buf_init(&call->answer, PUSH_ANSWER_MAX);
    CURL *h = call->easy;
    bool is_set = h != NULL && curl_easy_setopt(h, CURLOPT_URL, url) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_PROXY, "") == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_QUICK_EXIT, 1L) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_USERAGENT, "filterd/" FILTERD_VERSION) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_TIMEOUT_MS, timeout_ms) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_WRITEFUNCTION, take_answer) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_WRITEDATA, call) == CURLE_OK &&
                  curl_easy_setopt(h, CURLOPT_PRIVATE, call) == CURLE_OK;
    return is_set || error_set(err, ERROR_INTERNAL, "witnesses: libcurl refused an option");
}

void push_call_deinit(struct push_call *call)
{
    if (call->easy != NULL) {
        curl_easy_cleanup(call->easy);
        buf_deinit(&call->request);
        buf_deinit(&call->answer);
    }
    call->easy = NULL;
}

struct push_calls *push_calls_new(struct error *err)
{
    struct push_calls *calls = calloc(1, sizeof(*calls));

    if (calls != NULL) {
        calls->multi = curl_multi_init();
    }
    if (calls == NULL || calls->multi == NULL) {
        free(calls);
        error_set(err, ERROR_NO_MEMORY, "witnesses: no memory");
        return NULL;
    }
    return calls;
}

void push_calls_free(struct push_calls *calls)
{
    if (calls != NULL) {
        (void)curl_multi_cleanup(calls->multi);
        free(calls);
    }
}

bool push_calls_add(struct push_calls *calls, struct push_call *call, struct error *err)
{
    call->status = 0;
    call->why = "no answer";
    buf_clear(&call->answer);
    if (curl_easy_setopt(call->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->request.len) != CURLE_OK ||
        curl_easy_setopt(call->easy, CURLOPT_POSTFIELDS, call->request.data) != CURLE_OK ||
        curl_multi_add_handle(calls->multi, call->easy) != CURLM_OK) {
        return error_set(err, ERROR_INTERNAL, "witnesses: libcurl refused a request");
    }
    calls->n++;
    return true;
}

static struct push_call *end_one(struct push_calls *calls, const CURLMsg *message)
{
    CURLcode code = message->data.result;
    struct push_call *call = NULL;

    (void)curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&call);
    if (code == CURLE_OK) {
        (void)curl_easy_getinfo(call->easy, CURLINFO_RESPONSE_CODE, &call->status);
    } else {
        call->why = curl_easy_strerror(code);
    }
    (void)curl_multi_remove_handle(calls->multi, call->easy);
    calls->n--;
    return call;
}

struct push_call *push_calls_next(struct push_calls *calls)
{
    int running, left;

    while (calls->n > 0 && !atomic_load(&calls->is_cancelled)) {
        if (curl_multi_perform(calls->multi, &running) != CURLM_OK) {
            return NULL;
        }
        for (const CURLMsg *m; (m = curl_multi_info_read(calls->multi, &left)) != NULL;) {
            if (m->msg == CURLMSG_DONE) {
                return end_one(calls, m);
            }
        }
        (void)curl_multi_poll(calls->multi, NULL, 0, POLL_MS, NULL);
    }
    return NULL;
}

void push_calls_cancel(struct push_calls *calls)
{
    atomic_store(&calls->is_cancelled, true);
    (void)curl_multi_wakeup(calls->multi);
}
