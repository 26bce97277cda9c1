#include "witness/push.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "record/add_checkpoint.h"
#include "record/checkpoint_store.h"
#include "record/note_text.h"
#include "record/tiles.h"
#include "witness/push_call.h"

struct push_witness {
    const struct log_policy_member *member;
    struct push_call call;
    uint64_t size;     /* of the checkpoint that it cosigned last, as far as known */
    bool has_newest;   /* it has cosigned the one of this round */
    bool is_retried;   /* of this round */
    bool has_failed;   /* the round before */
    _Atomic uint64_t behind_ns; /* since when, by the monotonic clock; 0: not */
};

struct push {
    struct push_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    bool is_stopping; /* under the lock */
    struct push_calls *calls;
    char origin[CHECKPOINT_ORIGIN_MAX + 1]; /* whose sizes are known */
    _Atomic uint64_t quorum_behind_ns;
    struct push_witness witnesses[LOG_POLICY_MEMBERS_MAX];
};

/* What one round is about. */
struct round {
    struct buf note, cosignatures;
    struct checkpoint checkpoint;
    struct tile_reader *tiles;
};

/* --- the file --------------------------------------------------------------- */

/* Adds the lines of witnesses that the file has for this checkpoint already. */
static bool keep_known(const struct push *p, struct round *r, struct error *err)
{
    struct checkpoint known;
    struct buf bytes;
    bool is_kept = true;

    buf_init(&bytes, PUSH_COSIGNED_MAX);
    if (checkpoint_store_cosigned(p->options.record, &bytes, err) && checkpoint_parse(buf_span(&bytes), &known, err) &&
        span_equal(known.note.text, r->checkpoint.note.text)) {
        for (size_t i = 0; is_kept && i < known.note.n; i++) {
            struct span line = known.note.list[i].line;
            bool is_there = memmem(r->note.data, r->note.len, line.ptr, line.len) != NULL;
            is_kept = is_there || buf_append(&r->cosignatures, line, err);
        }
    }
    buf_deinit(&bytes);
    return is_kept;
}

static bool write_cosigned(const struct push *p, struct round *r, struct error *err)
{
    return keep_known(p, r, err) && buf_append(&r->note, buf_span(&r->cosignatures), err) &&
           checkpoint_store_set_cosigned(p->options.record, buf_span(&r->note), err);
}

/* --- one witness ------------------------------------------------------------- */

static void say_failed(struct push_witness *w, const char *why)
{
    if (!w->has_failed) {
        log_warn("record: witness=" SPAN_FMT " has not cosigned: %s", SPAN_ARG(w->member->name), why);
    }
    w->has_failed = true;
}

static void ask(struct push *p, struct push_witness *w, struct round *r)
{
    struct tree_source source = tile_reader_source(r->tiles);
    struct tree_proof proof;
    struct error err;

    buf_clear(&w->call.request);
    if (!tree_prove_consistency(&source, w->size, r->checkpoint.size, &proof, &err) ||
        !add_checkpoint_format(w->size, &proof, buf_span(&r->note), &w->call.request, &err) ||
        !push_calls_add(p->calls, &w->call, &err)) {
        say_failed(w, err.text);
    }
}

/* The cosignature of this witness alone: whatever else it sent is not looked at. */
static bool take_cosignature(const struct push_witness *w, struct round *r)
{
    const struct note_key *key = &w->member->key;
    struct note note;
    struct error err;

    if (!note_parse_signatures(buf_span(&w->call.answer), &note, &err)) {
        return false;
    }
    note.text = r->checkpoint.note.text;
    if (note_verify(&note, key, NULL) != NOTE_GOOD) {
        return false;
    }
    for (size_t i = 0; i < note.n; i++) {
        const struct note_signature *s = &note.list[i];
        if (span_is(s->name, key->name) && memcmp(s->id, key->id, NOTE_KEY_ID) == 0) {
            return buf_append(&r->cosignatures, s->line, &err);
        }
    }
    return false;
}

/* 409: it knows another size. True: asked again from there. */
static bool try_again(struct push *p, struct push_witness *w, struct round *r)
{
    struct span body = buf_span(&w->call.answer), line;
    uint64_t size;

    if (w->is_retried || !note_take_line(&body, &line) || !note_read_number(line, &size)) {
        return false;
    }
    if (size > r->checkpoint.size) {
        if (w->has_failed) {
            return false;
        }
        log_error("record: witness=" SPAN_FMT " has cosigned %" PRIu64 " lines of this log, which has %" PRIu64
                  ": lines were lost, or the log was forked",
                  SPAN_ARG(w->member->name), size, r->checkpoint.size);
        return false;
    }
    w->is_retried = true;
    w->size = size;
    ask(p, w, r);
    return true;
}

