#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "http/batch.h"
#include "service/access.h"
#include "service/filter_judge.h"
#include "service/inquiry.h"
#include "service/receipts.h"
#include "http/problem.h"
#include "server/routes.h"
#include "http/spool.h"

enum {
    BLOCK = 256 * 1024, /* bytes of complete lines that are worth a job */
    POST_TRIES = 200,   /* for a full queue of records */
    SPOOL_FACTOR = 4,   /* answers may be this much longer than their lines */
    ANSWER_LINE_MAX = 16 * 1024 * 1024,
    WINDOW_LINES = 4096,            /* answers that wait for the receipts of their records */
    WINDOW_BYTES = 4 * 1024 * 1024, /* of them, before the last one; so many that judging seldom waits for the disk */
    WINDOW_SHARE = 8,               /* of the memory of all requests a window has this part at most */
};

/* Records on their way to the disk, in order. Outlives its batch until the last of them has come back. */
struct outbox {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    size_t waiting;
    bool has_failed, is_abandoned;
    struct decision_receipt receipts[WINDOW_LINES]; /* of the records in the window, by their numbers; the writer's until they are back */
};

/* Answers in order, in front of the spool: an answer is complete when its record is on disk. */
struct window {
    struct {
        size_t len;
        uint64_t record; /* its number in the batch, from 1; 0: it has none */
    } lines[WINDOW_LINES];
    size_t first, n;
    size_t max; /* of bytes, before the last answer; of the service's memory */
    struct buf bytes;
};

struct batch {
    struct service *service;
    struct outbox *outbox;
    struct spool *answers;
    struct window window;
    uint64_t n_records; /* posted */
    struct buf answer, record;
    bool is_last; /* the body has ended: what is left is a line */
};

static struct outbox *outbox_new(void)
{
    struct outbox *o = calloc(1, sizeof(*o));

    if (o != NULL) {
        (void)pthread_mutex_init(&o->lock, NULL);
        (void)pthread_cond_init(&o->changed, NULL);
    }
    return o;
}

static void outbox_free(struct outbox *o)
{
    (void)pthread_mutex_destroy(&o->lock);
    (void)pthread_cond_destroy(&o->changed);
    free(o);
}

/* Called with the lock held, which is given up: the last one out frees. */
static void outbox_leave(struct outbox *o)
{
    bool is_over = o->is_abandoned && o->waiting == 0;

    (void)pthread_mutex_unlock(&o->lock);
    if (is_over) {
        outbox_free(o);
    }
}

static void posted(void *context, bool is_durable)
{
    struct outbox *o = context;

    (void)pthread_mutex_lock(&o->lock);
    o->waiting--;
    o->has_failed |= !is_durable;
    (void)pthread_cond_signal(&o->changed);
    outbox_leave(o);
}

/* Waits until at most `n` records are on their way. False when one has failed. */
static bool outbox_wait(struct outbox *o, size_t n)
{
    (void)pthread_mutex_lock(&o->lock);
    while (o->waiting > n) {
        (void)pthread_cond_wait(&o->changed, &o->lock);
    }
    bool is_ok = !o->has_failed;
    (void)pthread_mutex_unlock(&o->lock);
    return is_ok;
}

/* The number that is on its way then. */
static size_t outbox_add(struct outbox *o, size_t n)
{
    (void)pthread_mutex_lock(&o->lock);
    size_t waiting = o->waiting += n;
    (void)pthread_mutex_unlock(&o->lock);
    return waiting;
}

