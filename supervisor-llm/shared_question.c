/* shared_question.c - the attempts of a question: which endpoint is next, retries, and the result. */
#include <stdlib.h>

#include "base/clock.h"
#include "supervisor-llm/supervisor_parts.h"

#define MS_NS 1000000ULL

enum {
    BACKOFF_MS = 20,         /* before the same endpoint is asked again; doubles */
    ROOM_MS = 20,            /* how often a caller that waits for room checks */
    BYTES_PER_TOKEN = 3,     /* on the safe side for most texts */
    PROMPT_TOKENS = 1200,    /* of the prompt's own words */
};

/* --- questions ----------------------------------------------------------------- */

void question_end(struct supervisor *s, struct supervisor_question *q, const struct supervision *result,
                  uint64_t now_ns)
{
    q->result = *result;
    q->result.latency_ns = now_ns > q->asked_ns ? now_ns - q->asked_ns : 0;
    memcpy(q->result.prompt, s->prompts->digest, sizeof(q->result.prompt));
    (void)atomic_fetch_add(&s->counts.outcomes[result->outcome], 1);
    (void)atomic_fetch_add(&s->counts.violations, result->is_violation);
    (void)atomic_fetch_add(&s->counts.cached, result->is_cached);
    (void)atomic_fetch_sub(&s->counts.waiting, 1);
    q->done(q); /* may free it */
}

static void end_with(struct supervisor *s, struct supervisor_question *q, enum supervision_outcome outcome,
                     uint64_t now_ns)
{
    const struct supervision result = {.outcome = outcome};

    question_end(s, q, &result, now_ns);
}

/* Off the lists before the calls are given up, as that may take its time. */
static void shared_question_free(struct shared_question *shared, bool is_late)
{
    *shared->link = shared->next;
    if (shared->next != NULL) {
        shared->next->link = shared->link;
    }
    for (unsigned i = 0; i < shared->n_calls; i++) {
        call_abandon(shared->supervisor, shared->calls[i], is_late);
    }
    buf_deinit(&shared->text);
    free(shared);
}

static void end_all(struct shared_question *shared, const struct supervision *result, bool is_late, uint64_t now_ns)
{
    struct supervisor *s = shared->supervisor;
    struct supervisor_question *q = shared->questions;

    shared->questions = NULL;
    while (q != NULL) {
        struct supervisor_question *next = q->next;
        s->n_questions--;
        question_end(s, q, result, now_ns);
        q = next;
    }
    shared_question_free(shared, is_late);
}

/* --- taking on ------------------------------------------------------------------- */

static void make_keys(const struct supervisor *s, const struct supervisor_question *q,
                      struct verdict_key keys[ENDPOINTS_MAX])
{
    for (size_t i = 0; i < s->endpoints->n; i++) {
        const struct verdict_subject subject = {.text = q->text,
                                                .policy = q->policy,
                                                .prompt = span_str(s->prompts->digest),
                                                .model = span_str(s->endpoints->items[i].model),
                                                .categories = q->categories};
        keys[i] = verdict_key_of(&subject);
    }
}

static bool answer_from_cache(struct supervisor *s, struct supervisor_question *q,
                              const struct verdict_key keys[ENDPOINTS_MAX], uint64_t now_ns)
{
    for (size_t i = 0; i < s->endpoints->n; i++) {
        const struct supervision *kept = verdict_cache_get(s->cache, &keys[i], now_ns);
        if (kept != NULL) {
            struct supervision result = *kept;
            result.is_cached = true;
            result.attempts = 0;
            question_end(s, q, &result, now_ns);
            return true;
        }
    }
    return false;
}

static struct shared_question *find_same(const struct supervisor *s, const struct verdict_key *key)
{
    for (struct shared_question *shared = s->shared_questions; shared != NULL; shared = shared->next) {
        if (memcmp(shared->keys[0].bytes, key->bytes, VERDICT_KEY) == 0) {
            return shared;
        }
    }
    return NULL;
}

