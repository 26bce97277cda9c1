/* response.c - parses the response to a plain HTTP request, judges it if the rule says so, and serializes it anew. */
#include "base/cleanup.h"
#include "jail/egress/wire/echo.h"
#include "jail/egress/session.h"

enum { INTERIM_MAX = 8, HEAD_ROOM = 4096, HELD_MAX = EGRESS_LINK_BUFFER + ECHO_FACTOR * EGRESS_SECRET_MAX };

/* What is malformed here came from the other side; a body that is too long is the answer's fault, too. */
static bool fail(struct egress_session *s, const struct error *err)
{
    bool is_stopped = s->client.stopped != EGRESS_STOP_NONE || s->upstream.stopped != EGRESS_STOP_NONE;

    return err->kind == ERROR_MALFORMED || (err->kind == ERROR_LIMIT && !is_stopped)
               ? egress_session_fail(s, EGRESS_RESPONSE, err->text)
               : egress_session_fail_link(s, err);
}

/* --- head ----------------------------------------------------------------- */

static bool read_head(struct egress_session *s, struct error *err)
{
    size_t len = 0;

    while ((len = egress_head_length(egress_link_pending(&s->upstream))) == 0) {
        if (egress_link_pending(&s->upstream).len >= (size_t)s->service->policy->limits.head) {
            return error_set(err, ERROR_MALFORMED, "a shorter head of the response expected");
        }
        if (s->upstream.is_ended) {
            return error_set(err, ERROR_MALFORMED, "a response expected");
        }
        if (!egress_link_fill(&s->upstream, err)) {
            return false;
        }
    }
    buf_clear(&s->response_text);
    if (!buf_append(&s->response_text, span_slice(egress_link_pending(&s->upstream), 0, len), err)) {
        return false;
    }
    egress_link_take(&s->upstream, len);
    return egress_response_read(buf_span(&s->response_text), s->head.method, &s->response, err);
}

static bool read_final_head(struct egress_session *s)
{
    struct error err = {0};

    for (int i = 0; i < INTERIM_MAX; i++) {
        if (!read_head(s, &err)) {
            return fail(s, &err);
        }
        if (s->response.status == 101) {
            break;
        }
        if (s->response.status >= 200) {
            return true;
        }
    }
    return egress_session_fail(s, EGRESS_RESPONSE, "a final response expected");
}

/* How the body ends for the client, which may not know chunks. */
static bool write_framing(const struct egress_session *s, struct buf *out, struct error *err)
{
    const struct span *length = egress_head_find(&s->response, "Content-Length");

    if (s->response.framing == EGRESS_BODY_LENGTH) {
        return buf_appendf(out, err, "Content-Length: %lld\r\n", (long long)s->response.length);
    }
    if (s->response.framing == EGRESS_BODY_NONE) {
        return length == NULL || s->response.status == 204 ||
               (buf_append_str(out, "Content-Length: ", err) && buf_append(out, *length, err) &&
                buf_append_str(out, "\r\n", err));
    }
    return s->head.minor == 0 || buf_append_str(out, "Transfer-Encoding: chunked\r\n", err);
}

/* What would be untrue of a body that is another one now. */
static bool is_about_bytes(struct span name)
{
    static const char *const names[] = {"Content-Encoding", "Content-MD5", "Digest",       "Content-Digest",
                                        "Repr-Digest",      "ETag",        "Last-Modified", "Accept-Ranges"};

    for (size_t i = 0; i < COUNT(names); i++) {
        if (egress_name_equal(name, names[i])) {
            return true;
        }
    }
    return false;
}

