/* proxy_run.c - /{upstream}/…: forwards a complete request to its upstream. */
#include <strings.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/json.h"
#include "disclosure/system_prompt.h"
#include "proxy/proxy.h"
#include "service/access.h"
#include "upstream/proxy_header.h"
#include "http/identities.h"
#include "pipeline/stream_inquiry.h"
#include "prompt/prompt_judge.h"
#include "prompt/prompt_user.h"
#include "service/admission.h"

struct header_list {
    const struct proxy *proxy;
    struct span connection;
    struct curl_slist *list;
    char state[TRACESTATE_MAX + 1]; /* all values of tracestate, joined by commas */
    size_t state_len;               /* more than TRACESTATE_MAX: they do not fit */
    bool has_type, has_accept, is_ok;
};

static bool add_line(struct header_list *h, const char *line)
{
    struct curl_slist *longer = h->is_ok ? curl_slist_append(h->list, line) : NULL;

    h->list = longer == NULL ? h->list : longer;
    h->is_ok = longer != NULL;
    return h->is_ok;
}

static bool add_pair(struct header_list *h, struct span name, struct span value)
{
    struct buf line;
    struct error err;

    buf_init(&line, 64 * 1024);
    /* libcurl's way to write a header without a value ends in a semicolon. */
    bool is_made = buf_append(&line, name, &err) &&
                   buf_append_str(&line, value.len == 0 ? ";" : ": ", &err) &&
                   buf_append(&line, value, &err) && buf_append_char(&line, '\0', &err) &&
                   add_line(h, line.data);
    if (line.cap > 0) {
        explicit_bzero(line.data, line.cap);
    }
    buf_deinit(&line);
    return is_made;
}

static void keep_state(struct header_list *h, struct span value)
{
    size_t comma = h->state_len > 0, len = h->state_len + comma + value.len;

    if (len <= TRACESTATE_MAX) {
        memcpy(h->state + h->state_len, ",", comma);
        memcpy(h->state + h->state_len + comma, value.ptr, value.len);
    }
    h->state_len = len;
}

/* The caller's tracestate goes with the caller's trace, and with no other. */
static bool add_trace(struct header_list *h, const struct trace_context *t)
{
    char traceparent[TRACEPARENT_TEXT + 1];
    struct span state = span_of(h->state, h->state_len);

    if (!trace_is_known(t)) {
        return true;
    }
    trace_format(t, traceparent);
    return add_pair(h, span_str("traceparent"), span_str(traceparent)) &&
           (!trace_has_span(t->parent) || !tracestate_is_valid(state) || add_pair(h, span_str("tracestate"), state));
}

/* NOLINTNEXTLINE(readability-function-size): libmicrohttpd dictates the parameters */
static enum MHD_Result add_header(void *context, enum MHD_ValueKind kind, const char *name,
                                  size_t name_len, const char *value, size_t value_len)
{
    struct header_list *h = context;
    struct span key = span_of(name, name_len);
    struct span text = span_of(value == NULL ? "" : value, value_len);

    (void)kind;
    if (name_len == 10 && strncasecmp(name, "tracestate", 10) == 0) {
        keep_state(h, text);
    }
    if (!header_goes_up(key, text, h->connection, h->proxy->upstream->credential != NULL)) {
        return MHD_YES;
    }
    h->has_type |= name_len == 12 && strncasecmp(name, "Content-Type", 12) == 0;
    h->has_accept |= name_len == 6 && strncasecmp(name, "Accept", 6) == 0;
    h->is_ok = add_pair(h, key, text);
    return h->is_ok ? MHD_YES : MHD_NO;
}

/* What libcurl would add by itself is taken out: the request is the client's. */
bool proxy_set_headers(struct proxy *p, const struct request *r)
{
    struct header_list h = {
        .proxy = p, .connection = request_header(r, "Connection"), .is_ok = true};
    const struct upstream *u = p->upstream;

    (void)MHD_get_connection_values_n(r->connection, MHD_HEADER_KIND, add_header, &h);
    bool is_made = h.is_ok && add_line(&h, "Accept-Encoding: identity") &&
                   add_line(&h, "Expect:") && (h.has_accept || add_line(&h, "Accept:")) &&
                   (h.has_type || add_line(&h, "Content-Type:")) && add_trace(&h, &p->who.trace);
    if (is_made && u->credential != NULL) {
        char value[5000];
        (void)snprintf(value, sizeof(value), "%s%s", u->header->prefix, u->credential);
        is_made = add_pair(&h, span_str(u->header->name), span_str(value));
        explicit_bzero(value, sizeof(value));
    }
    p->up.headers = h.list;
    return is_made;
}