static struct shared_question *shared_question_new(struct supervisor *s, const struct supervisor_question *q,
                                                   const struct verdict_key keys[ENDPOINTS_MAX])
{
    struct shared_question *shared = calloc(1, sizeof(*shared));
    struct error err;

    if (shared == NULL) {
        return NULL;
    }
    buf_init(&shared->text, s->endpoints->text_max);
    if (!buf_append(&shared->text, q->text, &err)) {
        buf_deinit(&shared->text);
        free(shared);
        return NULL;
    }
    shared->supervisor = s;
    shared->categories = q->categories;
    shared->trace = q->trace;
    memcpy(shared->keys, keys, sizeof(shared->keys));
    shared->next = s->shared_questions;
    shared->link = &s->shared_questions;
    if (shared->next != NULL) {
        shared->next->link = &shared->next;
    }
    s->shared_questions = shared;
    return shared;
}

void question_ask(struct supervisor *s, struct supervisor_question *q, uint64_t now_ns)
{
    struct verdict_key keys[ENDPOINTS_MAX] = {0};

    if (q->text.len > s->endpoints->text_max) {
        end_with(s, q, SUPERVISION_TOO_LONG, now_ns);
        return;
    }
    make_keys(s, q, keys);
    if (answer_from_cache(s, q, keys, now_ns)) {
        return;
    }
    struct shared_question *shared = s->n_questions < s->endpoints->queue ? find_same(s, &keys[0]) : NULL;
    bool is_new = shared == NULL;
    if (is_new && s->n_questions < s->endpoints->queue) {
        shared = shared_question_new(s, q, keys);
    }
    if (shared == NULL) {
        end_with(s, q, SUPERVISION_OVERLOADED, now_ns);
        return;
    }
    q->next = shared->questions;
    shared->questions = q;
    s->n_questions++;
    if (is_new) {
        shared_question_advance(shared, now_ns);
    }
}

/* --- attempts -------------------------------------------------------------------- */

static double tokens_of(const struct shared_question *shared, const struct endpoint *e)
{
    return (double)(shared->text.len / BYTES_PER_TOKEN + PROMPT_TOKENS + e->answer_tokens);
}

static bool is_busy_with(const struct shared_question *shared, const struct endpoint_state *p)
{
    for (unsigned i = 0; i < shared->n_calls; i++) {
        if (shared->calls[i]->state == p) {
            return true;
        }
    }
    return false;
}

enum choice { CHOICE_MADE, CHOICE_NO_ROOM, CHOICE_CLOSED, CHOICE_NONE_LEFT };

/* The one that was tried least, in order of preference. Its tokens are taken. */
static enum choice choose(struct shared_question *shared, uint64_t now_ns, size_t *chosen)
{
    struct supervisor *s = shared->supervisor;
    enum choice why = CHOICE_NONE_LEFT;
    size_t best = ENDPOINTS_MAX;

    for (size_t i = 0; i < s->endpoints->n; i++) {
        const struct endpoint_state *p = &s->endpoint_states[i];
        if ((shared->barred >> i & 1U) != 0 || is_busy_with(shared, p)) {
            continue;
        }
        if (!breaker_may(&p->breaker, now_ns)) {
            why = why == CHOICE_NONE_LEFT ? CHOICE_CLOSED : why;
        } else if (p->n_calls >= p->endpoint->concurrency) {
            why = CHOICE_NO_ROOM;
        } else if (best == ENDPOINTS_MAX || shared->tried[i] < shared->tried[best]) {
            best = i;
        }
    }
    if (best == ENDPOINTS_MAX) {
        return why;
    }
    if (!budget_take(&s->endpoint_states[best].tokens, tokens_of(shared, s->endpoint_states[best].endpoint), now_ns)) {
        return CHOICE_NO_ROOM;
    }
    *chosen = best;
    return CHOICE_MADE;
}

