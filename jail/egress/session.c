/* session.c - code shared by all kinds of connections: the steps of a request, failures, the record.
 *
 * Invariants:
 *   - An attempt is recorded exactly once: if it fails before a status was sent, before the client gets the status of the
 *     failure; otherwise when the session ends.
 *   - A client gets one status for a request, and one for the tunnel that carries the request (is_answered). A
 *     failure after that closes the connection and is visible only in the record.
 *   - Nothing leaves before egress_session_admit has found a rule and egress_session_dial has written a line: neither a request
 *     nor the name that it looks up. It connects to an address that the rule allows.
 *   - `head` and `response` point into head_text and response_text, which change only with the next head.
 *   - Every wait ends with the idle time, the session's deadline or the service's `cut` (wire/link.h); every buffer has a
 *     limit from the policy.
 *   - Threads: a session belongs to the thread that runs it. It changes only the accounts, the log and the worker pool of the
 *     service, which have their own locks. */
#include "jail/egress/session.h"

#include <inttypes.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "jail/egress/wire/decode.h"
#include "jail/egress/dial.h"
#include "jail/egress/wire/link_tls.h"

enum { ANSWER_MAX = 4096, NS_PER_MS = 1000000, TEXT_MAX = 64 * 1024 };

/* --- ends ----------------------------------------------------------------- */

static const struct problem {
    const char *reason;
    unsigned status;
    enum egress_outcome outcome;
} problems[] = {
    [EGRESS_BAD_REQUEST] = {"request", 400, EGRESS_REFUSED},   [EGRESS_BAD_HEAD] = {"head", 431, EGRESS_REFUSED},
    [EGRESS_TIME] = {"time", 408, EGRESS_FAILED},              [EGRESS_NOT_ALLOWED] = {NULL, 403, EGRESS_REFUSED},
    [EGRESS_RATE] = {"rate", 429, EGRESS_REFUSED},             [EGRESS_ADDRESS] = {"address", 403, EGRESS_REFUSED},
    [EGRESS_RESOLVE] = {"resolve", 502, EGRESS_FAILED},        [EGRESS_CONNECT] = {"connect", 502, EGRESS_FAILED},
    [EGRESS_CREDENTIAL] = {"credential", 403, EGRESS_REFUSED}, [EGRESS_FILTER] = {"filter", 403, EGRESS_REFUSED},
    [EGRESS_CANARY] = {"canary", 403, EGRESS_REFUSED},         [EGRESS_RESTATED] = {"restated", 403, EGRESS_REFUSED},
    [EGRESS_SIZE] = {"size", 413, EGRESS_REFUSED},             [EGRESS_CODING] = {"coding", 415, EGRESS_REFUSED},
    [EGRESS_TLS] = {"tls", 502, EGRESS_FAILED},
    [EGRESS_BUDGET] = {"budget", 429, EGRESS_REFUSED},         [EGRESS_HELLO] = {"hello", 403, EGRESS_REFUSED},
    [EGRESS_RESPONSE] = {"response", 502, EGRESS_FAILED},      [EGRESS_TRANSFER] = {"transfer", 502, EGRESS_FAILED},
    [EGRESS_RECORD] = {"record", 503, EGRESS_REFUSED},         [EGRESS_BUSY] = {"busy", 503, EGRESS_REFUSED},
};

static bool write_problem(const struct egress_attempt *a, struct buf *out, struct error *err)
{
    struct buf body CLEANUP(buf_deinit);
    struct span rule = a->filter_rule[0] != '\0' ? span_str(a->filter_rule) : a->rule;

    buf_init(&body, ANSWER_MAX);
    return buf_appendf(&body, err, "{\"type\":\"about:blank\",\"title\":\"The jail's egress policy\",\"status\":%u", a->status) &&
           buf_appendf(&body, err, ",\"reason\":\"%s\",\"detail\":", a->reason) &&
           json_append_string(&body, span_str(a->detail), err) &&
           (rule.len == 0 || (buf_append_str(&body, ",\"rule\":", err) && json_append_string(&body, rule, err))) &&
           buf_append_str(&body, "}\n", err) &&
           buf_appendf(out, err,
                       "HTTP/1.1 %u Refused\r\nContent-Type: application/problem+json\r\nContent-Length: %zu\r\n"
                       "Connection: close\r\n\r\n",
                       a->status, body.len) &&
           buf_append(out, buf_span(&body), err);
}

