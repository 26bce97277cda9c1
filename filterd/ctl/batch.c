#include "ctl/batch.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/lines.h"

enum { BATCHES_PER_THREAD = 4, OUTPUT_MAX = 1 << 30, PROBLEMS_MAX = 64 * 1024 * 1024 };

struct slot {
    struct batch *batch; /* the first of a chain */
    bool is_done;
};

struct batches {
    struct batch_task task;
    pthread_mutex_t lock;
    pthread_cond_t work, done;
    struct slot *slots; /* a ring: [first, last) are in flight, [first, next) taken by threads */
    size_t n_slots, first, next, last;
    struct seen prints; /* empty; has the key of those of the batches */
    struct batch *chain, *chain_last; /* not in the ring yet */
    size_t chain_n, chain_bytes;
    bool is_stopping;
    pthread_t *threads;
    struct worker **workers;
    unsigned n_threads, max_threads;
};

static struct batch *batch_new(const struct batches *p, const char *file, size_t first_line, struct error *err)
{
    struct batch *b = calloc(1, sizeof(*b));
    char *name = strdup(file);

    if (b == NULL || name == NULL) {
        free(b);
        free(name);
        error_set(err, ERROR_NO_MEMORY, "%s: no memory", file);
        return NULL;
    }
    b->file = name;
    b->first_line = first_line;
    buf_init(&b->input, LINE_MAX_BYTES + 2 * LINES_BATCH);
    buf_init(&b->output, OUTPUT_MAX);
    buf_init(&b->findings, OUTPUT_MAX);
    buf_init(&b->problems, PROBLEMS_MAX);
    seen_init_like(&b->prints, &p->prints);
    return b;
}

static void release_contents(struct batch *b)
{
    content_release(b->blob.content);
    content_release(b->blob.before);
    b->blob.content = b->blob.before = NULL;
}

void batch_deinit(struct batch *b)
{
    buf_deinit(&b->input);
    buf_deinit(&b->output);
    buf_deinit(&b->findings);
    buf_deinit(&b->problems);
    seen_deinit(&b->prints);
    release_contents(b);
    free(b->file);
    b->file = NULL;
}

void batch_take(struct batch *to, struct batch *from)
{
    release_contents(from);
    *to = (struct batch){.file = from->file, .blob = from->blob, .output = from->output, .findings = from->findings,
                         .problems = from->problems, .totals = from->totals};
    from->file = NULL;
    buf_init(&from->output, 0);
    buf_init(&from->findings, 0);
    buf_init(&from->problems, 0);
}

static void batch_free(struct batch *b)
{
    if (b != NULL) {
        batch_deinit(b);
        free(b);
    }
}

static void chain_free(struct batch *first)
{
    while (first != NULL) {
        struct batch *next = first->next;
        batch_free(first);
        first = next;
    }
}

void batch_problem(struct batch *b, enum problem_kind kind, size_t line, const char *reason)
{
    struct report_problem p = {.kind = kind, .line = line};
    struct error err;

    size_t len = strlen(b->file);
    bool is_named =
        strncmp(reason, b->file, len) == 0 && reason[len] == ':'; /* the report names it, too */
    (void)snprintf(p.reason, sizeof(p.reason), "%s",
                   is_named ? reason + len + 1 + strspn(reason + len + 1, " ") : reason);
    if (kind == PROBLEM_SKIPPED) {
        b->totals.skipped++;
    } else {
        b->totals.unjudged++;
    }
    /* Past the ceiling the count still tells. */
    if (!buf_append(&b->problems, span_of((const char *)&p, sizeof(p)), &err)) {
        return;
    }
}

/* --- threads -------------------------------------------------------------- */

struct thread_start {
    struct batches *batches;
    struct worker *worker;
};

