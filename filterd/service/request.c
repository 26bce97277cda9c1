#include "service/request.h"

#include <assert.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "contracts/contract.h"
#include "http/fault.h"
#include "http/batch.h"
#include "service/inquiry.h"
#include "service/open_stream.h"
#include "http/problem.h"
#include "protocol/protocol.h"

enum {
    TRACE_RATE_OF = 1000000,  /* option trace-rate is of so many */
    SPARE_MAX = 64,           /* requests kept for reuse, by SERVICE_SPARES */
    SPARE_BUFFER = 64 * 1024, /* a larger buffer is not kept */
    HOLD_STEP = 64 * 1024,    /* room is taken in steps of this */
    HOLD_FACTOR = 3,          /* a body is also an answer and working memory */
    RESERVE_MAX = 256 * 1024,
    RECORD_MAX = DECISION_RECORD_MAX,
    ANSWER_EXTRA = 1024 * 1024,
    ANSWER_FACTOR = 2,
    FOUND_ROOM = 16 * 1024 * 1024, /* of answers that list what was found: 100,000 findings in plain text fit */
    FOUND_FACTOR = 32,
};

static struct spare_requests *spare_of_thread(struct service *s)
{
    return &s->spare[thread_number() % SERVICE_SPARES];
}

static struct request *take_spare(struct spare_requests *spare)
{
    (void)pthread_mutex_lock(&spare->lock);
    struct request *r = spare->first;
    if (r != NULL) {
        spare->first = r->next;
        spare->n--;
    }
    (void)pthread_mutex_unlock(&spare->lock);
    return r;
}

static bool keep_spare(struct spare_requests *spare, struct request *r)
{
    (void)pthread_mutex_lock(&spare->lock);
    bool is_kept = spare->n < SPARE_MAX;
    if (is_kept) {
        r->next = spare->first;
        spare->first = r;
        spare->n++;
    }
    (void)pthread_mutex_unlock(&spare->lock);
    return is_kept;
}

struct request *request_take(struct service *s, const struct listener *l,
                             struct MHD_Connection *connection)
{
    struct request *r = take_spare(spare_of_thread(s));

    if (r == NULL) {
        r = calloc(1, sizeof(*r));
        if (r == NULL) {
            return NULL;
        }
        buf_init(&r->record, RECORD_MAX);
    }
    if (atomic_load_explicit(&s->is_sealing, memory_order_relaxed) && !r->body.is_locked) {
        buf_lock(&r->body);
        buf_lock(&r->answer);
    }
    r->service = s;
    r->listener = l;
    r->connection = connection;
    r->started_ns = clock_monotonic_ns();
    r->body.max = s->options->body_max;
    r->answer.max = ANSWER_FACTOR * s->options->body_max + ANSWER_EXTRA;
    (void)atomic_fetch_add_explicit(&s->metrics.active_requests, 1, memory_order_relaxed);
    return r;
}

static void reset_buffer(struct buf *b)
{
    if (b->cap > SPARE_BUFFER) {
        buf_deinit(b);
    }
    if (b->is_locked) {
        buf_wipe(b);
    }
    buf_clear(b);
}

static void request_free(struct request *r)
{
    buf_deinit(&r->body);
    buf_deinit(&r->answer);
    buf_deinit(&r->record);
    free(r);
}

static void reset(struct request *r)
{
    if (r->stream != NULL) {
        stream_table_give_back(r->service->streams, &r->stream->entry);
    }
    service_release(r->service, r->held);
    snapshot_unref(r->snapshot);
    batch_free(r->batch);
    inquiry_free(r->inquiry);
    free(r->head);
    if (r->reply.has_file) {
        (void)close(r->reply.file);
    }
    reset_buffer(&r->body);
    reset_buffer(&r->answer);
    reset_buffer(&r->record);
    *r = (struct request){
        .service = r->service, .body = r->body, .answer = r->answer, .record = r->record};
}