static void answer_problem(struct egress_session *s)
{
    struct buf answer CLEANUP(buf_deinit);
    struct error err;

    buf_init(&answer, ANSWER_MAX);
    if (write_problem(&s->attempt, &answer, &err) && egress_link_send(&s->client, buf_span(&answer), &err)) {
        egress_link_linger(&s->client);
    }
}

static void record(struct egress_session *s)
{
    if (!s->is_recorded) {
        s->is_recorded = true;
        s->attempt.bytes_out = s->upstream.sent;
        s->attempt.bytes_in = s->upstream.received;
        egress_log_write(&s->service->log, &s->attempt);
    }
}

bool egress_session_fail(struct egress_session *s, enum egress_problem problem, const char *detail)
{
    const struct problem *p = &problems[problem];
    struct egress_attempt *a = &s->attempt;

    a->outcome = p->outcome;
    a->reason = p->reason != NULL ? p->reason : a->reason;
    (void)snprintf(a->detail, sizeof(a->detail), "%s", detail);
    if (!s->is_answered) {
        s->is_answered = true;
        a->status = p->status;
        record(s);
        answer_problem(s);
    }
    return false;
}

bool egress_session_fail_link(struct egress_session *s, const struct error *err)
{
    static const enum egress_problem of_stop[] = {[EGRESS_STOP_NONE] = EGRESS_TRANSFER,
                                                  [EGRESS_STOP_TIME] = EGRESS_TIME,
                                                  [EGRESS_STOP_QUOTA] = EGRESS_BUDGET};
    enum egress_stop stopped = s->client.stopped != EGRESS_STOP_NONE ? s->client.stopped : s->upstream.stopped;

    return egress_session_fail(s, err->kind == ERROR_MALFORMED ? EGRESS_BAD_REQUEST : of_stop[stopped], err->text);
}

/* --- the steps that all requests share -------------------------------------- */

bool egress_session_take_head(struct egress_session *s, struct error *err)
{
    size_t max = (size_t)s->service->policy->limits.head;
    size_t len = 0;

    buf_clear(&s->head_text);
    while ((len = egress_head_length(egress_link_pending(&s->client))) == 0) {
        if (egress_link_pending(&s->client).len >= max) {
            return egress_session_fail(s, EGRESS_BAD_HEAD, "a shorter head expected");
        }
        if (!egress_link_fill(&s->client, err)) {
            return egress_session_fail_link(s, err);
        }
        if (s->client.is_ended) {
            return egress_session_fail(s, EGRESS_BAD_REQUEST, "a whole head expected");
        }
    }
    if (len > max) {
        return egress_session_fail(s, EGRESS_BAD_HEAD, "a shorter head expected");
    }
    struct span text = span_slice(egress_link_pending(&s->client), 0, len);
    if (!buf_append(&s->head_text, text, err) || !egress_request_read(buf_span(&s->head_text), &s->head, err)) {
        return egress_session_fail(s, err->kind == ERROR_LIMIT ? EGRESS_BAD_HEAD : EGRESS_BAD_REQUEST, err->text);
    }
    egress_link_take(&s->client, len);
    return true;
}

bool egress_session_admit(struct egress_session *s)
{
    const struct egress_policy *p = s->service->policy;
    const char *missed = "";
    char detail[64];

    s->rule = egress_policy_find(p, &s->target, &missed);
    if (s->rule == NULL) {
        s->attempt.reason = missed;
        (void)snprintf(detail, sizeof(detail), "no rule allows this %s", missed);
        return egress_session_fail(s, EGRESS_NOT_ALLOWED, detail);
    }
    s->attempt.rule = s->rule->name;
    s->account = &s->service->accounts[s->rule - p->rules];
    if (!egress_log_has_room(&s->service->log)) {
        return egress_session_fail(s, EGRESS_RECORD, "the record cannot be written");
    }
    bool is_request = s->target.method.len > 0 || !egress_is_seen(s->rule);
    return !is_request || egress_account_take(s->account, clock_monotonic_ns()) ||
           egress_session_fail(s, EGRESS_RATE, "the rule's rate is used up");
}

