/* call.c - one attempt: a request to one endpoint and its answer. */
#include <stdlib.h>

#include "base/clock.h"
#include "supervisor-llm/answer.h"
#include "supervisor-llm/supervisor_parts.h"

enum { BODY_FACTOR = 8, BODY_FREE = 256 * 1024, URL_MAX = 2048, RETRY_AFTER_MAX_S = 60 };

#define SECOND_NS 1000000000ULL

static size_t on_body(char *bytes, size_t size, size_t n, void *context)
{
    struct call *c = context;
    struct error err;

    if (!buf_append(&c->answer, span_of(bytes, size * n), &err)) {
        c->is_too_large = true;
        return 0;
    }
    return size * n;
}

static bool write_body(struct supervisor *s, struct call *c, struct error *err)
{
    const struct endpoint *e = c->state->endpoint;
    const struct prompt_request request = {
        .prompts = s->prompts,
        .marks = &c->marks,
        .categories = c->shared->categories,
        .text = buf_span(&c->shared->text),
        .model = e->model,
        .format = e->format,
        .answer_tokens = (unsigned)e->answer_tokens,
        .is_completion_named = e->is_completion_named,
    };

    return prompt_marks_draw(&c->marks, err) && prompt_write(&request, &c->post.body, err);
}

static bool set_up(struct call *c, uint64_t left_ms)
{
    const struct endpoint *e = c->state->endpoint;
    uint64_t timeout_ms = left_ms < e->attempt_timeout_ms ? left_ms : e->attempt_timeout_ms;
    char url[URL_MAX], traceparent[TRACEPARENT_TEXT + 1], trace[TRACEPARENT_TEXT + sizeof("traceparent: ")];
    bool is_traced = trace_is_known(&c->shared->trace);
    const struct post_target to = {.url = url, .header = "Accept: application/json",
                                   .trace = is_traced ? trace : NULL, .key = e->key, .ca = e->ca,
                                   .timeout_ms = timeout_ms > 0 ? (long)timeout_ms : 1, .end = &c->end};
    int len = snprintf(url, sizeof(url), "%s/chat/completions", e->url);

    trace_format(&c->shared->trace, traceparent);
    (void)snprintf(trace, sizeof(trace), "traceparent: %s", traceparent);

    return len > 0 && (size_t)len < sizeof(url) && post_set_up(&c->post, &to) &&
           curl_easy_setopt(c->post.easy, CURLOPT_WRITEFUNCTION, on_body) == CURLE_OK &&
           curl_easy_setopt(c->post.easy, CURLOPT_WRITEDATA, c) == CURLE_OK &&
           curl_easy_setopt(c->post.easy, CURLOPT_CONNECTTIMEOUT_MS, (long)e->connect_timeout_ms) == CURLE_OK;
}

static void call_free(struct call *c)
{
    post_deinit(&c->post);
    buf_deinit(&c->answer);
    free(c);
}

static void ended(struct transfer_end *end, CURLcode code)
{
    struct call *c = (struct call *)(void *)end;

    shared_question_take(c->shared, c, code, clock_monotonic_ns());
}

struct call *call_begin(struct supervisor *s, struct shared_question *shared, struct endpoint_state *p, double reserved,
                        uint64_t left_ms)
{
    struct call *c = calloc(1, sizeof(*c));
    struct error err;

    if (c == NULL) {
        return NULL;
    }
    c->end.ended = ended;
    c->state = p;
    c->shared = shared;
    c->reserved = reserved;
    buf_init(&c->post.body, BODY_FACTOR * shared->text.len + BODY_FREE);
    buf_init(&c->answer, p->endpoint->answer_max);
    if (!write_body(s, c, &err) || !set_up(c, left_ms) ||
        curl_multi_add_handle(s->multi, c->post.easy) != CURLM_OK) {
        call_free(c);
        return NULL;
    }
    p->n_calls++;
    breaker_begin(&p->breaker, clock_monotonic_ns());
    (void)atomic_fetch_add(&s->counts.calls, 1);
    return c;
}

