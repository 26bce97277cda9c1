#include "decision_log/decision_proof.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/thread.h"
#include "record/checkpoint_store.h"
#include "record/signer.h"

enum { STEP = 256 * 1024 };

_Static_assert(STEP > 2 * DECISION_LINE_MAX, "a whole line fits behind the rest of the one before");

/* A part of a file that is on disk. */
struct extent {
    int fd; /* -1: there is none */
    off_t at, to;
};

struct decision_proof {
    const struct decision_proving *proving;
    char record[PATH_MAX], origin[DECISION_TEXT_MAX + 1];
    atomic_bool is_healthy;
    _Atomic uint64_t signed_size;
    uint64_t signed_before; /* of signed_size, when it was opened */
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t mutex; /* guards what follows, never held across a call that may block */
    pthread_cond_t work, tried;
    struct decision_file old; /* fd -1: none */
    int fd;
    off_t to;        /* of the lines of that file that are on disk */
    bool is_asleep;  /* without an end: the next line has to wake it */
    bool is_asked;   /* a checkpoint is wanted now */
    bool is_stopping;
    uint64_t tries;  /* how often it was tried to prove what had been published then */
    struct error last_error;
    bool has_failed; /* the last try */

    /* The thread's. */
    struct tile_writer *tiles;
    struct extent now, before; /* of the current file, of the one before it */
    char *bytes;               /* STEP */
    bool is_broken;            /* lines or signer are not what they must be: this process proves nothing more */
};

/* --- hashing --------------------------------------------------------------------- */

static bool add_lines(struct decision_proof *p, struct span bytes, size_t *taken, struct error *err)
{
    struct tree_hash leaf;
    uint64_t seq;

    for (*taken = 0;;) {
        const char *newline = memchr(bytes.ptr + *taken, '\n', bytes.len - *taken);
        if (newline == NULL) {
            return true;
        }
        struct span line = span_slice(bytes, *taken, (size_t)(newline - bytes.ptr));
        if (!log_line_seq(line, &seq) || seq != tile_writer_size(p->tiles) + 1) {
            p->is_broken = true;
            return error_set(err, ERROR_INVALID, "line %" PRIu64 " is not in the file as it was written",
                             tile_writer_size(p->tiles) + 1);
        }
        tree_hash_leaf(line, &leaf);
        bool is_added = tile_writer_add(p->tiles, &leaf, err);
        *taken += tile_writer_size(p->tiles) == seq ? line.len + 1 : 0; /* also when its tile could not be written */
        if (!is_added) {
            return false;
        }
    }
}

static bool hash_extent(struct decision_proof *p, struct extent *e, struct error *err)
{
    while (e->fd >= 0 && e->at < e->to) {
        size_t len = e->to - e->at < STEP ? (size_t)(e->to - e->at) : STEP, taken = 0;
        ssize_t n = pread(e->fd, p->bytes, len, e->at);
        if (n < 0) {
            return error_errno(err, "read");
        }
        bool is_added = add_lines(p, span_of(p->bytes, (size_t)n), &taken, err);
        e->at += (off_t)taken;
        if (!is_added) {
            return false;
        }
        if (taken == 0) {
            p->is_broken = true;
            return error_set(err, ERROR_INVALID, "line %" PRIu64 " is not in the file any more",
                             tile_writer_size(p->tiles) + 1);
        }
    }
    return true;
}

/* --- checkpoints ----------------------------------------------------------------- */

/* From what the signer signed last: where that is more than is known here, as a crash came between signing and storing, it
 * says so, and is asked once more. */
static bool sign(struct decision_proof *p, struct span text, struct tree_source source, struct buf *note, struct error *err)
{
    uint64_t size = tile_writer_size(p->tiles), old = atomic_load(&p->signed_size), signed_size = old;
    struct tree_proof proof;

    for (unsigned tries = 0; tries < 2; tries++) {
        if (!tree_prove_consistency(&source, old, size, &proof, err)) {
            return false;
        }
        if (signer_sign(p->proving->signer, text, old, &proof, note, &signed_size, err)) {
            return true;
        }
        if (err->kind != ERROR_DENIED || signed_size == old || signed_size > size) {
            break;
        }
        old = signed_size;
    }
    p->is_broken = err->kind != ERROR_LIMIT;
    return false;
}