static void finish(struct push *p, struct push_witness *w, struct round *r)
{
    char status[40];

    if (w->call.status == 409 && try_again(p, w, r)) {
        return;
    }
    if (w->call.status == 200 && take_cosignature(w, r)) {
        if (w->has_failed) {
            log_info("record: witness=" SPAN_FMT " has cosigned", SPAN_ARG(w->member->name));
        }
        w->has_failed = false;
        w->has_newest = true;
        w->size = r->checkpoint.size;
        return;
    }
    (void)snprintf(status, sizeof(status), "status %ld", w->call.status);
    say_failed(w, w->call.status == 200 ? "no signature of its key" : w->call.status != 0 ? status : w->call.why);
}

/* --- a round ------------------------------------------------------------------ */

static void set_behind(_Atomic uint64_t *since, bool is_behind)
{
    uint64_t was = atomic_load(since);

    if (!is_behind) {
        atomic_store(since, 0);
    } else if (was == 0) {
        atomic_store(since, clock_monotonic_ns());
    }
}

/* Without a quorum no cosignature is awaited. */
static void look_at_quorum(struct push *p, struct span note)
{
    struct log_policy_result result;
    struct checkpoint c;
    struct error err;
    bool is_quorum = false;

    bool is_read = checkpoint_parse(note, &c, &err) &&
                   log_policy_witnesses(&p->options.witnesses->policy, &c, &result, &is_quorum, &err);
    bool is_awaited = p->options.witnesses->policy.has_quorum;
    set_behind(&p->quorum_behind_ns, is_awaited && !(is_read && is_quorum));
    if (is_awaited && is_read && is_quorum && p->options.cosigned != NULL) {
        p->options.cosigned(p->options.context, c.size);
    }
}

/* What the file says of the newest checkpoint: after a start, and for witnesses that have it. */
static void look_at_known(struct push *p, const struct round *r)
{
    struct checkpoint known;
    struct error err;
    struct buf bytes;

    buf_init(&bytes, PUSH_COSIGNED_MAX);
    bool is_there = checkpoint_store_cosigned(p->options.record, &bytes, &err) && checkpoint_parse(buf_span(&bytes), &known, &err) &&
                    span_equal(known.origin, r->checkpoint.origin);
    bool is_newest = is_there && span_equal(known.note.text, r->checkpoint.note.text);
    for (size_t i = 0; i < p->options.witnesses->policy.n_members; i++) {
        struct push_witness *w = &p->witnesses[i];
        bool has_signed = is_there && !w->member->is_group && note_verify(&known.note, &w->member->key, NULL) == NOTE_GOOD;
        w->has_newest = has_signed && is_newest;
        if (has_signed && known.size > w->size) {
            w->size = known.size;
        }
    }
    look_at_quorum(p, is_newest ? buf_span(&bytes) : (struct span){NULL, 0});
    buf_deinit(&bytes);
}

static bool read_newest(struct push *p, struct round *r, struct error *err)
{
    if (!checkpoint_store_newest(p->options.record, &r->note, err) || !checkpoint_parse(buf_span(&r->note), &r->checkpoint, err)) {
        return false;
    }
    if (!span_is(r->checkpoint.origin, p->origin)) { /* another log: nothing is known of it */
        (void)snprintf(p->origin, sizeof(p->origin), SPAN_FMT, SPAN_ARG(r->checkpoint.origin));
        for (size_t i = 0; i < LOG_POLICY_MEMBERS_MAX; i++) {
            p->witnesses[i].size = 0;
        }
    }
    r->tiles = tile_reader_open(p->options.record, r->checkpoint.size, err);
    return r->tiles != NULL;
}

static void ask_all(struct push *p, struct round *r)
{
    size_t n = p->options.witnesses->policy.n_members;

    look_at_known(p, r);
    for (size_t i = 0; i < n; i++) {
        struct push_witness *w = &p->witnesses[i];
        w->is_retried = false;
        set_behind(&w->behind_ns, !w->member->is_group && !w->has_newest);
        if (!w->member->is_group && !w->has_newest) {
            ask(p, w, r);
        }
    }
    for (struct push_call *call; (call = push_calls_next(p->calls)) != NULL;) {
        finish(p, call->context, r);
    }
    for (size_t i = 0; i < n; i++) {
        set_behind(&p->witnesses[i].behind_ns, !p->witnesses[i].member->is_group && !p->witnesses[i].has_newest);
    }
}

