/* route_streams.c - POST /v1/streams, /v1/streams/{id}/chunks, /v1/streams/{id}/end: a text judged
 * while it is being written, for callers that do not use the proxy.
 *
 * The stream's first record is on disk before the caller gets its id, so nothing is released
 * without a record; the last one before the answer to its end. Chunks have none of their own. */
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/uuid.h"
#include "service/access.h"
#include "http/fault.h"
#include "http/identities.h"
#include "service/inquiry.h"
#include "service/open_stream.h"
#include "http/parameters.h"
#include "server/routes.h"
#include "service/admission.h"
#include "service/stream_answer.h"
#include "http/stream_request.h"
#include "service/work.h"
#include "http/writer.h"
#include "pipeline/stream_inquiry.h"

static void refuse(struct request *r, const struct filter_fault *fault)
{
    request_problem(r, fault->status, fault->detail, fault->pointer);
}

/* A body whose type is not said may only be an empty one. */
static bool check_absent(struct request *r)
{
    if (r->body.len > 0 && request_header(r, "Content-Type").len == 0) {
        request_problem(r, 415, "Content-Type: application/json expected", NULL);
        return false;
    }
    return true;
}

/* False with an answer: nothing of the agent goes on. */
static bool may_open(struct request *r, const struct stream_options *options)
{
    unsigned wait_s = 0;
    const char *why;
    enum admission admission = admission_open(r->service, r->snapshot, &options->who, &wait_s, &why);

    if (admission == ADMISSION_GRANTED) {
        wait_s = admission_wait_for_budget(r->service, options->policy, &options->who);
        admission = wait_s > 0 ? ADMISSION_WAIT : admission;
    }

    if (admission == ADMISSION_BLOCKED) {
        request_problem(r, 403, why, NULL);
    } else if (admission == ADMISSION_WAIT) {
        request_problem(r, 429, admission_throttled, NULL);
        r->reply.retry_s = wait_s;
    }
    return admission == ADMISSION_GRANTED;
}

/* --- open ------------------------------------------------------------------- */

static bool prepare(const struct request *r, struct arena *a, struct stream_request *q,
                    struct stream_options *options, struct filter_fault *fault)
{
    struct error err;

    if (!identity_show(r->service->identities, r->snapshot, a, &q->who, fault)) {
        return false;
    }
    *options = (struct stream_options){
        .snapshot = r->snapshot,
        .policy = snapshot_policy(r->snapshot, q->policy, identity_tenant(&q->who)),
        .who = q->who,
        .now_ns = clock_utc_ns(),
        .text_max = SIZE_MAX, /* it is not kept: a stream may be as long as it likes */
        .hold_max = STREAM_HOLD_MAX_DEFAULT,
        .can_wait = r->service->supervisor != NULL,
        .budgets = r->service->budgets,
        .token_keys = token_keys_at(r->service->token_keys, clock_utc_ns()),
    };
    options->who.route = span_str(r->route->path);
    options->who.caller = r->caller;
    options->who.trace = r->trace;
    trace_keep_unrecorded(&options->who.trace);
    if (options->policy == NULL) {
        return fault_set(fault, 422, "/policy", "the name of a policy expected");
    }
    return uuid_make(options->now_ns, options->id.bytes, &err) ||
           fault_set(fault, 503, "", "no random bytes at the moment");
}

/* The masking of the conversation: a reference. */
static bool find_masking(const struct request *r, const struct stream_request *q, struct stream_options *options,
                         struct filter_fault *fault)
{
    struct conversation_owner owner;

    if (q->restore.ptr == NULL) {
        return true;
    }
    access_conversation_owner(r, &owner);
    options->masking = conversations_find(r->service->conversations, &owner, q->restore, clock_monotonic_ns());
    return options->masking != NULL || fault_set(fault, 422, "/restore", "the handle of a conversation of this caller expected");
}

static bool check_open_path(struct worker *w, const struct stream_options *options,
                            struct span path, struct filter_fault *fault)
{
    const struct exchange x = {.snapshot = options->snapshot,
                               .policy = options->policy,
                               .who = options->who,
                               .now_ns = options->now_ns};

    return path.len == 0 || open_stream_may_show(w, &x, path) ||
           fault_set(fault, 422, "/path", "a path that may be shown expected");
}