static bool make_checkpoint(struct decision_proof *p, struct error *err)
{
    struct buf text CLEANUP(buf_deinit), note CLEANUP(buf_deinit);
    uint64_t size = tile_writer_size(p->tiles);
    struct tree_hash root;

    buf_init(&text, CHECKPOINT_TEXT_MAX);
    buf_init(&note, NOTE_MAX);
    tile_writer_root(p->tiles, &root);
    if (!tile_writer_commit(p->tiles, err) || !checkpoint_format(span_str(p->origin), size, &root, &text, err)) {
        return false;
    }
    struct tile_reader *reader = tile_reader_open(p->record, size, err);
    bool is_made = reader != NULL && sign(p, buf_span(&text), tile_reader_source(reader), &note, err) &&
                   checkpoint_store_add(p->record, buf_span(&note), err);
    tile_reader_close(reader);
    if (is_made) {
        atomic_store(&p->signed_size, size);
    }
    return is_made;
}

static bool prove(struct decision_proof *p, struct error *err)
{
    if (p->is_broken) {
        *err = p->last_error;
        return false;
    }
    return hash_extent(p, &p->before, err) && hash_extent(p, &p->now, err) &&
           (tile_writer_size(p->tiles) == atomic_load(&p->signed_size) || make_checkpoint(p, err));
}

/* --- the thread ------------------------------------------------------------------ */

static bool has_work(const struct decision_proof *p)
{
    return p->to > p->now.at || p->old.fd >= 0 || p->fd != p->now.fd;
}

/* Lines are let gather until a second after the last try. */
static void wait_for_work(struct decision_proof *p, int64_t next_ms)
{
    while (!p->is_stopping && !p->is_asked && p->old.fd < 0) {
        bool is_due = has_work(p) || p->has_failed || tile_writer_size(p->tiles) != atomic_load(&p->signed_size);
        if (is_due && clock_monotonic_ms() >= next_ms) {
            return;
        }
        if (is_due) {
            const struct timespec until = clock_timespec(next_ms * 1000000);
            (void)pthread_cond_timedwait(&p->work, &p->mutex, &until);
        } else {
            p->is_asleep = true;
            (void)pthread_cond_wait(&p->work, &p->mutex);
            p->is_asleep = false;
        }
    }
}

/* What is to be proven now: the rest of an old file, and what is on disk of the current one. */
static void take_extents(struct decision_proof *p)
{
    if (p->old.fd >= 0 && p->before.fd < 0) {
        p->before = (struct extent){.fd = p->old.fd, .at = p->now.at, .to = p->old.synced};
        p->now = (struct extent){.fd = p->fd};
    }
    p->now.fd = p->fd;
    p->now.to = p->to;
}

static void notice(const struct decision_proof *p, bool has_worked, const struct error *err)
{
    if (p->proving->notice != NULL && has_worked != atomic_load(&p->is_healthy)) {
        p->proving->notice(p->proving->context, has_worked ? "the proof goes on" : err->text);
    }
}

/* One try; false when there will be no other. */
static bool work(struct decision_proof *p, int64_t *next_ms)
{
    struct error err = {.text = ""};

    (void)pthread_mutex_lock(&p->mutex);
    wait_for_work(p, *next_ms);
    bool is_last = p->is_stopping;
    p->is_asked = false;
    take_extents(p);
    (void)pthread_mutex_unlock(&p->mutex);

    bool is_proven = prove(p, &err);
    *next_ms = clock_monotonic_ms() + DECISION_PROOF_MS;
    notice(p, is_proven, &err);
    atomic_store(&p->is_healthy, is_proven);

    (void)pthread_mutex_lock(&p->mutex);
    p->has_failed = !is_proven;
    p->last_error = err;
    p->tries++;
    struct decision_file done = {.fd = -1};
    /* A file whose lines cannot be proven is let go: its lines stay on disk, and the next start looks for them. */
    if (p->before.fd >= 0 && (is_proven || p->is_broken)) {
        done = p->old;
        p->old.fd = p->before.fd = -1;
    }
    (void)pthread_cond_broadcast(&p->tried);
    (void)pthread_mutex_unlock(&p->mutex);
    decision_file_close(&done);
    return !is_last;
}

static void *run(void *proof)
{
    int64_t next_ms = clock_monotonic_ms();

    while (work(proof, &next_ms)) {
    }
    return NULL;
}