static void run_round(struct push *p)
{
    struct round r = {.tiles = NULL};
    struct error err;

    buf_init(&r.note, PUSH_COSIGNED_MAX);
    buf_init(&r.cosignatures, PUSH_COSIGNED_MAX);
    bool is_read = read_newest(p, &r, &err);
    if (is_read) {
        ask_all(p, &r);
    }
    if (is_read && r.cosignatures.len > 0) {
        if (write_cosigned(p, &r, &err)) {
            look_at_quorum(p, buf_span(&r.note));
        } else {
            log_error("record: cosignatures: %s", err.text);
        }
    } else if (!is_read && err.kind != ERROR_NOT_FOUND) {
        log_error("record: cosignatures: %s", err.text);
    }
    tile_reader_close(r.tiles);
    buf_deinit(&r.note);
    buf_deinit(&r.cosignatures);
}

/* --- the thread --------------------------------------------------------------- */

static void *run(void *context)
{
    struct push *p = context;

    (void)pthread_mutex_lock(&p->lock);
    while (!p->is_stopping) {
        (void)pthread_mutex_unlock(&p->lock);
        run_round(p);
        (void)pthread_mutex_lock(&p->lock);
        uint64_t until = clock_monotonic_ns() + p->options.interval_ms * 1000000;
        const struct timespec at = {.tv_sec = (time_t)(until / 1000000000), .tv_nsec = (long)(until % 1000000000)};
        while (!p->is_stopping && pthread_cond_timedwait(&p->wake, &p->lock, &at) == 0) {
        }
    }
    (void)pthread_mutex_unlock(&p->lock);
    return NULL;
}

static bool open_calls(struct push *p, struct error *err)
{
    const struct witnesses *all = p->options.witnesses;

    p->calls = push_calls_new(err);
    for (size_t i = 0; p->calls != NULL && i < all->policy.n_members; i++) {
        struct push_witness *w = &p->witnesses[i];
        w->member = &all->policy.members[i];
        if (!w->member->is_group &&
            !push_call_init(&w->call, all->targets[i].url, (long)p->options.timeout_ms, w, err)) {
            return false;
        }
    }
    return p->calls != NULL;
}

static void release(struct push *p)
{
    for (size_t i = 0; i < LOG_POLICY_MEMBERS_MAX; i++) {
        push_call_deinit(&p->witnesses[i].call);
    }
    push_calls_free(p->calls);
    free(p);
}

struct push *push_start(const struct push_options *options, struct error *err)
{
    struct push *p = calloc(1, sizeof(*p));

    if (p == NULL) {
        error_set(err, ERROR_NO_MEMORY, "witnesses: no memory");
        return NULL;
    }
    p->options = *options;
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK || !open_calls(p, err)) {
        release(p);
        return NULL;
    }
    if (pthread_mutex_init(&p->lock, NULL) != 0 || !condition_init(&p->wake) ||
        pthread_create(&p->thread, NULL, run, p) != 0) {
        error_set(err, ERROR_SYSTEM, "witnesses: no thread");
        release(p);
        return NULL;
    }
    return p;
}

void push_stop(struct push *p)
{
    if (p == NULL) {
        return;
    }
    (void)pthread_mutex_lock(&p->lock);
    p->is_stopping = true;
    (void)pthread_cond_signal(&p->wake);
    (void)pthread_mutex_unlock(&p->lock);
    push_calls_cancel(p->calls);
    (void)pthread_join(p->thread, NULL);
    (void)pthread_cond_destroy(&p->wake);
    (void)pthread_mutex_destroy(&p->lock);
    release(p);
}

static double lag_seconds(const _Atomic uint64_t *since)
{
    uint64_t from = atomic_load(since), now = clock_monotonic_ns();

    return from == 0 || from > now ? 0 : (double)(now - from) / 1e9;
}

double push_lag_seconds(const struct push *p, size_t member)
{
    return lag_seconds(&p->witnesses[member].behind_ns);
}

double push_quorum_lag_seconds(const struct push *p)
{
    return lag_seconds(&p->quorum_behind_ns);
}