void request_give_back(struct request *r)
{
    struct service *s = r->service;

    assert(r->proxy == NULL);
    histogram_add(&metrics_tally(&s->metrics)->requests, clock_monotonic_ns() - r->started_ns);
    reset(r);
    if (!keep_spare(spare_of_thread(s), r)) {
        request_free(r);
    }
    (void)atomic_fetch_sub_explicit(&s->metrics.active_requests, 1, memory_order_release);
}

void request_free_spare(struct service *s)
{
    for (size_t i = 0; i < SERVICE_SPARES; i++) {
        for (struct request *r; (r = take_spare(&s->spare[i])) != NULL;) {
            request_free(r);
        }
    }
}

static struct span header_of_source(const struct request_source *s, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < s->n_fields; i++) {
        if (s->fields[i].name.len == len && strncasecmp(s->fields[i].name.ptr, name, len) == 0) {
            return s->fields[i].value;
        }
    }
    return (struct span){.ptr = ""};
}

struct span request_header(const struct request *r, const char *name)
{
    const char *value = NULL;
    size_t len = 0;

    if (r->source != NULL) {
        return header_of_source(r->source, name);
    }
    if (MHD_lookup_connection_value_n(r->connection, MHD_HEADER_KIND, name, strlen(name), &value,
                                      &len) != MHD_YES ||
        value == NULL) {
        return (struct span){.ptr = ""};
    }
    return span_of(value, len);
}

struct counted_header {
    const char *name;
    unsigned n;
};

static enum MHD_Result count_header(void *context, enum MHD_ValueKind kind, const char *name, const char *value)
{
    struct counted_header *c = context;

    (void)kind, (void)value;
    c->n += strcasecmp(name, c->name) == 0;
    return MHD_YES;
}

static bool is_repeated(const struct request *r, const char *name)
{
    struct counted_header c = {.name = name};

    for (size_t i = 0; r->source != NULL && i < r->source->n_fields; i++) {
        struct span field = r->source->fields[i].name;
        c.n += field.len == strlen(name) && strncasecmp(field.ptr, name, field.len) == 0;
    }
    if (r->source == NULL) {
        (void)MHD_get_connection_values(r->connection, MHD_HEADER_KIND, count_header, &c);
    }
    return c.n > 1;
}

/* Random bytes that are missing cost the trace, and nothing else. */
static uint8_t drawn_flags(uint64_t rate)
{
    uint32_t number = 0;

    return rate > 0 && getrandom(&number, sizeof(number), 0) == sizeof(number) && number % TRACE_RATE_OF < rate ? TRACE_SAMPLED : 0;
}

void request_read_trace(struct request *r)
{
    const struct service_options *o = r->service->options;
    struct span header = request_header(r, "traceparent");
    struct trace_context t = {0};
    struct error err;

    bool is_read = header.len > 0 && !is_repeated(r, "traceparent") && trace_parse(header, &t);
    if (!is_read) {
        uint8_t flags = drawn_flags(o->trace_rate);
        if ((header.len == 0 && flags == 0) || !trace_begin(&t, flags, &err)) {
            return;
        }
    }
    if ((t.flags & TRACE_SAMPLED) != 0 && o->spans != NULL && strcmp(o->spans, "on") == 0 && !trace_record(&t, &err)) {
        log_debug("trace: no random bytes for a span");
    }
    r->trace = t;
}

struct exchange_times request_times(const struct request *r)
{
    uint64_t now_ns = clock_monotonic_ns();

    return (struct exchange_times){.started_utc_ns = clock_utc_ns() - (int64_t)(now_ns - r->started_ns),
                                   .started_ns = r->started_ns,
                                   .received_ns = r->received_ns,
                                   .ended_ns = now_ns};
}

/* Room in the service's memory for what has come and the next step. */
static bool hold_room(struct request *r, size_t more)
{
    uint64_t need = (r->body.len + more) * HOLD_FACTOR;

    if (need <= r->held) {
        return true;
    }
    uint64_t step = need - r->held + HOLD_STEP;
    if (!service_hold(r->service, step)) {
        return false;
    }
    r->held += step;
    return true;
}