bool egress_session_dial(struct egress_session *s)
{
    const struct egress_limits *limits = &s->service->policy->limits;
    const struct egress_via *via = egress_via_is_set(&s->rule->via) ? &s->rule->via : NULL;
    const struct egress_host *host = via == NULL ? &s->target.host : &via->host;
    const struct egress_time_limit limit = {limits->connect, s->service->cut};
    struct egress_addresses addresses;
    struct error err = {0};
    int fd = -1;

    if (!egress_log_open_attempt(&s->service->log, &s->attempt)) {
        return egress_session_fail(s, EGRESS_RECORD, "the record cannot be written");
    }
    if (!(via == NULL ? egress_resolve(s->rule, host, s->target.port, &limit, &addresses, s->attempt.address, &err)
                      : egress_resolve_via(via, &limit, &addresses, s->attempt.address, &err))) {
        return egress_session_fail(s, err.kind == ERROR_DENIED ? EGRESS_ADDRESS : EGRESS_RESOLVE, err.text);
    }
    if (!egress_connect(&addresses, limits->connect, s->service->cut, &fd, s->attempt.address, &err)) {
        return egress_session_fail(s, EGRESS_CONNECT, err.text);
    }
    if (!egress_link_init(&s->upstream, fd, limits->idle, s->client.deadline_ns, &err)) {
        return egress_session_fail(s, EGRESS_CONNECT, err.text);
    }
    s->upstream.cut = s->service->cut;
    s->upstream.quota_in = &s->account->bytes_in;
    s->upstream.quota_out = &s->account->bytes_out;
    gnutls_certificate_credentials_t trust = s->service->trust[s->rule - s->service->policy->rules];
    if (trust != NULL && !egress_link_secure_client(&s->upstream, trust, host, &err)) {
        return egress_session_fail(s, err.kind == ERROR_DENIED ? EGRESS_TLS : EGRESS_CONNECT, err.text);
    }
    return true;
}

bool egress_session_decode(struct egress_session *s, struct egress_message *m, size_t max)
{
    const struct span *coding = egress_head_find(m->head, "Content-Encoding");
    struct egress_memory *memory = &s->service->memory;
    struct error err = {0};

    egress_memory_free(memory, &s->decoded);
    if (egress_head_count(m->head, "Content-Encoding") > 1) {
        return egress_session_fail(s, EGRESS_CODING, "one Content-Encoding expected");
    }
    if (m->body.len == 0 || coding == NULL) {
        return true;
    }
    egress_memory_raise(memory, &s->decoded, max);
    s->is_out_of_memory = s->decoded.max < max;
    bool is_decoded = egress_decode(*coding, m->body, &s->decoded, &err);
    egress_memory_trim(memory, &s->decoded);
    if (!is_decoded && err.kind == ERROR_LIMIT && s->is_out_of_memory) {
        return egress_session_fail_memory(s);
    }
    if (!is_decoded) {
        return egress_session_fail(s, err.kind == ERROR_LIMIT ? EGRESS_SIZE : EGRESS_CODING, err.text);
    }
    m->body = buf_span(&s->decoded);
    return true;
}

bool egress_session_judge(struct egress_session *s, struct egress_message *m, size_t max, struct egress_verdict *out)
{
    if (!egress_session_decode(s, m, max)) {
        return false;
    }
    m->policy = s->rule->policy;
    struct egress_message judged = *m;
    if (egress_via_is_set(&s->rule->via)) { /* filterd's proxy judges the body, and masks it */
        judged.body = (struct span){0};
    }
    egress_judge_message(s->service->judge, &judged, out);
    return true;
}

/* --- bodies --------------------------------------------------------------- */

bool egress_sink_link(void *context, struct span data, struct error *err)
{
    return egress_link_send(context, data, err);
}

bool egress_sink_chunks(void *context, struct span data, struct error *err)
{
    char size[24];

    if (data.len == 0) {
        return true;
    }
    int n = snprintf(size, sizeof(size), "%zx\r\n", data.len);
    return egress_link_send(context, span_of(size, (size_t)n), err) && egress_link_send(context, data, err) &&
           egress_link_send(context, span_str("\r\n"), err);
}

/* As its buffer grows, twofold. */
static bool sink_body(void *context, struct span data, struct error *err)
{
    struct egress_session *s = context;
    struct buf *b = &s->body;

    if (data.len > b->max - b->len) {
        size_t more = data.len > b->max ? data.len : b->max, left = s->body_max - b->max;
        egress_memory_raise(&s->service->memory, b, more < left ? more : left);
        s->is_out_of_memory = data.len > b->max - b->len && b->max < s->body_max;
    }
    return buf_append(b, data, err);
}

bool egress_session_take_body(struct egress_session *s, struct egress_link *from, struct egress_body *body, size_t max, struct error *err)
{
    egress_memory_free(&s->service->memory, &s->body);
    s->body_max = max;
    return egress_body_move(from, body, sink_body, s, err);
}

bool egress_session_fail_memory(struct egress_session *s)
{
    return egress_session_fail(s, EGRESS_BUSY, "the bodies of all connections take as much memory as limits.memory says");
}