/* While the record's queue is full of our own lines, some of them are waited for. `receipt` may be NULL. */
static bool post(struct outbox *o, struct decision_log *log, struct span line, struct decision_receipt *receipt)
{
    const struct timespec pause = {.tv_nsec = 10000000};
    struct error err = {0};

    if (line.len == 0) {
        return false;
    }
    (void)outbox_add(o, 1);
    for (unsigned tries = 0; tries < POST_TRIES; tries++) {
        if (decision_log_append_receipt(log, line, receipt, posted, o, &err)) {
            return true;
        }
        if (err.kind != ERROR_LIMIT || !decision_log_is_healthy(log)) {
            break;
        }
        size_t ours = outbox_add(o, 0) - 1;
        if (ours > 0 && !outbox_wait(o, ours / 2 + 1)) {
            break;
        }
        if (ours == 0) {
            (void)nanosleep(&pause, NULL);
        }
    }
    (void)outbox_add(o, (size_t)-1);
    return false;
}

/* --- answers ---------------------------------------------------------------------- */

static bool spool_answer(struct batch *b, struct span answer, uint64_t record, struct error *err)
{
    struct decision_receipt *receipt = &b->outbox->receipts[record % WINDOW_LINES];
    char text[RECEIPT_TEXT + 1], member[RECEIPT_TEXT + sizeof(",\"receipt\":\"\"}\n")];

    if (record == 0 || receipt->seq == 0) {
        return spool_append(b->answers, answer, err);
    }
    receipt_format(receipt->seq, &receipt->leaf, text);
    (void)snprintf(member, sizeof(member), ",\"receipt\":\"%s\"}\n", text);
    *receipt = (struct decision_receipt){.seq = 0};
    /* Without the end of its object, and the newline. */
    return spool_append(b->answers, span_slice(answer, 0, answer.len - 2), err) && spool_append(b->answers, span_str(member), err);
}

/* Spools the answers at the front whose records are on disk. */
static bool window_advance(struct batch *b, struct error *err)
{
    struct window *w = &b->window;
    uint64_t done = b->n_records - outbox_add(b->outbox, 0);
    size_t at = 0;
    bool is_spooled = true;

    while (is_spooled && w->n > 0 && w->lines[w->first].record <= done) {
        size_t len = w->lines[w->first].len;
        is_spooled = spool_answer(b, span_of(w->bytes.data + at, len), w->lines[w->first].record, err);
        at += len;
        w->first = (w->first + 1) % WINDOW_LINES;
        w->n--;
    }
    if (at > 0) {
        memmove(w->bytes.data, w->bytes.data + at, w->bytes.len - at);
        w->bytes.len -= at;
    }
    return is_spooled;
}

/* The last record in the older half of the window; 0: that has none. */
static uint64_t window_middle(const struct window *w)
{
    uint64_t record = 0;

    for (size_t i = 0; i < (w->n + 1) / 2; i++) {
        uint64_t its = w->lines[(w->first + i) % WINDOW_LINES].record;
        record = its > 0 ? its : record;
    }
    return record;
}

/* Room for one more answer. While there is none, half of the records are waited for: the writer has the others meanwhile. */
static bool window_make_room(struct batch *b, struct error *err)
{
    struct window *w = &b->window;

    while (w->n == WINDOW_LINES || w->bytes.len > w->max) {
        uint64_t record = window_middle(w);
        if ((record > 0 && !outbox_wait(b->outbox, (size_t)(b->n_records - record))) || !window_advance(b, err)) {
            return false;
        }
    }
    return true;
}

/* `answer` is a line. There is room. */
static bool window_put(struct batch *b, struct span answer, uint64_t record, struct error *err)
{
    struct window *w = &b->window;
    size_t at = (w->first + w->n) % WINDOW_LINES;

    if (!buf_append(&w->bytes, answer, err)) {
        return false;
    }
    w->lines[at].len = answer.len;
    w->lines[at].record = record;
    w->n++;
    return true;
}

/* --- a batch ------------------------------------------------------------------------ */

static struct batch *batch_new(struct service *s, struct error *err)
{
    const struct service_options *o = s->options;

    uint64_t share = o->memory_max / WINDOW_SHARE;
    size_t window = share < WINDOW_BYTES ? (size_t)share : WINDOW_BYTES;
    if (!service_hold(s, window)) {
        error_set(err, ERROR_LIMIT, "batch: no room");
        return NULL;
    }
    struct batch *b = calloc(1, sizeof(*b));

