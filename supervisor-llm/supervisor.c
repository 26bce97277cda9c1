#include "supervisor-llm/supervisor.h"

#include <stdlib.h>

#include "base/clock.h"
#include "supervisor-llm/notice.h"

#define MS_NS 1000000ULL

enum {
    IDLE_MS = 10000,
    SCRATCH_KEEP = 256 * 1024,
    SCRATCH_MAX = 64 * 1024 * 1024,
    CONNECTIONS = 64,       /* idle ones that are kept */
    RETRIES_PER_MINUTE = 60,
    RETRIES_SAVED = 30,
    SECONDS_SAVED = 30,     /* of tokens, after a quiet time */
};

/* --- life ------------------------------------------------------------------------ */

static void open_places(struct supervisor *s)
{
    uint64_t now = clock_monotonic_ns();

    for (size_t i = 0; i < s->endpoints->n; i++) {
        const struct endpoint *e = &s->endpoints->items[i];
        double most = (double)e->tokens_per_minute * SECONDS_SAVED / 60;
        s->endpoint_states[i].endpoint = e;
        budget_init(&s->endpoint_states[i].tokens, (double)e->tokens_per_minute, most, now);
    }
    budget_init(&s->retries, RETRIES_PER_MINUTE, RETRIES_SAVED, now);
}

static bool set_up(struct supervisor *s, struct error *err)
{
    s->prompts = prompts_load(s->endpoints->prompts, err);
    if (s->prompts == NULL) {
        return false;
    }
    s->cache = verdict_cache_new(s->endpoints->cache_entries, s->endpoints->cache_ttl_s * 1000 * MS_NS, err);
    if (s->cache == NULL) {
        return false;
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return error_set(err, ERROR_INTERNAL, "supervisor: libcurl cannot start");
    }
    s->multi = curl_multi_init();
    return (s->multi != NULL && curl_multi_setopt(s->multi, CURLMOPT_MAXCONNECTS, (long)CONNECTIONS) == CURLM_OK) ||
           error_set(err, ERROR_INTERNAL, "supervisor: libcurl cannot start");
}

struct supervisor *supervisor_new(struct endpoints *endpoints, struct error *err)
{
    struct supervisor *s = calloc(1, sizeof(*s));

    if (s == NULL) {
        endpoints_free(endpoints);
        error_set(err, ERROR_NO_MEMORY, "supervisor: no memory");
        return NULL;
    }
    s->endpoints = endpoints;
    s->asked_last = &s->asked;
    (void)pthread_mutex_init(&s->lock, NULL);
    arena_init(&s->scratch, SCRATCH_KEEP, SCRATCH_MAX);
    if (!set_up(s, err)) {
        supervisor_free(s);
        return NULL;
    }
    open_places(s);
    return s;
}

void supervisor_free(struct supervisor *s)
{
    if (s == NULL) {
        return;
    }
    supervisor_stop(s);
    for (struct posted *p = s->posted, *next; p != NULL; p = next) {
        next = p->next;
        buf_deinit(&p->body);
        free(p);
    }
    (void)curl_multi_cleanup(s->multi);
    verdict_cache_free(s->cache);
    prompts_free(s->prompts);
    endpoints_free(s->endpoints);
    arena_deinit(&s->scratch);
    (void)pthread_mutex_destroy(&s->lock);
    free(s);
}

/* --- asking ---------------------------------------------------------------------- */

void supervisor_ask(struct supervisor *s, struct supervisor_question *q)
{
    q->asked_ns = clock_monotonic_ns();
    q->next = NULL;
    (void)atomic_fetch_add(&s->counts.waiting, 1);
    (void)pthread_mutex_lock(&s->lock);
    bool is_taken = !s->is_stopping;
    if (is_taken) {
        *s->asked_last = q;
        s->asked_last = &q->next;
        /* Under the lock: supervisor_stop has not gone past it yet. */
        (void)curl_multi_wakeup(s->multi);
    }
    (void)pthread_mutex_unlock(&s->lock);
    if (!is_taken) {
        const struct supervision result = {.outcome = SUPERVISION_STOPPED};
        question_end(s, q, &result, q->asked_ns);
    }
}

bool supervisor_has_webhook(const struct supervisor *s)
{
    return s->endpoints->webhook.url != NULL;
}