static void *thread_main(void *argument)
{
    struct thread_start start = *(struct thread_start *)argument;
    struct batches *p = start.batches;

    free(argument);
    (void)pthread_mutex_lock(&p->lock);
    for (;;) {
        while (p->next == p->last && !p->is_stopping) {
            (void)pthread_cond_wait(&p->work, &p->lock);
        }
        if (p->next == p->last) {
            break;
        }
        struct slot *slot = &p->slots[p->next++ % p->n_slots];
        struct batch *batch = slot->batch;
        (void)pthread_mutex_unlock(&p->lock);
        p->task.run(p->task.context, start.worker, batch);
        for (struct batch *b = batch; b != NULL; b = b->next) {
            buf_deinit(&b->input);
        }
        (void)pthread_mutex_lock(&p->lock);
        slot->is_done = true;
        (void)pthread_cond_signal(&p->done);
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool start_thread(struct batches *p, struct error *err)
{
    struct worker_limits limits = worker_limits_default();
    struct thread_start *start = malloc(sizeof(*start));
    struct worker *worker = worker_new(&limits, p->task.keys, err);

    if (start == NULL || worker == NULL) {
        free(start);
        worker_free(worker);
        return worker == NULL ? false : error_set(err, ERROR_NO_MEMORY, "threads: no memory");
    }
    *start = (struct thread_start){.batches = p, .worker = worker};
    if (pthread_create(&p->threads[p->n_threads], NULL, thread_main, start) != 0) {
        free(start);
        worker_free(worker);
        return error_set(err, ERROR_SYSTEM, "threads: cannot start one");
    }
    p->workers[p->n_threads++] = worker;
    return true;
}

struct batches *batches_new(unsigned jobs, const struct batch_task *task, struct error *err)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    unsigned max = jobs != 0 ? jobs : online > 0 ? (unsigned)online : 1;
    struct batches *p = calloc(1, sizeof(*p));

    if (p != NULL) {
        *p = (struct batches){
            .task = *task, .max_threads = max, .n_slots = (size_t)max * BATCHES_PER_THREAD};
        seen_init(&p->prints);
        (void)pthread_mutex_init(&p->lock, NULL);
        (void)pthread_cond_init(&p->work, NULL);
        (void)pthread_cond_init(&p->done, NULL);
        p->slots = calloc(p->n_slots, sizeof(*p->slots));
        p->threads = calloc(max, sizeof(*p->threads));
        p->workers = calloc(max, sizeof(struct worker *));
    }
    if (p == NULL || p->slots == NULL || p->threads == NULL || p->workers == NULL) {
        batches_free(p);
        error_set(err, ERROR_NO_MEMORY, "threads: no memory");
        return NULL;
    }
    return p;
}

void batches_free(struct batches *p)
{
    if (p == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    (void)pthread_cond_broadcast(&p->work);
    (void)pthread_mutex_unlock(&p->lock);
    for (unsigned i = 0; i < p->n_threads; i++) {
        (void)pthread_join(p->threads[i], NULL);
        worker_free(p->workers[i]);
    }
    for (size_t i = p->first; i < p->last; i++) {
        chain_free(p->slots[i % p->n_slots].batch);
    }
    chain_free(p->chain);
    seen_deinit(&p->prints);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_cond_destroy(&p->done);
    (void)pthread_mutex_destroy(&p->lock);
    free(p->slots);
    free(p->threads);
    free(p->workers);
    free(p);
}

/* --- giving and taking ------------------------------------------------------ */

/* Waits for the oldest chain, which is then the caller's. */
static struct batch *take_oldest(struct batches *p)
{
    struct slot *slot = &p->slots[p->first % p->n_slots];

    (void)pthread_mutex_lock(&p->lock);
    while (!slot->is_done) {
        (void)pthread_cond_wait(&p->done, &p->lock);
    }
    struct batch *batch = slot->batch;
    *slot = (struct slot){0};
    p->first++;
    (void)pthread_mutex_unlock(&p->lock);
    return batch;
}

static bool sink_oldest(struct batches *p, struct error *err)
{
    struct batch *first = take_oldest(p);
    bool is_ok = true;

    for (struct batch *b = first; is_ok && b != NULL; b = b->next) {
        is_ok = p->task.sink(p->task.context, b, err);
    }
    chain_free(first);
    return is_ok;
}

/* Takes the chain over, also on failure. */
static bool add(struct batches *p, struct batch *first, struct error *err)
{
    if (p->last - p->first == p->n_slots && !sink_oldest(p, err)) {
        chain_free(first);
        return false;
    }
    if (p->n_threads < p->max_threads && p->last - p->first >= p->n_threads &&
        !start_thread(p, err)) {
        chain_free(first);
        return false;
    }
    (void)pthread_mutex_lock(&p->lock);
    p->slots[p->last++ % p->n_slots] = (struct slot){.batch = first};
    (void)pthread_cond_signal(&p->work);
    (void)pthread_mutex_unlock(&p->lock);
    return true;
}

static bool add_chain(struct batches *p, struct error *err)
{
    struct batch *first = p->chain;

    p->chain = p->chain_last = NULL;
    p->chain_n = p->chain_bytes = 0;
    return first == NULL || add(p, first, err);
}

/* Takes the batch over. The same ones are in one chain each time, however many threads there are. */
static bool add_to_chain(struct batches *p, struct batch *batch, struct error *err)
{
    if (p->chain == NULL) {
        p->chain = batch;
    } else {
        p->chain_last->next = batch;
    }
    p->chain_last = batch;
    p->chain_n++;
    p->chain_bytes += batch->blob.content != NULL ? batch->blob.content->len : 0;
    return (p->chain_n < BATCH_CHAIN_MAX && p->chain_bytes < BATCH_CHAIN_BYTES) || add_chain(p, err);
}

bool batches_drain(struct batches *p, struct error *err)
{
    if (!add_chain(p, err)) {
        return false;
    }
    while (p->first != p->last) {
        if (!sink_oldest(p, err)) {
            return false;
        }
    }
    return true;
}

bool batches_add_file(struct batches *p, const char *file, struct error *err)
{
    struct batch *batch = batch_new(p, file, 0, err);

    return batch != NULL && add(p, batch, err);
}

bool batches_add_blob(struct batches *p, const char *file, const struct batch_blob *blob, struct error *err)
{
    struct batch *batch = batch_new(p, file, 0, err);

    if (batch == NULL) {
        content_release(blob->content);
        content_release(blob->before);
        return false;
    }
    batch->blob = *blob;
    return add_to_chain(p, batch, err);
}

bool batches_add_problem(struct batches *p, const char *file, const struct batch_blob *blob, const char *reason,
                         struct error *err)
{
    struct batch *batch = batch_new(p, file, 1, err); /* no lines: nothing to judge */

    if (batch == NULL) {
        return false;
    }
    batch->blob = *blob;
    batch_problem(batch, PROBLEM_UNJUDGED, 0, reason);
    return add_to_chain(p, batch, err);
}

static bool add_next_lines(struct batches *p, struct lines *lines, bool *is_end, struct error *err)
{
    struct batch *batch = batch_new(p, lines->name, 1, err);

    if (batch == NULL) {
        return false;
    }
    if (lines_would_wait(lines) && !batches_drain(p, err)) {
        batch_free(batch);
        return false;
    }
    if (!lines_next(lines, &batch->input, &batch->first_line, err)) {
        /* What cannot be read counts against this input alone; the others are still judged. */
        batch_problem(batch, PROBLEM_UNJUDGED, lines->line, err->text);
        buf_clear(&batch->input);
        *is_end = true;
        return add(p, batch, err);
    }
    *is_end = batch->input.len == 0;
    if (*is_end) {
        batch_free(batch);
        return true;
    }
    return add(p, batch, err);
}

bool batches_add_lines(struct batches *p, const char *file, struct error *err)
{
    struct lines lines CLEANUP(lines_close);
    bool is_end = false;

    if (!lines_open(&lines, file, err)) {
        struct batch *batch = batch_new(p, file, 1, err);
        if (batch == NULL) {
            return false;
        }
        batch_problem(batch, PROBLEM_UNJUDGED, 0, err->text);
        return add(p, batch, err);
    }
    while (!is_end) {
        if (!add_next_lines(p, &lines, &is_end, err)) {
            return false;
        }
    }
    return true;
}