    if (b == NULL) {
        service_release(s, window);
        error_set(err, ERROR_NO_MEMORY, "batch: no memory");
        return NULL;
    }
    b->service = s;
    b->window.max = window;
    buf_init(&b->window.bytes, WINDOW_BYTES + ANSWER_LINE_MAX);
    buf_init(&b->answer, ANSWER_LINE_MAX);
    buf_init(&b->record, DECISION_RECORD_MAX);
    b->outbox = outbox_new();
    b->answers = spool_new(o->state_directory == NULL ? "/tmp" : o->state_directory,
                           SPOOL_FACTOR * o->batch_body_max, err);
    if (b->answers == NULL || b->outbox == NULL) {
        batch_free(b);
        return NULL;
    }
    return b;
}

void batch_free(struct batch *b)
{
    if (b == NULL) {
        return;
    }
    if (b->outbox != NULL) {
        (void)pthread_mutex_lock(&b->outbox->lock);
        b->outbox->is_abandoned = true;
        outbox_leave(b->outbox);
    }
    service_release(b->service, b->window.max);
    spool_free(b->answers);
    buf_deinit(&b->window.bytes);
    buf_deinit(&b->answer);
    buf_deinit(&b->record);
    free(b);
}

static bool is_blank(struct span line)
{
    for (size_t i = 0; i < line.len; i++) {
        if (strchr(" \t\r", line.ptr[i]) == NULL) {
            return false;
        }
    }
    return true;
}

static bool answer_fault(struct batch *b, unsigned status, const char *detail, const char *pointer)
{
    struct error err;

    buf_clear(&b->answer);
    return problem_write(&b->answer, status, detail, pointer, &err) && buf_append_char(&b->answer, '\n', &err) &&
           window_make_room(b, &err) && window_put(b, buf_span(&b->answer), 0, &err);
}

/* The record goes to the log, the answer behind those before it. */
static bool deliver(struct request *r)
{
    struct batch *b = r->batch;
    enum receipts receipts = receipts_of(r->service);
    bool has_receipt = receipts == RECEIPTS_ALWAYS || (receipts == RECEIPTS_HELD && r->outcome.action != ACTION_ALLOW);
    struct error err;

    if (!window_make_room(b, &err)) {
        return false;
    }
    uint64_t record = b->n_records + 1;
    if (!post(b->outbox, r->service->log, buf_span(&b->record),
              has_receipt ? &b->outbox->receipts[record % WINDOW_LINES] : NULL)) {
        return false;
    }
    b->n_records = record;
    return buf_append_char(&b->answer, '\n', &err) && window_put(b, buf_span(&b->answer), record, &err);
}

/* One line, one answer, or an inquiry that is due; false when the whole batch cannot go on. */
static bool judge_line(struct request *r, struct worker *w, struct span line)
{
    struct batch *b = r->batch;
    struct filter_job job = {
        .service = r->service,
        .snapshot = r->snapshot,
        .body = line,
        .started_ns = clock_monotonic_ns(),
        .caller = r->caller,
        .trace = r->trace,
        .inquiry = &r->inquiry,
    };
    struct filter_fault fault;

    trace_keep_unrecorded(&job.trace);
    if (is_blank(line)) {
        return true;
    }
    if (line.len > r->service->options->batch_line_max) {
        return answer_fault(b, 413, "a line is longer than this service takes", NULL);
    }
    buf_clear(&b->answer);
    buf_clear(&b->record);
    access_conversation_owner(r, &job.owner);
    bool is_judged = filter_judge(&job, w, &r->outcome, &b->answer, &b->record, &fault);
    if (inquiry_is_due(r->inquiry)) {
        return true;
    }
    inquiry_free(TAKE(r->inquiry));
    if (!is_judged) {
        return answer_fault(b, fault.status, fault.detail, fault.pointer);
    }
    return deliver(r);
}