/* Once for all that was announced, so that growing does not copy it several times. A client that sends less has touched less. */
static bool reserve(struct request *r, size_t more, struct error *err)
{
    bool is_worth = r->body.len == 0 && r->announced > more && r->announced <= RESERVE_MAX && r->announced <= r->body.max && !r->body.is_locked;

    return buf_reserve(&r->body, is_worth ? r->announced : more, err);
}

static void store(struct request *r, struct span bytes)
{
    struct error err;

    if (bytes.len > r->body_max - r->body.len) {
        request_problem(r, 413, "the body is larger than this service takes", NULL);
    } else if (!hold_room(r, bytes.len) || !reserve(r, bytes.len, &err) || !buf_append(&r->body, bytes, &err)) {
        request_overload(r, "no room for the body at the moment");
    }
    r->is_refused = r->reply.status != 0;
}

/* After as long as a silent connection may last, by the average. */
static bool is_too_slow(const struct request *r, uint64_t age_s)
{
    const struct service_options *o = r->service->options;

    return age_s > o->request_timeout || (age_s > o->idle_timeout && r->received < age_s * o->rate_min);
}

bool request_receive(struct request *r, struct span bytes)
{
    uint64_t age_s = (clock_monotonic_ns() - r->started_ns) / 1000000000;

    r->received += bytes.len;
    if (!r->is_refused) {
        store(r, bytes);
    }
    bool is_whole = r->announced > 0 && r->received == r->announced; /* nothing is waited for, however long it took */
    return (is_whole || !is_too_slow(r, age_s)) && r->received <= r->received_max;
}

void request_limit_answer(struct request *r)
{
    size_t max = FOUND_ROOM + FOUND_FACTOR * r->body.len;

    r->answer.max = max < r->answer.max ? max : r->answer.max;
}

/* Operators' requests, which have no body, are answered when memory is short, too. */
bool request_hold_answer(struct request *r)
{
    uint64_t need = r->body.cap + r->answer.cap;

    if (r->body.len == 0 || need <= r->held) {
        return true;
    }
    if (!service_hold(r->service, need - r->held)) {
        buf_deinit(&r->answer);
        request_overload(r, "no room for the answer at the moment");
        return false;
    }
    r->held = need;
    return true;
}

static bool write_problem(struct request *r, unsigned status, const char *detail, const char *pointer)
{
    struct error err;

    if (r->contract != NULL) {
        struct writer w = {.out = &r->answer, .err = &err, .is_ok = true};
        struct filter_fault fault;
        (void)fault_set(&fault, status, pointer == NULL ? "" : pointer, "%s", detail);
        r->contract->refuse(&w, &fault);
        return w.is_ok;
    }
    if (r->protocol != NULL) {
        return protocol_error_body(r->protocol, status, detail, &r->answer, &err);
    }
    return problem_write(&r->answer, status, detail, pointer, &err) && buf_append_char(&r->answer, '\n', &err);
}

void request_problem(struct request *r, unsigned status, const char *detail, const char *pointer)
{
    const char *type = r->protocol != NULL || r->contract != NULL ? "application/json" : "application/problem+json";

    r->reply = (struct reply){.status = status, .type = type, .closes = r->reply.closes};
    buf_clear(&r->answer);
    if (!write_problem(r, status, detail, pointer)) {
        buf_clear(&r->answer); /* the status says enough */
    }
}

void request_overload(struct request *r, const char *detail)
{
    (void)atomic_fetch_add(&r->service->metrics.overloads, 1);
    request_problem(r, 503, detail, NULL);
}

void request_suspend(struct request *r)
{
    r->is_suspended = true;
    if (r->source == NULL) {
        MHD_suspend_connection(r->connection);
    }
}

void request_resume(struct request *r)
{
    r->is_suspended = false;
    if (r->source != NULL) {
        r->source->resume(r);
    } else {
        MHD_resume_connection(r->connection);
    }
}

void request_show_receipt(struct request *r)
{
    if (r->receipt.seq > 0) {
        receipt_format(r->receipt.seq, &r->receipt.leaf, r->receipt_text);
    }
}
