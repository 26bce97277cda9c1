/* judge_arrow.c - filterd_judge_arrow: threads judge blocks of rows, whose results are put in order. */
#include <stdatomic.h>
#include <unistd.h>

#include "base/thread.h"
#include "library/texts.h"
#include "library/verdicts.h"

enum { THREADS_MAX = IDLE_WORKERS_MAX, BLOCKS_A_THREAD = 8 };

struct block {
    size_t from, to; /* rows */
    struct rows rows;
};

/* What the threads of one call share: each takes the next block. */
struct work {
    struct filterd_engine *engine;
    struct texts texts;
    bool with_text;
    struct block *blocks;
    size_t n_blocks;
    atomic_size_t next;
    atomic_bool is_failed;
    pthread_mutex_t lock; /* of err, the first failure */
    struct error err;
};

static void fail(struct work *work, const struct error *err)
{
    pthread_mutex_lock(&work->lock);
    if (!atomic_exchange(&work->is_failed, true)) {
        work->err = *err;
    }
    pthread_mutex_unlock(&work->lock);
}

static bool judge_rows(const struct work *work, struct filterd_worker *w, struct block *b, struct error *err)
{
    struct exchange x;
    struct span text;
    bool is_good = true;

    for (size_t i = b->from; is_good && i < b->to; i++) {
        if (!texts_get(&work->texts, i, &text)) {
            is_good = rows_add_null(&b->rows, err);
        } else {
            engine_judge(w, text, &x);
            is_good = rows_add(&b->rows, work->engine, &x, work->with_text, err);
        }
    }
    return is_good;
}

static void *judge_blocks(void *context)
{
    struct work *work = context;
    struct error err;
    struct filterd_worker *w = engine_take_worker(work->engine, &err);

    if (w == NULL) {
        fail(work, &err);
        return NULL;
    }
    for (size_t i = atomic_fetch_add(&work->next, 1); i < work->n_blocks && !work->is_failed; i = atomic_fetch_add(&work->next, 1)) {
        if (!judge_rows(work, w, &work->blocks[i], &err)) {
            fail(work, &err);
        }
    }
    engine_give_worker(work->engine, w);
    return NULL;
}

/* The caller's thread takes part, so that the work is done even if no other can start. */
static void run_threads(struct work *work, unsigned n)
{
    pthread_t threads[THREADS_MAX];
    struct error err;
    unsigned started = 0;

    while (started + 1 < n && thread_start(&threads[started], judge_blocks, work, &err)) {
        started++;
    }
    (void)judge_blocks(work);
    for (unsigned i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
}

static unsigned count_threads(unsigned wanted, size_t rows)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = wanted > 0 ? wanted : processors > 0 ? (size_t)processors : 1;

    n = n < THREADS_MAX ? n : THREADS_MAX;
    return (unsigned)(n < rows ? n : rows > 0 ? rows : 1);
}

static bool make_blocks(struct work *work, unsigned threads, struct error *err)
{
    size_t rows = work->texts.n;
    size_t n = threads > 1 ? (size_t)threads * BLOCKS_A_THREAD : 1;

    work->n_blocks = n < rows ? n : rows > 0 ? rows : 1;
    work->blocks = calloc(work->n_blocks, sizeof(*work->blocks));
    if (work->blocks == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory for the result");
    }
    for (size_t i = 0; i < work->n_blocks; i++) {
        work->blocks[i].from = rows * i / work->n_blocks;
        work->blocks[i].to = rows * (i + 1) / work->n_blocks;
        rows_init(&work->blocks[i].rows, work->texts.kind == TEXTS_LARGE_UTF8);
    }
    return true;
}

static bool join_blocks(struct work *work, struct error *err)
{
    bool is_good = true;

    for (size_t i = 1; is_good && i < work->n_blocks; i++) {
        is_good = rows_move(&work->blocks[0].rows, &work->blocks[i].rows, err);
    }
    return is_good;
}

static bool judge_texts(struct work *work, unsigned threads, struct arrow_node *out, struct error *err)
{
    struct verdicts_form form = {.with_text = work->with_text, .has_large_text = work->texts.kind == TEXTS_LARGE_UTF8};

    run_threads(work, threads);
    if (work->is_failed) {
        *err = work->err;
        return false;
    }
    return join_blocks(work, err) && verdicts_node(out, work->engine, &work->blocks[0].rows, &form, err);
}

static bool judge_array(struct work *work, unsigned threads, struct arrow_node *out, struct error *err)
{
    threads = count_threads(threads, work->texts.n);
    if (!make_blocks(work, threads, err)) {
        return false;
    }
    pthread_mutex_init(&work->lock, NULL);
    bool is_good = judge_texts(work, threads, out, err);
    pthread_mutex_destroy(&work->lock);
    for (size_t i = 0; i < work->n_blocks; i++) {
        rows_deinit(&work->blocks[i].rows);
    }
    free(work->blocks);
    return is_good;
}

int filterd_judge_arrow(filterd_engine *engine, struct ArrowArray *in, const struct ArrowSchema *schema, unsigned threads, uint32_t flags,
                        struct ArrowArray *out, struct ArrowSchema *out_schema, char *error, size_t error_size)
{
    struct work work = {.engine = engine, .with_text = (flags & FILTERD_NO_TEXT) == 0};
    struct arrow_node node;
    struct error err;

    bool is_good = engine_is_here(engine, &err) && texts_open(in, schema, &work.texts, &err) && judge_array(&work, threads, &node, &err);
    if (in->release != NULL) {
        in->release(in);
    }
    if (!is_good) {
        engine_report(&err, error, error_size);
        return -1;
    }
    arrow_node_export(&node, out, out_schema);
    return 0;
}