static uint64_t last_deadline(const struct shared_question *shared)
{
    uint64_t last = 0;

    for (const struct supervisor_question *q = shared->questions; q != NULL; q = q->next) {
        last = q->deadline_ns > last ? q->deadline_ns : last;
    }
    return last;
}

static bool begin(struct shared_question *shared, size_t i, uint64_t now_ns)
{
    struct supervisor *s = shared->supervisor;
    struct endpoint_state *p = &s->endpoint_states[i];
    double tokens = tokens_of(shared, p->endpoint);
    /* A little behind the deadline: the loop reports to the callers at the deadline. */
    uint64_t left_ms = (last_deadline(shared) - now_ns) / MS_NS + 10;
    struct call *c = call_begin(s, shared, p, tokens, left_ms);

    if (c == NULL) {
        budget_settle(&p->tokens, tokens);
        return false;
    }
    shared->calls[shared->n_calls++] = c;
    shared->tried[i]++;
    shared->attempts++;
    shared->hedge_ns = s->endpoints->hedge_ms == 0 ? UINT64_MAX : now_ns + s->endpoints->hedge_ms * MS_NS;
    return true;
}

/* The first attempt earns a part of a retry; failures of many cannot ask many times more. */
static bool may_try(struct shared_question *shared, uint64_t now_ns)
{
    struct supervisor *s = shared->supervisor;

    if (shared->attempts == 0) {
        return true;
    }
    return shared->attempts <= s->endpoints->retries && budget_take(&s->retries, 1, now_ns);
}

static void give_up(struct shared_question *shared, enum supervision_outcome outcome, uint64_t now_ns)
{
    struct supervision result = shared->last;

    if (shared->attempts == 0) {
        result.outcome = outcome;
    }
    result.attempts = shared->attempts;
    end_all(shared, &result, false, now_ns);
}

/* Those that `choose` took, when no call is made. */
static void return_tokens(const struct shared_question *shared, size_t i)
{
    struct endpoint_state *p = &shared->supervisor->endpoint_states[i];

    budget_settle(&p->tokens, tokens_of(shared, p->endpoint));
}

static void try_next(struct shared_question *shared, uint64_t now_ns)
{
    size_t i = 0;
    enum choice choice = choose(shared, now_ns, &i);

    if (choice == CHOICE_NO_ROOM) {
        shared->not_before_ns = now_ns + ROOM_MS * MS_NS;
        return;
    }
    if (choice != CHOICE_MADE) {
        give_up(shared, SUPERVISION_UNAVAILABLE, now_ns);
        return;
    }
    if (!may_try(shared, now_ns)) {
        return_tokens(shared, i);
        give_up(shared, SUPERVISION_OVERLOADED, now_ns);
        return;
    }
    (void)atomic_fetch_add(&shared->supervisor->counts.retries, shared->attempts > 0);
    if (!begin(shared, i, now_ns)) {
        give_up(shared, SUPERVISION_OVERLOADED, now_ns);
    }
}

/* A second endpoint, while the first takes its time. */
static void hedge(struct shared_question *shared, uint64_t now_ns)
{
    size_t i = 0;

    shared->hedge_ns = UINT64_MAX;
    if (shared->attempts > shared->supervisor->endpoints->retries || choose(shared, now_ns, &i) != CHOICE_MADE) {
        return;
    }
    if (!budget_take(&shared->supervisor->retries, 1, now_ns)) {
        return_tokens(shared, i);
        return;
    }
    (void)atomic_fetch_add(&shared->supervisor->counts.hedges, begin(shared, i, now_ns));
    shared->hedge_ns = UINT64_MAX;
}

/* --- time ------------------------------------------------------------------------ */

static struct supervision result_when_late(const struct shared_question *shared)
{
    struct supervision result = shared->last;