static bool write_head(const struct egress_session *s, const char *note, struct buf *out, struct error *err)
{
    if (!buf_appendf(out, err, "HTTP/1.1 %u ", s->response.status) || !buf_append(out, s->response.reason, err) ||
        !buf_append_str(out, "\r\n", err)) {
        return false;
    }
    for (size_t i = 0; i < s->response.n; i++) {
        const struct egress_header *h = &s->response.headers[i];
        if (!egress_header_stays_behind(h->name) && !egress_name_equal(h->name, "Filterd-Verdict") &&
            !(s->is_stripped && is_about_bytes(h->name)) && !(buf_append(out, h->name, err) && buf_append_str(out, ": ", err) && buf_append(out, h->value, err) &&
              buf_append_str(out, "\r\n", err))) {
            return false;
        }
    }
    return (note[0] == '\0' || buf_appendf(out, err, "Filterd-Verdict: %s\r\n", note)) && write_framing(s, out, err) &&
           buf_append_str(out, "Connection: close\r\n\r\n", err);
}

/* Where an answer repeats what was asked with, the jail would read the credential. */
static bool refuse_secret(struct egress_session *s)
{
    s->attempt.is_answer = true;
    return egress_session_fail(s, EGRESS_CREDENTIAL, "the response has a credential");
}

static bool send_head(struct egress_session *s, const char *note)
{
    struct buf head CLEANUP(buf_deinit);
    struct error err = {0};

    buf_init(&head, s->response_text.len + HEAD_ROOM);
    if (egress_secrets_are_in(&s->service->secrets, buf_span(&s->response_text))) {
        return refuse_secret(s);
    }
    if (!write_head(s, note, &head, &err)) {
        return egress_session_fail(s, EGRESS_RESPONSE, err.text);
    }
    s->is_answered = true;
    s->attempt.status = s->response.status;
    return egress_link_send(&s->client, buf_span(&head), &err) || egress_session_fail_link(s, &err);
}

/* --- body ----------------------------------------------------------------- */

/* A body on its way: what may be the beginning of a secret waits for what follows it. */
struct passage {
    struct egress_session *session;
    struct buf held;
    egress_sink *sink;
};

static bool pass(void *context, struct span data, struct error *err)
{
    struct passage *p = context;
    struct egress_secrets *secrets = &p->session->service->secrets;

    if (!buf_append(&p->held, data, err)) {
        return false;
    }
    if (egress_secrets_are_in(secrets, buf_span(&p->held))) {
        return error_set(err, ERROR_DENIED, "a credential");
    }
    size_t len = p->held.len, kept = egress_secrets_begun(secrets, buf_span(&p->held));
    if (!p->sink(&p->session->client, span_of(p->held.data, len - kept), err)) {
        return false;
    }
    memmove(p->held.data, p->held.data + len - kept, kept);
    p->held.len = kept;
    return true;
}

static bool stream_body(struct egress_session *s, egress_sink *sink, struct error *err)
{
    struct egress_body body;
    struct passage p = {.session = s, .sink = sink};

    egress_body_init(&body, &s->response, true);
    if (s->service->secrets.n == 0) {
        return egress_body_move(&s->upstream, &body, sink, &s->client, err);
    }
    buf_init(&p.held, HELD_MAX);
    bool is_moved = egress_body_move(&s->upstream, &body, pass, &p, err) && sink(&s->client, buf_span(&p.held), err);
    buf_deinit(&p.held);
    return is_moved;
}

static bool read_body(struct egress_session *s)
{
    struct egress_body body;
    struct error err = {0};
    size_t max = (size_t)s->rule->response_max;

    egress_body_init(&body, &s->response, true);
    if (s->response.framing == EGRESS_BODY_LENGTH && (uint64_t)s->response.length > max) {
        return egress_session_fail(s, EGRESS_RESPONSE, "a body of at most the rule's response_max expected");
    }
    if (egress_session_take_body(s, &s->upstream, &body, max, &err)) {
        return true;
    }
    bool is_full = err.kind == ERROR_LIMIT && s->upstream.stopped == EGRESS_STOP_NONE;
    return is_full && s->is_out_of_memory ? egress_session_fail_memory(s) : fail(s, &err);
}

/* A coding, which was not asked for, or several. */
static bool is_coded(const struct egress_session *s)
{
    const struct span *coding = egress_head_find(&s->response, "Content-Encoding");
    bool is_identity = coding == NULL || coding->len == 0 || egress_name_equal(*coding, "identity");

    return s->response.framing != EGRESS_BODY_NONE && (!is_identity || egress_head_count(&s->response, "Content-Encoding") > 1);
}

