/* matter.c - the attempts of a question: which endpoint is next, retries, and the result. */
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
static void matter_free(struct matter *m, bool is_late)
{
    *m->link = m->next;
    if (m->next != NULL) {
        m->next->link = m->link;
    }
    for (unsigned i = 0; i < m->n_calls; i++) {
        call_abandon(m->supervisor, m->calls[i], is_late);
    }
    buf_deinit(&m->text);
    free(m);
}

static void end_all(struct matter *m, const struct supervision *result, bool is_late, uint64_t now_ns)
{
    struct supervisor *s = m->supervisor;
    struct supervisor_question *q = m->questions;

    m->questions = NULL;
    while (q != NULL) {
        struct supervisor_question *next = q->next;
        s->n_questions--;
        question_end(s, q, result, now_ns);
        q = next;
    }
    matter_free(m, is_late);
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

static struct matter *find_matter(const struct supervisor *s, const struct verdict_key *key)
{
    for (struct matter *m = s->matters; m != NULL; m = m->next) {
        if (memcmp(m->keys[0].bytes, key->bytes, VERDICT_KEY) == 0) {
            return m;
        }
    }
    return NULL;
}

static struct matter *matter_new(struct supervisor *s, const struct supervisor_question *q,
                                 const struct verdict_key keys[ENDPOINTS_MAX])
{
    struct matter *m = calloc(1, sizeof(*m));
    struct error err;

    if (m == NULL) {
        return NULL;
    }
    buf_init(&m->text, s->endpoints->text_max);
    if (!buf_append(&m->text, q->text, &err)) {
        buf_deinit(&m->text);
        free(m);
        return NULL;
    }
    m->supervisor = s;
    m->categories = q->categories;
    m->trace = q->trace;
    memcpy(m->keys, keys, sizeof(m->keys));
    m->next = s->matters;
    m->link = &s->matters;
    if (m->next != NULL) {
        m->next->link = &m->next;
    }
    s->matters = m;
    return m;
}

void matter_ask(struct supervisor *s, struct supervisor_question *q, uint64_t now_ns)
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
    struct matter *m = s->n_questions < s->endpoints->queue ? find_matter(s, &keys[0]) : NULL;
    bool is_new = m == NULL;
    if (is_new && s->n_questions < s->endpoints->queue) {
        m = matter_new(s, q, keys);
    }
    if (m == NULL) {
        end_with(s, q, SUPERVISION_OVERLOADED, now_ns);
        return;
    }
    q->next = m->questions;
    m->questions = q;
    s->n_questions++;
    if (is_new) {
        matter_advance(m, now_ns);
    }
}

/* --- attempts -------------------------------------------------------------------- */

static double tokens_of(const struct matter *m, const struct endpoint *e)
{
    return (double)(m->text.len / BYTES_PER_TOKEN + PROMPT_TOKENS + e->answer_tokens);
}

static bool is_busy_with(const struct matter *m, const struct place *p)
{
    for (unsigned i = 0; i < m->n_calls; i++) {
        if (m->calls[i]->place == p) {
            return true;
        }
    }
    return false;
}

enum choice { CHOICE_MADE, CHOICE_NO_ROOM, CHOICE_CLOSED, CHOICE_NONE_LEFT };

/* The one that was tried least, in order of preference. Its tokens are taken. */
static enum choice choose(struct matter *m, uint64_t now_ns, size_t *chosen)
{
    struct supervisor *s = m->supervisor;
    enum choice why = CHOICE_NONE_LEFT;
    size_t best = ENDPOINTS_MAX;