    if (shared->n_calls > 0) {
        const struct endpoint *e = shared->calls[0]->state->endpoint;
        result = (struct supervision){.outcome = SUPERVISION_TIMEOUT};
        memcpy(result.endpoint, e->name, sizeof(result.endpoint));
        memcpy(result.model, e->model, sizeof(result.model));
    } else if (shared->attempts == 0) {
        result.outcome = SUPERVISION_OVERLOADED;
    }
    result.attempts = shared->attempts;
    return result;
}

/* True when no caller waits any more: it is freed then. */
static bool end_late(struct shared_question *shared, uint64_t now_ns)
{
    const struct supervision result = result_when_late(shared);

    for (struct supervisor_question **link = &shared->questions; *link != NULL;) {
        struct supervisor_question *q = *link;
        if (q->deadline_ns > now_ns) {
            link = &q->next;
            continue;
        }
        *link = q->next;
        shared->supervisor->n_questions--;
        question_end(shared->supervisor, q, &result, now_ns);
    }
    if (shared->questions != NULL) {
        return false;
    }
    shared_question_free(shared, true);
    return true;
}

void shared_question_advance(struct shared_question *shared, uint64_t now_ns)
{
    if (end_late(shared, now_ns)) {
        return;
    }
    if (shared->n_calls == 0 && now_ns >= shared->not_before_ns) {
        try_next(shared, now_ns);
    } else if (shared->n_calls == 1 && now_ns >= shared->hedge_ns) {
        hedge(shared, now_ns);
    }
}

uint64_t shared_question_due_ns(const struct shared_question *shared)
{
    uint64_t at = UINT64_MAX;

    for (const struct supervisor_question *q = shared->questions; q != NULL; q = q->next) {
        at = q->deadline_ns < at ? q->deadline_ns : at;
    }
    uint64_t other = shared->n_calls == 0   ? shared->not_before_ns
                     : shared->n_calls == 1 ? shared->hedge_ns
                                            : UINT64_MAX;
    return other < at ? other : at;
}

/* --- answers --------------------------------------------------------------------- */

static bool is_of_the_text(enum supervision_outcome outcome)
{
    return outcome == SUPERVISION_SHAPE || outcome == SUPERVISION_EVIDENCE || outcome == SUPERVISION_TOO_LARGE ||
           outcome == SUPERVISION_MALFORMED || outcome == SUPERVISION_REFUSED;
}

static void forget_call(struct shared_question *shared, const struct call *c)
{
    for (unsigned i = 0; i < shared->n_calls; i++) {
        if (shared->calls[i] == c) {
            shared->calls[i] = shared->calls[--shared->n_calls];
            return;
        }
    }
}

void shared_question_take(struct shared_question *shared, struct call *c, CURLcode code, uint64_t now_ns)
{
    struct supervisor *s = shared->supervisor;
    size_t i = (size_t)(c->state - s->endpoint_states);
    struct supervision result;

    forget_call(shared, c);
    call_end(s, c, code, &result);
    result.attempts = shared->attempts;
    if (result.outcome == SUPERVISION_ANSWERED) {
        verdict_cache_put(s->cache, &shared->keys[i], &result, now_ns);
    }
    if (result.outcome == SUPERVISION_ANSWERED || result.outcome == SUPERVISION_ECHO) {
        end_all(shared, &result, false, now_ns); /* a second try would be the text's second chance */
        return;
    }
    shared->last = result;
    if (is_of_the_text(result.outcome)) {
        shared->barred |= 1U << i; /* the same question there has the same answer */
    }
    shared->not_before_ns = s->endpoints->n > 1 ? now_ns : now_ns + ((uint64_t)BACKOFF_MS << shared->attempts) * MS_NS;
    if (shared->n_calls == 0) {
        shared_question_advance(shared, now_ns);
    }
}

void shared_question_stop(struct shared_question *shared)
{
    const struct supervision result = {.outcome = SUPERVISION_STOPPED, .attempts = shared->attempts};

    end_all(shared, &result, false, clock_monotonic_ns());
}