static bool send_body(struct egress_session *s, const char *note, const struct buf *body)
{
    struct error err = {0};

    if (s->response.framing != EGRESS_BODY_NONE) {
        s->response.framing = EGRESS_BODY_LENGTH;
        s->response.length = (int64_t)body->len;
    }
    return send_head(s, note) && (egress_link_send(&s->client, buf_span(body), &err) || egress_session_fail_link(s, &err));
}

/* Of a body that is not judged: it is decoded for its credentials, and goes on as it came. */
static bool search(struct egress_session *s)
{
    if (!read_body(s)) {
        return false;
    }
    struct egress_message m = {.head = &s->response, .body = buf_span(&s->body)};
    return egress_session_decode(s, &m, (size_t)s->rule->response_max) &&
           (egress_secrets_are_in(&s->service->secrets, m.body) ? refuse_secret(s) : send_body(s, "", &s->body));
}

static bool stream(struct egress_session *s)
{
    bool is_chunked = s->head.minor == 1 && (s->response.framing == EGRESS_BODY_CHUNKED ||
                                             s->response.framing == EGRESS_BODY_TO_END);
    struct error err = {0};

    if (!send_head(s, "")) {
        return false;
    }
    return (stream_body(s, is_chunked ? egress_sink_chunks : egress_sink_link, &err) &&
            (!is_chunked || egress_link_send(&s->client, span_str("0\r\n\r\n"), &err))) ||
           (err.kind == ERROR_DENIED ? refuse_secret(s) : fail(s, &err));
}

/* What goes on of an answer that is not allowed as it is; the note says what was done to it. False: nothing. */
static bool settle(struct egress_session *s, const struct egress_verdict *verdict, char *note, size_t size)
{
    bool is_partial = s->response.status == 206; /* a piece of something: another length would lie about the rest */

    s->is_stripped = s->rule->on_response == EGRESS_RESPONSE_STRIP && verdict->is_stripped && !is_partial;
    if (!s->is_stripped && s->rule->on_response != EGRESS_RESPONSE_ANNOTATE) {
        s->attempt.is_answer = true;
        return egress_session_fail(s, EGRESS_FILTER, "the filter does not let this response in");
    }
    (void)snprintf(note, size, "%s; rule=%s%s", action_name(verdict->action), verdict->rule,
                   s->is_stripped ? "; stripped" : "");
    return true;
}

static bool judge(struct egress_session *s)
{
    char note[128] = "";
    struct egress_verdict verdict;

    if (!read_body(s)) {
        return false;
    }
    struct egress_message m = {.route = span_str("egress/response"),
                               .head = &s->response,
                               .body = buf_span(&s->body),
                               .stripped = s->rule->on_response == EGRESS_RESPONSE_STRIP ? &s->stripped : NULL};
    egress_memory_free(&s->service->memory, &s->stripped);
    egress_memory_raise(&s->service->memory, &s->stripped, m.stripped == NULL ? 0 : (size_t)s->rule->response_max);
    if (!egress_session_judge(s, &m, (size_t)s->rule->response_max, &verdict)) {
        return false;
    }
    egress_memory_trim(&s->service->memory, &s->stripped);
    if (egress_secrets_are_in(&s->service->secrets, m.body)) {
        return refuse_secret(s);
    }
    if (verdict.action != ACTION_ALLOW) {
        (void)snprintf(s->attempt.filter_rule, sizeof(s->attempt.filter_rule), "%s", verdict.rule);
        if (!settle(s, &verdict, note, sizeof(note))) {
            return false;
        }
    }
    return send_body(s, note, s->is_stripped ? &s->stripped : &s->body);
}

bool egress_response(struct egress_session *s)
{
    if (!read_final_head(s)) {
        return false;
    }
    if (egress_judges_responses(s->rule)) {
        return judge(s);
    }
    return s->service->secrets.n > 0 && is_coded(s) ? search(s) : stream(s);
}