static enum supervision_outcome outcome_of_code(const struct call *c, CURLcode code)
{
    static const struct {
        CURLcode code;
        enum supervision_outcome outcome;
    } table[] = {
        {CURLE_OPERATION_TIMEDOUT, SUPERVISION_TIMEOUT},        {CURLE_COULDNT_RESOLVE_HOST, SUPERVISION_UNREACHABLE},
        {CURLE_COULDNT_CONNECT, SUPERVISION_UNREACHABLE},       {CURLE_SSL_CONNECT_ERROR, SUPERVISION_UNREACHABLE},
        {CURLE_PEER_FAILED_VERIFICATION, SUPERVISION_UNREACHABLE}, {CURLE_SSL_CACERT_BADFILE, SUPERVISION_UNREACHABLE},
    };

    for (size_t i = 0; i < COUNT(table); i++) {
        if (table[i].code == code) {
            return table[i].outcome;
        }
    }
    return c->is_too_large ? SUPERVISION_TOO_LARGE : SUPERVISION_BROKEN;
}

static enum supervision_outcome outcome_of_status(long status)
{
    return status == 429   ? SUPERVISION_BUSY
           : status >= 500 ? SUPERVISION_BROKEN
           : status == 200 ? SUPERVISION_ANSWERED
                           : SUPERVISION_REFUSED;
}

static void read_answer(struct supervisor *s, struct call *c, struct supervision *out)
{
    const struct answer_question question = {
        .marks = &c->marks, .categories = c->shared->categories, .text = buf_span(&c->shared->text)};

    arena_reset(&s->scratch);
    answer_read(&s->scratch, buf_span(&c->answer), &question, out);
    (void)atomic_fetch_add(&s->counts.tokens_in, out->tokens_in);
    (void)atomic_fetch_add(&s->counts.tokens_out, out->tokens_out);
    if (out->tokens_in + out->tokens_out > 0) {
        budget_settle(&c->state->tokens, c->reserved - out->tokens_in - out->tokens_out);
    }
}

/* What a text can bring about must not close an endpoint for all other texts: a verdict of another
 * shape says nothing about the service, nor does a request it calls wrong. */
static void tell_breaker(struct call *c, enum supervision_outcome outcome, long status, uint64_t now_ns)
{
    struct breaker *b = &c->state->breaker;
    curl_off_t wait_s = 0;

    if (outcome == SUPERVISION_BUSY) {
        (void)curl_easy_getinfo(c->post.easy, CURLINFO_RETRY_AFTER, &wait_s);
        wait_s = wait_s < 0 ? 0 : wait_s > RETRY_AFTER_MAX_S ? RETRY_AFTER_MAX_S : wait_s;
    }
    if (wait_s > 0) {
        breaker_wait(b, now_ns, (uint64_t)wait_s * SECOND_NS);
    } else if (outcome == SUPERVISION_ANSWERED || outcome == SUPERVISION_SHAPE || outcome == SUPERVISION_EVIDENCE ||
               outcome == SUPERVISION_ECHO) {
        breaker_succeed(b);
    } else if (outcome == SUPERVISION_REFUSED && (status == 400 || status == 413 || status == 422)) {
        breaker_forget(b);
    } else {
        breaker_fail(b, now_ns);
    }
}

static void leave(struct supervisor *s, struct call *c)
{
    c->state->n_calls--;
    (void)curl_multi_remove_handle(s->multi, c->post.easy);
    call_free(c);
}

void call_end(struct supervisor *s, struct call *c, CURLcode code, struct supervision *out)
{
    const struct endpoint *e = c->state->endpoint;
    long status = 0;

    *out = (struct supervision){.outcome = outcome_of_code(c, code)};
    if (code == CURLE_OK) {
        (void)curl_easy_getinfo(c->post.easy, CURLINFO_RESPONSE_CODE, &status);
        out->outcome = outcome_of_status(status);
    }
    if (out->outcome == SUPERVISION_ANSWERED) {
        read_answer(s, c, out);
    }
    memcpy(out->endpoint, e->name, sizeof(out->endpoint));
    memcpy(out->model, e->model, sizeof(out->model));
    tell_breaker(c, out->outcome, status, clock_monotonic_ns());
    leave(s, c);
}

void call_abandon(struct supervisor *s, struct call *c, bool is_late)
{
    if (is_late) {
        breaker_fail(&c->state->breaker, clock_monotonic_ns());
    } else {
        breaker_forget(&c->state->breaker);
    }
    leave(s, c);
}