static bool write_opened(const struct open_stream *o, const struct policy *policy, struct buf *out)
{
    char id[STREAM_ID_TEXT + 1], record[UUID_TEXT + 1];
    struct error err;
    struct writer w = {.out = out, .err = &err, .is_ok = true};

    stream_id_format(&o->entry.id, (unsigned)o->service->options->node, id);
    uuid_format(o->id.bytes, record);
    put(&w, "{\"id\":\"");
    put(&w, id);
    put(&w, "\",\"req_id\":\"");
    put(&w, record);
    put(&w, "\",\"policy\":{\"name\":");
    put_string(&w, policy->name);
    put(&w, ",\"digest\":");
    put_string(&w, policy->digest);
    put(&w, "},\"timeout_s\":");
    put_number(&w, o->service->options->stream_timeout);
    put(&w, "}");
    return w.is_ok;
}

static void open_stream(struct request *r, struct worker *w)
{
    struct arena memory CLEANUP(arena_deinit); /* the path is judged with the worker's */
    struct system_prompt *prompt CLEANUP(system_prompt_drop) = NULL;
    struct stream_request q;
    struct stream_options options;
    struct filter_fault fault;
    struct error err;

    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (!stream_request_read(&memory, buf_span(&r->body), STREAM_BODY_OPEN, &q, &fault) ||
        !prepare(r, &memory, &q, &options, &fault) || !check_open_path(w, &options, q.path, &fault) ||
        !context_system_prompt(&q.context, options.policy, &prompt, &fault)) {
        refuse(r, &fault);
        return;
    }
    options.system_prompt = prompt;
    if (!may_open(r, &options)) {
        return;
    }
    if (!find_masking(r, &q, &options, &fault)) {
        refuse(r, &fault);
        return;
    }
    struct open_stream *o = open_stream_new(r->service, &options, q.path, &err);
    masking_unref(options.masking);
    if (o == NULL) {
        request_overload(r, "no room for a stream at the moment");
        return;
    }
    access_owner(r, &o->entry.owner);
    if (!stream_table_add(r->service->streams, &o->entry, &err)) {
        open_stream_free(o);
        request_overload(r, "too many streams are open");
        return;
    }
    r->stream = o;
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    if (!write_opened(o, options.policy, &r->answer) ||
        !open_stream_record(o, OPEN_STREAM_BEGUN, &r->record, &err)) {
        buf_clear(&r->record);
    }
}

static void opened(struct request *r)
{
    stream_table_give_back(r->service->streams, &r->stream->entry);
    r->stream = NULL;
}

static void not_opened(struct request *r)
{
    stream_table_remove(r->service->streams, &r->stream->entry);
    open_stream_free(r->stream);
    r->stream = NULL;
    (void)atomic_fetch_add(&r->service->metrics.unrecorded, 1);
    request_overload(r, "the record could not be written");
}

enum step route_stream_open_run(struct request *r)
{
    static const struct work work = {
        .record = WORK_DURABLE, .judge = open_stream, .fail = not_opened, .done = opened};

    if (!check_absent(r)) {
        return STEP_ANSWERED;
    }
    r->snapshot = service_snapshot(r->service);
    return work_run(r, &work);
}

/* --- chunks ----------------------------------------------------------------- */

/* False with an answer that says why. */
static bool take_stream(struct request *r)
{
    struct stream_entry *entry = NULL;
    struct stream_owner owner;
    struct stream_id id;
    enum stream_found found = STREAM_ABSENT;
    unsigned node = (unsigned)r->service->options->node;
    enum stream_place place = stream_id_parse(span_str(r->parameter), &id, &node);

    access_owner(r, &owner);
    if (place == STREAM_ID_ELSEWHERE) {
        request_problem(r, 421, "the stream is another node's: its id begins with its number", NULL);
        r->reply.node = node;
        return false;
    }
    if (place == STREAM_ID_HERE) {
        found = stream_table_take(r->service->streams, &id, &owner, &entry);
    }
    if (found == STREAM_ABSENT) {
        request_problem(r, 404, "there is no such stream: it has ended, or waited too long", NULL);
    } else if (found == STREAM_BUSY) {
        request_problem(r, 409, "another request is using the stream", NULL);
    }
    r->stream = (struct open_stream *)(void *)entry;
    return entry != NULL;
}

static bool take_parameter(void *request, struct span name, struct span value, unsigned *seen,
                           struct filter_fault *fault)
{
    return stream_request_set(request, name, value, seen, fault);
}

static bool read_chunk(const struct request *r, struct arena *a, struct stream_request *q,
                       struct filter_fault *fault)
{
    size_t text_max = r->service->options->text_max;
    bool is_read;