bool proxy_take_place(struct proxy *p)
{
    struct service *s = p->service;

    p->counts = true;
    return (uint64_t)atomic_fetch_add(&s->metrics.proxy.open, 1) < s->options->proxy_streams &&
           !atomic_load(&s->is_draining);
}

static bool take_room(struct proxy *p, struct request *r)
{
    uint64_t room = PROXY_ROOM + r->body.cap;

    /* Room was taken for a body that is also an answer; this one only waits to be sent. */
    service_release(r->service, r->held);
    r->held = 0;
    if (!service_hold(r->service, room)) {
        return false;
    }
    p->room = room;
    p->up.body = r->body;
    r->body = (struct buf){.max = p->up.body.max};
    return true;
}

static bool open_stream(struct proxy *p, const struct request *r, struct error *err)
{
    struct system_prompt *prompt CLEANUP(system_prompt_drop) = NULL;

    if (!proxy_read_system_prompt(p, &prompt, err)) {
        return false;
    }
    const struct stream_options options = {
        .system_prompt = prompt,
        .snapshot = r->snapshot,
        .policy = p->policy,
        .masking = p->masking,
        .who = p->who,
        .id = p->id,
        .now_ns = clock_utc_ns(),
        .text_max = p->service->options->text_max,
        .hold_max = STREAM_HOLD_MAX_DEFAULT,
        .can_wait = p->service->supervisor != NULL,
        .is_taken_whole = p->is_taken_whole,
        .budgets = p->service->budgets,
        .token_keys = token_keys_at(p->service->token_keys, clock_utc_ns()),
    };

    p->stream = stream_new(&options, err);
    return p->stream != NULL;
}

/* What goes to the upstream is known from here on, and the survey of its messages is of no more use. */
static bool open_translation(struct proxy *p, const struct request *r, struct error *err)
{
    struct span target = buf_span(&p->target);
    struct span query = span_slice(target, p->path_len, target.len);
    const struct translation_request request = {
        .route = p->route,
        .path = p->path,
        .query = query.len > 0 ? span_slice(query, 1, query.len) : query,
        .type = p->type,
        .body = buf_span(&p->up.body),
        .is_valid = p->is_json,
        .known = prompt_survey_valid(&p->survey),
        .is_unjudged = p->is_unjudged,
        .stream = p->stream,
        .block = p->upstream->block,
        .client = request_header(r, "User-Agent"),
        .event_max = p->upstream->event_max,
        .passed_max = p->upstream->answer_max,
        .waiting_max = p->down.fresh.max, /* it goes there */
    };
    p->translation = translation_new(&request, err);
    p->survey = (struct prompt_survey){0};
    arena_deinit(&p->memory);
    return p->translation != NULL;
}

static bool open_answer(struct proxy *p, const struct request *r, struct error *err)
{
    if (!open_stream(p, r, err) || !open_translation(p, r, err)) {
        return false;
    }
    p->down.is_streaming = translation_is_streaming(p->translation);
    if (!p->down.is_streaming) {
        stream_wait_whole(p->stream);
    }
    p->down.waits_whole = stream_waits_whole(p->stream);
    return true;
}

/* Of the session, which is the client's name for the conversation; otherwise for this exchange alone. */
bool proxy_open_masking(struct proxy *p, const struct request *r)
{
    char id[CONVERSATION_ID_MAX], handle[CONVERSATION_HANDLE_TEXT + 1];
    struct conversation_owner owner;
    struct error err;

    if (p->masking != NULL) {
        return true;
    }
    struct span name = access_conversation_id(&p->who, id);
    access_conversation_owner(r, &owner);
    p->masking = name.len > 0
                     ? conversations_open(p->service->conversations, &owner, name, clock_monotonic_ns(), handle, &err)
                     : conversations_exchange(p->service->conversations, &err);
    return p->masking != NULL;
}