struct decision_proof *decision_proof_new(const struct decision_place *place, const struct decision_proving *proving,
                                          const char *origin, struct decision_start *start, const struct decision_file *f,
                                          struct error *err)
{
    struct decision_proof *p = calloc(1, sizeof(*p));
    char *bytes = malloc(STEP);

    if (bytes != NULL) {
        memset(bytes, 0, STEP); /* its memory is there from the start, not when the load comes */
    }
    if (p == NULL || bytes == NULL || !condition_init(&p->work) || pthread_cond_init(&p->tried, NULL) != 0 ||
        pthread_mutex_init(&p->mutex, NULL) != 0) {
        tile_writer_close(TAKE(start->tiles));
        free(p);
        free(bytes);
        error_set(err, ERROR_NO_MEMORY, "record: no memory");
        return NULL;
    }
    p->proving = proving;
    (void)snprintf(p->record, sizeof(p->record), "%s", place->record);
    (void)snprintf(p->origin, sizeof(p->origin), "%s", origin);
    p->tiles = TAKE(start->tiles);
    p->bytes = bytes;
    p->old.fd = p->before.fd = -1;
    p->fd = p->now.fd = f->fd;
    p->to = p->now.at = p->now.to = f->synced;
    atomic_init(&p->signed_size, start->signed_size);
    p->signed_before = start->signed_size;
    atomic_init(&p->is_healthy, true);
    if (!checkpoint_store_repair(place->record, err) || !(p->has_thread = thread_start(&p->thread, run, p, err))) {
        (void)decision_proof_close(p, err);
        return NULL;
    }
    return p;
}

bool decision_proof_close(struct decision_proof *p, struct error *err)
{
    if (p == NULL) {
        return true;
    }
    if (p->has_thread) {
        (void)pthread_mutex_lock(&p->mutex);
        p->is_stopping = true;
        (void)pthread_cond_signal(&p->work);
        (void)pthread_mutex_unlock(&p->mutex);
        (void)pthread_join(p->thread, NULL);
    }
    bool is_proven = !p->has_failed;
    if (!is_proven) {
        *err = p->last_error;
    }
    decision_file_close(&p->old);
    tile_writer_close(p->tiles);
    (void)pthread_cond_destroy(&p->work);
    (void)pthread_cond_destroy(&p->tried);
    (void)pthread_mutex_destroy(&p->mutex);
    free(p->bytes);
    free(p);
    return is_proven;
}

void decision_proof_publish(struct decision_proof *p, const struct decision_file *f)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->to = f->synced;
    bool must_wake = p->is_asleep;
    (void)pthread_mutex_unlock(&p->mutex);
    if (must_wake) {
        (void)pthread_cond_signal(&p->work);
    }
}

bool decision_proof_can_switch(struct decision_proof *p)
{
    (void)pthread_mutex_lock(&p->mutex);
    bool can_switch = p->old.fd < 0;
    (void)pthread_mutex_unlock(&p->mutex);
    return can_switch;
}

void decision_proof_switch(struct decision_proof *p, struct decision_file *old, const struct decision_file *next)
{
    (void)pthread_mutex_lock(&p->mutex);
    p->old = *old;
    p->fd = next->fd;
    p->to = 0;
    (void)pthread_cond_signal(&p->work);
    (void)pthread_mutex_unlock(&p->mutex);
    old->fd = -1;
}

bool decision_proof_wait(struct decision_proof *p, struct error *err)
{
    (void)pthread_mutex_lock(&p->mutex);
    /* The try that is running may have begun before what is wanted was published. */
    uint64_t enough = p->tries + 2;
    while (p->tries < enough) {
        p->is_asked = true;
        (void)pthread_cond_signal(&p->work);
        (void)pthread_cond_wait(&p->tried, &p->mutex);
    }
    bool is_proven = !p->has_failed;
    if (!is_proven) {
        *err = p->last_error;
    }
    (void)pthread_mutex_unlock(&p->mutex);
    return is_proven;
}

bool decision_proof_is_healthy(const struct decision_proof *p)
{
    return atomic_load(&p->is_healthy);
}

uint64_t decision_proof_signed(const struct decision_proof *p)
{
    return atomic_load(&p->signed_size);
}

uint64_t decision_proof_signed_before(const struct decision_proof *p)
{
    return p->signed_before;
}