    if (r->is_plain_in) {
        *q = (struct stream_request){.text = buf_span(&r->body)};
        is_read = parameters_read(r->connection, take_parameter, q, fault);
    } else {
        is_read = stream_request_read(a, buf_span(&r->body), STREAM_BODY_CHUNK, q, fault);
    }
    return is_read && (q->text.len <= text_max ||
                       fault_set(fault, 413, "", "at most %zu bytes of text expected", text_max));
}

static bool check_channel(const struct request *r, struct worker *w, struct span path,
                          struct filter_fault *fault)
{
    struct exchange x;

    stream_exchange(r->stream->stream, &x);
    return open_stream_has_channel(r->stream, path) || open_stream_may_show(w, &x, path) ||
           fault_set(fault, 422, "/channel", "a path that may be shown expected");
}

/* True when this is the chunk's turn; else the answer it had, or why it has none. After an end that was not answered a
 * chunk would be dropped unseen. */
static bool is_next(struct request *r, uint64_t sequence)
{
    const struct open_stream *o = r->stream;
    struct error err;

    bool is_again = sequence > 0 && sequence == o->sequence;
    if (is_again && o->answer.len > 0 && buf_append(&r->answer, buf_span(&o->answer), &err)) {
        r->reply = (struct reply){.status = 200, .type = "application/json"};
        return false;
    }
    if (o->has_ended) {
        request_problem(r, 409, "the stream's end was sent: nothing but that again expected", NULL);
        return false;
    }
    if (sequence == 0 || o->sequence == 0 || sequence == o->sequence + 1) {
        return true;
    }
    request_problem(r, 409, "the number after the last chunk's expected", "/sequence");
    return false;
}

/* Takes the answer that has come. True when the supervisor is to be asked, again perhaps, before the request can be
 * answered; is_end: about what was kept for the end, too. */
static bool ask(struct request *r, struct worker *w, bool is_end, uint64_t now_ns)
{
    static const struct supervision no_room = {.outcome = SUPERVISION_OVERLOADED};
    struct stream *s = r->stream->stream;
    struct exchange x;

    if (r->inquiry != NULL) {
        stream_take_answer(s, w, &r->inquiry->question.result);
        inquiry_free(r->inquiry);
        r->inquiry = NULL;
    }
    while (is_end ? stream_waits(s) : stream_asks(s)) {
        if (!stream_ask(s, &x)) {
            continue; /* the answer was known without a question */
        }
        r->inquiry = inquiry_new(&x, now_ns);
        if (r->inquiry != NULL) {
            return true;
        }
        stream_take_answer(s, w, &no_room);
    }
    return false;
}

/* What the rules let go is kept with what was kept before, until nothing of it waits. A chunk that got no answer was taken
 * all the same. */
static struct open_channel *take_chunk(struct request *r, struct worker *w, const struct stream_request *q)
{
    struct open_stream *o = r->stream;
    struct open_channel *c = open_stream_channel(o, q->channel);

    if (c != NULL && r->inquiry == NULL && !open_stream_owes(o, q->sequence, q->channel, q->text)) {
        open_stream_feed(o, c, w, q->text);
    }
    return c;
}

static void feed_chunk(struct request *r, struct worker *w, const struct stream_request *q)
{
    struct open_stream *o = r->stream;
    uint64_t started_ns = clock_monotonic_ns();

    admission_watch(r->service, o->stream);
    struct open_channel *c = take_chunk(r, w, q);
    if (ask(r, w, false, started_ns)) {
        open_stream_owe(o, q->sequence, q->channel, q->text);
        o->elapsed_ns += clock_monotonic_ns() - started_ns;
        return;
    }
    bool goes_on = c != NULL && !stream_waits(o->stream);
    size_t held = c == NULL ? 0 : stream_channel_held(c->channel) + open_channel_held(c) + (goes_on ? 0 : c->kept.len);
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    if (!stream_answer_chunk(o, goes_on ? buf_span(&c->kept) : span_str(""), held, &r->answer)) {
        /* What was released is lost, so the rest would not follow it. */
        stream_block(o->stream, span_str("filterd.unjudged"), "the answer could not be written");
        request_overload(r, "no room for the answer at the moment");
    }
    if (goes_on) {
        stream_mark(o->stream); /* it has left, whatever blocks from here on */
        buf_deinit(&c->kept);
    }
    open_stream_keep_answer(o, q->sequence, buf_span(&r->answer));
    open_stream_settle(o);
    o->elapsed_ns += clock_monotonic_ns() - started_ns;
}