/* All complete lines of the body; what is left moves to its front. */
static bool judge_lines(struct request *r, struct worker *w)
{
    struct span rest = buf_span(&r->body);
    const char *end;

    while (rest.len > 0 && (end = memchr(rest.ptr, '\n', rest.len)) != NULL) {
        size_t len = (size_t)(end - rest.ptr);
        if (!judge_line(r, w, span_of(rest.ptr, len))) {
            return false;
        }
        if (inquiry_is_due(r->inquiry)) {
            break; /* it is the first line when the answer has come */
        }
        rest = span_slice(rest, len + 1, rest.len);
    }
    bool is_asking = inquiry_is_due(r->inquiry);
    if (rest.len > r->service->options->batch_line_max && !is_asking && !r->batch->is_last) {
        return false;
    }
    if (rest.len > 0) {
        memmove(r->body.data, rest.ptr, rest.len);
    }
    r->body.len = rest.len;
    return is_asking || !r->batch->is_last || judge_line(r, w, buf_span(&r->body));
}

static void answered(void *context);

static void run_block(void *context, struct worker *w)
{
    struct request *r = context;
    bool is_last = r->batch->is_last;
    struct error err;

    if (w == NULL) {
        request_overload(r, "the service is stopping");
    } else if (!judge_lines(r, w)) {
        request_overload(r, "the batch could not be judged or recorded");
    } else if (inquiry_is_due(r->inquiry)) {
        inquiry_ask(r->inquiry, r->service->supervisor, answered, r);
        return;
    }
    if (r->reply.status == 0 && !outbox_wait(r->batch->outbox, is_last ? 0 : SIZE_MAX)) {
        request_overload(r, "the batch could not be recorded");
    }
    if (r->reply.status == 0 && !window_advance(r->batch, &err)) {
        request_overload(r, "no room for the answers of the batch");
    }
    r->is_refused = r->reply.status != 0;
    if (is_last && r->reply.status == 0) {
        r->reply = (struct reply){
            .status = 200, .type = "application/x-ndjson", .content = r->batch->answers};
    }
    request_resume(r);
}

static void submit(struct request *r)
{
    r->job = (struct job){.run = run_block, .context = r};
    if (!worker_pool_submit(r->service->pool, &r->job)) {
        request_overload(r, "too many long texts are waiting");
        r->is_refused = true;
        request_resume(r);
    }
}

/* From the supervisor's thread: the block goes on at the line that waited. */
static void answered(void *context)
{
    submit(context);
}

static enum step queue(struct request *r)
{
    request_suspend(r);
    submit(r);
    return STEP_SUSPENDED;
}

static bool begin(struct request *r)
{
    struct error err;

    if (r->batch != NULL) {
        return true;
    }
    r->snapshot = service_snapshot(r->service);
    r->batch = batch_new(r->service, &err);
    if (r->batch == NULL) {
        request_overload(r, "no room for the batch at the moment");
        r->is_refused = true;
    }
    return r->batch != NULL;
}

enum step route_batch_receive(struct request *r)
{
    if (!begin(r)) {
        return STEP_MORE;
    }
    if (r->received > r->service->options->batch_body_max) {
        request_problem(r, 413, "the batch is larger than this service takes", NULL);
        r->is_refused = true;
        return STEP_MORE;
    }
    if (r->body.len < BLOCK) {
        return STEP_MORE;
    }
    if (memrchr(r->body.data, '\n', r->body.len) == NULL) {
        if (r->body.len > r->service->options->batch_line_max) {
            request_problem(r, 413, "a line of the batch is longer than this service takes", NULL);
            r->is_refused = true;
        }
        return STEP_MORE;
    }
    return queue(r);
}

enum step route_batch_run(struct request *r)
{
    if (!begin(r)) {
        return STEP_ANSWERED;
    }
    r->batch->is_last = true;
    return queue(r);
}