void supervisor_post(struct supervisor *s, struct buf *body)
{
    struct posted *p = supervisor_has_webhook(s) ? calloc(1, sizeof(*p)) : NULL;

    if (p == NULL) {
        buf_deinit(body);
        return;
    }
    p->body = *body;
    *body = (struct buf){.max = body->max};
    (void)pthread_mutex_lock(&s->lock);
    p->next = s->posted;
    s->posted = p;
    bool is_taken = !s->is_stopping;
    if (is_taken) {
        (void)curl_multi_wakeup(s->multi);
    }
    (void)pthread_mutex_unlock(&s->lock);
}

/* --- the thread ------------------------------------------------------------------ */

static void begin_notices(struct supervisor *s, struct posted *p)
{
    while (p != NULL) {
        struct posted *next = p->next;
        notice_begin(s, &p->body);
        free(p);
        p = next;
    }
}

static bool take_questions(struct supervisor *s)
{
    (void)pthread_mutex_lock(&s->lock);
    struct supervisor_question *q = s->asked;
    struct posted *posted = s->posted;
    bool is_stopping = s->is_stopping;
    s->asked = NULL;
    s->asked_last = &s->asked;
    s->posted = NULL;
    (void)pthread_mutex_unlock(&s->lock);
    begin_notices(s, posted);
    while (q != NULL) {
        struct supervisor_question *next = q->next;
        question_ask(s, q, clock_monotonic_ns());
        q = next;
    }
    return !is_stopping;
}

static void collect(struct supervisor *s)
{
    CURLMsg *message;
    int left = 0;

    while ((message = curl_multi_info_read(s->multi, &left)) != NULL) {
        struct transfer_end *end = NULL;
        CURLcode code = message->data.result;
        if (message->msg == CURLMSG_DONE &&
            curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, (char **)&end) == CURLE_OK) {
            end->ended(end, code);
        }
    }
}

static void advance(struct supervisor *s)
{
    for (struct shared_question *shared = s->shared_questions; shared != NULL;) {
        struct shared_question *next = shared->next; /* it frees itself, no other */
        shared_question_advance(shared, clock_monotonic_ns());
        shared = next;
    }
}

static int pause_ms(const struct supervisor *s)
{
    uint64_t now = clock_monotonic_ns(), wake = now + IDLE_MS * MS_NS;

    for (const struct shared_question *shared = s->shared_questions; shared != NULL; shared = shared->next) {
        uint64_t at = shared_question_due_ns(shared);
        wake = at < wake ? at : wake;
    }
    return wake <= now ? 0 : (int)((wake - now + MS_NS - 1) / MS_NS);
}

static void *run(void *context)
{
    struct supervisor *s = context;
    int running = 0;

    while (take_questions(s)) {
        (void)curl_multi_perform(s->multi, &running);
        collect(s);
        advance(s);
        (void)curl_multi_poll(s->multi, NULL, 0, pause_ms(s), NULL);
    }
    while (s->shared_questions != NULL) {
        shared_question_stop(s->shared_questions);
    }
    notice_stop(s);
    return NULL;
}

bool supervisor_start(struct supervisor *s, struct error *err)
{
    s->is_started = pthread_create(&s->thread, NULL, run, s) == 0;
    return s->is_started || error_set(err, ERROR_SYSTEM, "supervisor: no thread");
}

void supervisor_stop(struct supervisor *s)
{
    (void)pthread_mutex_lock(&s->lock);
    s->is_stopping = true;
    (void)pthread_mutex_unlock(&s->lock);
    if (s->is_started) {
        (void)curl_multi_wakeup(s->multi);
        (void)pthread_join(s->thread, NULL);
        s->is_started = false;
    }
}

/* --- looking --------------------------------------------------------------------- */

void supervisor_count(const struct supervisor *s, struct supervisor_counts *out)
{
    for (size_t i = 0; i < SUPERVISION_OUTCOME_COUNT; i++) {
        out->outcomes[i] = atomic_load(&s->counts.outcomes[i]);
    }
    out->violations = atomic_load(&s->counts.violations);
    out->cached = atomic_load(&s->counts.cached);
    out->calls = atomic_load(&s->counts.calls);
    out->retries = atomic_load(&s->counts.retries);
    out->hedges = atomic_load(&s->counts.hedges);
    out->tokens_in = atomic_load(&s->counts.tokens_in);
    out->tokens_out = atomic_load(&s->counts.tokens_out);
    out->waiting = atomic_load(&s->counts.waiting);
    out->notices = atomic_load(&s->counts.notices);
    out->notices_lost = atomic_load(&s->counts.notices_lost);
}