/* It comes here again with each answer of the supervisor. */
static void feed(struct request *r, struct worker *w)
{
    struct arena memory CLEANUP(arena_deinit); /* the stream uses the worker's */
    struct stream_request q;
    struct filter_fault fault;

    arena_init(&memory, 0, worker_limits_default().memory_max);
    if (!read_chunk(r, &memory, &q, &fault) || !check_channel(r, w, q.channel, &fault)) {
        refuse(r, &fault);
    } else if (r->inquiry != NULL) {
        feed_chunk(r, w, &q);
    } else if (is_next(r, q.sequence)) {
        if (open_stream_has_room(r->stream, q.text.len)) {
            feed_chunk(r, w, &q);
        } else {
            request_overload(r, "no room for the chunk at the moment");
        }
    }
    if (!inquiry_is_due(r->inquiry)) {
        stream_table_give_back(r->service->streams, &r->stream->entry);
        r->stream = NULL;
    }
}

enum step route_stream_chunk_run(struct request *r)
{
    static const struct work work = {.record = WORK_UNRECORDED, .judge = feed};

    return take_stream(r) ? work_run(r, &work) : STEP_ANSWERED;
}

/* --- end -------------------------------------------------------------------- */

/* What the end releases is kept with what waited for it. An end that got no answer (503) is sent again, and finds the
 * channels ended; it cannot say something else then. */
static bool end_channels(struct open_stream *o, struct worker *w, enum stream_ending how)
{
    if (o->has_ended) {
        return o->ending == how;
    }
    o->has_ended = true;
    o->ending = how;
    for (size_t i = 0; i < o->n_channels; i++) {
        open_stream_finish(o, &o->channels[i], w, how);
    }
    return true;
}

static void answer_failed(struct request *r, const char *reason)
{
    struct error err;

    filter_outcome_fail(&r->outcome);
    buf_clear(&r->answer);
    if (!filter_answer_failed(&r->outcome, reason, &r->answer, &err)) {
        buf_clear(&r->answer); /* nothing is delivered: that is a block, too */
    }
}

static void answer_end(struct request *r, struct worker *w, enum stream_ending how)
{
    struct open_stream *o = r->stream;
    struct exchange x;
    struct error err;

    admission_count_stream(r->service, o->stream, &x);
    open_stream_restored(o, &x.restored);
    const struct filter_request q = {.kind = FILTER_TEXT,
                                     .who = x.who,
                                     .channels = x.channels,
                                     .n_channels = x.n_channels,
                                     .bytes = stream_taken(o->stream)};
    filter_outcome_set(&r->outcome, &q, &x, o->elapsed_ns);
    if (!stream_answer_end(o, &q, &x, worker_begin(w), &r->answer)) {
        stream_block(o->stream, span_str("filterd.unjudged"), "the answer could not be written");
        stream_exchange(o->stream, &x);
        answer_failed(r, "the answer could not be written");
    }
    r->reply = (struct reply){.status = 200, .type = "application/json"};
    if (!open_stream_record(o, how == STREAM_COMPLETE ? OPEN_STREAM_WHOLE : OPEN_STREAM_CUT,
                            &r->record, &err)) {
        buf_clear(&r->record);
    }
    metrics_count_exchange(&r->service->metrics, &x, o->elapsed_ns);
}

static void end(struct request *r, struct worker *w)
{
    struct open_stream *o = r->stream;
    struct stream_request q;
    struct filter_fault fault;
    uint64_t started_ns = clock_monotonic_ns();

    if (!stream_request_read(worker_begin(w), buf_span(&r->body), STREAM_BODY_END, &q, &fault)) {
        refuse(r, &fault);
        opened(r);
        return;
    }
    enum stream_ending how = q.is_truncated ? STREAM_TRUNCATED : STREAM_COMPLETE;
    admission_watch(r->service, o->stream);
    if (!end_channels(o, w, how)) {
        request_problem(r, 409, "the same as in the end sent before expected", "/truncated");
        opened(r);
        return;
    }
    if (ask(r, w, true, started_ns)) {
        return;
    }
    o->elapsed_ns += clock_monotonic_ns() - started_ns;
    r->snapshot = snapshot_ref(o->snapshot); /* the outcome's policy */
    answer_end(r, w, how);
    stream_table_remove(r->service->streams, &o->entry);
    open_stream_free(o);
    r->stream = NULL;
}

static void not_ended(struct request *r)
{
    (void)atomic_fetch_add(&r->service->metrics.unrecorded, 1);
    answer_failed(r, "the record could not be written");
}

enum step route_stream_end_run(struct request *r)
{
    static const struct work work = {.record = WORK_DURABLE, .receipt = RECEIPT_MEMBER, .judge = end, .fail = not_ended};

    return check_absent(r) && take_stream(r) ? work_run(r, &work) : STEP_ANSWERED;
}