bool egress_body_move(struct egress_link *from, struct egress_body *body, egress_sink *sink, void *context,
                      struct error *err)
{
    while (!body->is_done) {
        struct span pending = egress_link_pending(from), data;
        size_t used = 0;
        if (pending.len == 0 && from->is_ended) {
            body->is_done = body->framing == EGRESS_BODY_TO_END;
            return body->is_done || error_set(err, ERROR_MALFORMED, "the rest of a body expected");
        }
        if (pending.len == 0) {
            if (!egress_link_fill(from, err)) {
                return false;
            }
            continue;
        }
        if (!egress_body_take(body, pending, &used, &data, err) || (data.len > 0 && !sink(context, data, err))) {
            return false;
        }
        egress_link_take(from, used);
    }
    return true;
}

/* --- one connection ------------------------------------------------------- */

static bool init(struct egress_session *s, struct egress_service *service, int fd, struct error *err)
{
    const struct egress_limits *limits = &service->policy->limits;

    s->service = service;
    s->upstream.fd = -1;
    s->attempt.kind = "http";
    s->attempt.time_ns = clock_utc_ns();
    s->attempt.started_ns = clock_monotonic_ns();
    buf_init(&s->head_text, TEXT_MAX);
    buf_init(&s->response_text, TEXT_MAX);
    buf_init(&s->body, 0);
    buf_init(&s->decoded, 0);
    buf_init(&s->stripped, 0);
    /* The head must come within the idle time, however slowly. */
    if (!egress_link_init(&s->client, fd, limits->idle,
                          s->attempt.started_ns + (uint64_t)limits->idle * NS_PER_MS, err)) {
        return false;
    }
    s->client.cut = service->cut;
    return true;
}

static void deinit(struct egress_session *s)
{
    record(s);
    egress_link_deinit(&s->client);
    egress_link_deinit(&s->upstream);
    buf_deinit(&s->head_text);
    buf_deinit(&s->response_text);
    egress_memory_free(&s->service->memory, &s->body);
    egress_memory_free(&s->service->memory, &s->decoded);
    egress_memory_free(&s->service->memory, &s->stripped);
    free(s);
}

void egress_session_begin(struct egress_session *s)
{
    s->client.deadline_ns = s->attempt.started_ns + (uint64_t)s->service->policy->limits.total * NS_PER_MS;
}

void egress_session_note(struct egress_session *s, struct span target_text)
{
    struct egress_attempt *a = &s->attempt;

    (void)snprintf(a->host, sizeof(a->host), "%s", s->target.host.text);
    a->port = s->target.port;
    a->target = target_text;
}

static bool serve(struct egress_session *s)
{
    struct egress_attempt *a = &s->attempt;
    struct span target_text;
    struct error err = {0};

    if (!egress_session_take_head(s, &err)) {
        return false;
    }
    egress_session_begin(s);
    bool is_tunnel = span_is(s->head.method, "CONNECT");
    a->kind = is_tunnel ? "connect" : "http";
    (void)snprintf(a->method, sizeof(a->method), SPAN_FMT, SPAN_ARG(s->head.method));
    if (!egress_target_read(&s->head, &s->target, &target_text, &err)) {
        return egress_session_fail(s, EGRESS_BAD_REQUEST, err.text);
    }
    egress_session_note(s, target_text);
    return egress_session_admit(s) && (is_tunnel ? egress_tunnel(s) : egress_exchange(s, target_text));
}

/* NULL with the descriptor closed. */
static struct egress_session *open_session(struct egress_service *service, int fd)
{
    struct egress_session *s = calloc(1, sizeof(*s));
    struct error err;

    if (s == NULL) {
        close(fd);
        return NULL;
    }
    if (!init(s, service, fd, &err)) {
        (void)snprintf(s->attempt.detail, sizeof(s->attempt.detail), "%s", err.text);
        s->attempt.reason = problems[EGRESS_BUSY].reason;
        deinit(s);
        return NULL;
    }
    return s;
}

void egress_session_run(struct egress_service *service, int fd, bool is_captured)
{
    struct egress_session *s = open_session(service, fd);

    if (s != NULL) {
        s->is_captured = is_captured;
        if (is_captured ? egress_capture(s) : serve(s)) {
            s->attempt.outcome = EGRESS_ALLOWED;
        }
        deinit(s);
    }
}

void egress_session_refuse(struct egress_service *service, int fd)
{
    struct egress_session *s = open_session(service, fd);

    if (s != NULL) {
        s->client.idle_ms = 0; /* do not wait for a client beyond the limits */
        (void)egress_session_fail(s, EGRESS_BUSY, "too many connections at once");
        deinit(s);
    }
}