    for (size_t i = 0; i < s->endpoints->n; i++) {
        const struct place *p = &s->places[i];
        if ((m->barred >> i & 1U) != 0 || is_busy_with(m, p)) {
            continue;
        }
        if (!breaker_may(&p->breaker, now_ns)) {
            why = why == CHOICE_NONE_LEFT ? CHOICE_CLOSED : why;
        } else if (p->n_calls >= p->endpoint->concurrency) {
            why = CHOICE_NO_ROOM;
        } else if (best == ENDPOINTS_MAX || m->tried[i] < m->tried[best]) {
            best = i;
        }
    }
    if (best == ENDPOINTS_MAX) {
        return why;
    }
    if (!budget_take(&s->places[best].tokens, tokens_of(m, s->places[best].endpoint), now_ns)) {
        return CHOICE_NO_ROOM;
    }
    *chosen = best;
    return CHOICE_MADE;
}

static uint64_t last_deadline(const struct matter *m)
{
    uint64_t last = 0;

    for (const struct supervisor_question *q = m->questions; q != NULL; q = q->next) {
        last = q->deadline_ns > last ? q->deadline_ns : last;
    }
    return last;
}

static bool begin(struct matter *m, size_t i, uint64_t now_ns)
{
    struct supervisor *s = m->supervisor;
    struct place *p = &s->places[i];
    double tokens = tokens_of(m, p->endpoint);
    /* A little behind the deadline: the loop reports to the callers at the deadline. */
    uint64_t left_ms = (last_deadline(m) - now_ns) / MS_NS + 10;
    struct call *c = call_begin(s, m, p, tokens, left_ms);

    if (c == NULL) {
        budget_settle(&p->tokens, tokens);
        return false;
    }
    m->calls[m->n_calls++] = c;
    m->tried[i]++;
    m->attempts++;
    m->hedge_ns = s->endpoints->hedge_ms == 0 ? UINT64_MAX : now_ns + s->endpoints->hedge_ms * MS_NS;
    return true;
}

/* The first attempt earns a part of a retry; failures of many cannot ask many times more. */
static bool may_try(struct matter *m, uint64_t now_ns)
{
    struct supervisor *s = m->supervisor;

    if (m->attempts == 0) {
        return true;
    }
    return m->attempts <= s->endpoints->retries && budget_take(&s->retries, 1, now_ns);
}

static void give_up(struct matter *m, enum supervision_outcome outcome, uint64_t now_ns)
{
    struct supervision result = m->last;

    if (m->attempts == 0) {
        result.outcome = outcome;
    }
    result.attempts = m->attempts;
    end_all(m, &result, false, now_ns);
}

static void try_next(struct matter *m, uint64_t now_ns)
{
    size_t i = 0;
    enum choice choice = choose(m, now_ns, &i);

    if (choice == CHOICE_NO_ROOM) {
        m->not_before_ns = now_ns + ROOM_MS * MS_NS;
        return;
    }
    if (choice != CHOICE_MADE) {
        give_up(m, SUPERVISION_UNAVAILABLE, now_ns);
        return;
    }
    if (!may_try(m, now_ns)) {
        budget_settle(&m->supervisor->places[i].tokens, tokens_of(m, m->supervisor->places[i].endpoint));
        give_up(m, SUPERVISION_OVERLOADED, now_ns);
        return;
    }
    (void)atomic_fetch_add(&m->supervisor->counts.retries, m->attempts > 0);
    if (!begin(m, i, now_ns)) {
        give_up(m, SUPERVISION_OVERLOADED, now_ns);
    }
}

/* A second endpoint, while the first takes its time. */
static void hedge(struct matter *m, uint64_t now_ns)
{
    size_t i = 0;

    m->hedge_ns = UINT64_MAX;
    if (m->attempts > m->supervisor->endpoints->retries || choose(m, now_ns, &i) != CHOICE_MADE) {
        return;
    }
    if (!budget_take(&m->supervisor->retries, 1, now_ns)) {
        budget_settle(&m->supervisor->places[i].tokens, tokens_of(m, m->supervisor->places[i].endpoint));
        return;
    }
    (void)atomic_fetch_add(&m->supervisor->counts.hedges, begin(m, i, now_ns));
    m->hedge_ns = UINT64_MAX;
}

/* --- time ------------------------------------------------------------------------ */