static void refuse_body(struct request *r, const struct error *err)
{
    if (err->kind == ERROR_DENIED) {
        request_problem(r, 400, err->text, NULL);
    } else if (err->kind == ERROR_INVALID || err->kind == ERROR_MALFORMED) {
        request_problem(r, 400, "another body expected by this route", NULL);
    } else {
        request_problem(r, 503, "no room at the moment", NULL);
    }
}

bool proxy_prepare(struct proxy *p, struct request *r)
{
    struct error err = {0};

    if (!proxy_take_place(p) || !take_room(p, r)) {
        (void)atomic_fetch_add(&p->service->metrics.overloads, 1);
        request_problem(r, 503, "no room at the moment", NULL);
        return false;
    }
    if (r->source == NULL && !proxy_set_headers(p, r)) {
        request_problem(r, 503, "no room at the moment", NULL);
        return false;
    }
    if (!open_answer(p, r, &err)) {
        refuse_body(r, &err);
        return false;
    }
    return true;
}

void proxy_launch(struct proxy *p, struct request *r)
{
    struct service *s = p->service;
    unsigned turn = atomic_fetch_add_explicit(&s->next_reactor, 1, memory_order_relaxed);
    const union MHD_ConnectionInfo *info =
        r->source != NULL ? NULL : MHD_get_connection_info(r->connection, MHD_CONNECTION_INFO_CONNECTION_FD);

    p->request = r;
    p->reactor = r->source != NULL ? r->source->reactor : s->reactors[turn % s->n_reactors];
    if (!r->is_suspended) {
        request_suspend(r);
    }
    (void)atomic_fetch_add(&p->references, 1); /* the reactor's */
    proxy_watch(p, info == NULL ? -1 : info->connect_fd);
}

/* The header names the end user; else the body does. Only the token is kept. */
static bool read_user(struct proxy *p, const struct request *r, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct value_token token;
    struct span user;

    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (!prompt_user(&memory, buf_span(&r->body), prompt_survey_valid(&p->survey), &user, err)) {
        return false;
    }
    if (user.len > 0) {
        if (!identity_user(p->service->identities, user, &token, err) || !buf_append_str(&p->user, token.text, err)) {
            return false;
        }
        p->who.user = buf_span(&p->user);
    }
    return true;
}

/* False with an answer. */
static bool admit_user(struct request *r)
{
    struct proxy *p = r->proxy;
    struct error err;

    if (p->who.user.len == 0 && p->is_json && !read_user(p, r, &err)) {
        request_overload(r, "no room at the moment");
        return false;
    }
    unsigned wait_s = admission_wait_for_budget(p->service, p->policy, &p->who);
    if (wait_s > 0) {
        request_problem(r, 429, admission_throttled, NULL);
        r->reply.retry_s = wait_s;
    }
    return wait_s == 0;
}

/* What is known of the body's messages need not be read. */
static bool read_json(struct proxy *p, const struct request *r)
{
    const char *route = protocol_route_name(p->route);
    struct span body = buf_span(&r->body);
    struct history_scope scope;
    struct error ignored;

    if (p->type.len == 0 && proxy_request_is_due(p, r)) {
        prompt_scope(p->service->history, p->policy, &p->who, route, &scope);
        if (prompt_survey(&p->memory, p->service->history, &scope, route, body, &p->survey, &ignored) &&
            json_validate_known(body, prompt_survey_valid(&p->survey), &ignored)) {
            return true;
        }
        p->survey = (struct prompt_survey){0};
    }
    return body.len > 0 && json_validate(body, &ignored);
}

enum step proxy_run(struct request *r)
{
    struct proxy *p = r->proxy;

    p->is_json = read_json(p, r);
    if (r->body.len > 0 && !admit_user(r)) {
        return STEP_ANSWERED;
    }
    if (proxy_request_is_due(p, r)) {
        return proxy_request_judge(r);
    }
    if (!proxy_prepare(p, r)) {
        return STEP_ANSWERED;
    }
    proxy_launch(p, r);
    proxy_notify(p, PROXY_EVENT_START);
    return STEP_SUSPENDED;
}