static struct supervision result_when_late(const struct matter *m)
{
    struct supervision result = m->last;

    if (m->n_calls > 0) {
        const struct endpoint *e = m->calls[0]->place->endpoint;
        result = (struct supervision){.outcome = SUPERVISION_TIMEOUT};
        memcpy(result.endpoint, e->name, sizeof(result.endpoint));
        memcpy(result.model, e->model, sizeof(result.model));
    } else if (m->attempts == 0) {
        result.outcome = SUPERVISION_OVERLOADED;
    }
    result.attempts = m->attempts;
    return result;
}

/* True when no caller waits any more: the matter is freed then. */
static bool end_late(struct matter *m, uint64_t now_ns)
{
    const struct supervision result = result_when_late(m);

    for (struct supervisor_question **link = &m->questions; *link != NULL;) {
        struct supervisor_question *q = *link;
        if (q->deadline_ns > now_ns) {
            link = &q->next;
            continue;
        }
        *link = q->next;
        m->supervisor->n_questions--;
        question_end(m->supervisor, q, &result, now_ns);
    }
    if (m->questions != NULL) {
        return false;
    }
    matter_free(m, true);
    return true;
}

void matter_advance(struct matter *m, uint64_t now_ns)
{
    if (end_late(m, now_ns)) {
        return;
    }
    if (m->n_calls == 0 && now_ns >= m->not_before_ns) {
        try_next(m, now_ns);
    } else if (m->n_calls == 1 && now_ns >= m->hedge_ns) {
        hedge(m, now_ns);
    }
}

uint64_t matter_wakes(const struct matter *m)
{
    uint64_t at = UINT64_MAX;

    for (const struct supervisor_question *q = m->questions; q != NULL; q = q->next) {
        at = q->deadline_ns < at ? q->deadline_ns : at;
    }
    uint64_t other = m->n_calls == 0 ? m->not_before_ns : m->n_calls == 1 ? m->hedge_ns : UINT64_MAX;
    return other < at ? other : at;
}

/* --- answers --------------------------------------------------------------------- */

static bool is_of_the_text(enum supervision_outcome outcome)
{
    return outcome == SUPERVISION_SHAPE || outcome == SUPERVISION_EVIDENCE || outcome == SUPERVISION_TOO_LARGE ||
           outcome == SUPERVISION_MALFORMED || outcome == SUPERVISION_REFUSED;
}

static void forget_call(struct matter *m, const struct call *c)
{
    for (unsigned i = 0; i < m->n_calls; i++) {
        if (m->calls[i] == c) {
            m->calls[i] = m->calls[--m->n_calls];
            return;
        }
    }
}

void matter_take(struct matter *m, struct call *c, CURLcode code, uint64_t now_ns)
{
    struct supervisor *s = m->supervisor;
    size_t i = (size_t)(c->place - s->places);
    struct supervision result;

    forget_call(m, c);
    call_end(s, c, code, &result);
    result.attempts = m->attempts;
    if (result.outcome == SUPERVISION_ANSWERED) {
        verdict_cache_put(s->cache, &m->keys[i], &result, now_ns);
    }
    if (result.outcome == SUPERVISION_ANSWERED || result.outcome == SUPERVISION_ECHO) {
        end_all(m, &result, false, now_ns); /* a second try would be the text's second chance */
        return;
    }
    m->last = result;
    if (is_of_the_text(result.outcome)) {
        m->barred |= 1U << i; /* the same question there has the same answer */
    }
    m->not_before_ns = s->endpoints->n > 1 ? now_ns : now_ns + ((uint64_t)BACKOFF_MS << m->attempts) * MS_NS;
    if (m->n_calls == 0) {
        matter_advance(m, now_ns);
    }
}

void matter_stop(struct matter *m)
{
    const struct supervision result = {.outcome = SUPERVISION_STOPPED, .attempts = m->attempts};

    end_all(m, &result, false, clock_monotonic_ns());
}
