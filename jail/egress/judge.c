#include "jail/egress/judge.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/uuid.h"
#include "state/keys.h"
#include "jail/egress/wire/strip.h"
#include "pipeline/document.h"
#include "pipeline/load.h"
#include "pipeline/pipeline.h"

enum { WORKERS_MAX = 16 };

struct egress_judge {
    struct snapshot *snapshot;
    struct keys keys;
    struct span agent;
    pthread_mutex_t lock; /* guards what follows */
    pthread_cond_t is_free;
    struct worker *free[WORKERS_MAX];
    unsigned n_free, n;
};

struct egress_judge *egress_judge_new(const struct egress_judge_options *options, struct error *err)
{
    const struct rule_set_options rules = {.cache_directory = options->cache, .only_used = true};
    const struct worker_limits limits = worker_limits_default();
    struct egress_judge *j = calloc(1, sizeof(*j));

    if (j == NULL) {
        error_set(err, ERROR_NO_MEMORY, "judge: no memory");
        return NULL;
    }
    (void)pthread_mutex_init(&j->lock, NULL);
    (void)pthread_cond_init(&j->is_free, NULL);
    j->agent = options->agent == NULL ? (struct span){0} : span_str(options->agent);
    j->snapshot = snapshot_open(options->rules, options->policy, &rules, err);
    bool is_good = j->snapshot != NULL && keys_load(NULL, &j->keys, err);
    while (is_good && j->n < options->workers && j->n < WORKERS_MAX) {
        struct worker *w = worker_new(&limits, &j->keys.redaction, err);
        is_good = w != NULL;
        if (is_good) {
            j->free[j->n_free++] = w;
            j->n++;
        }
    }
    if (!is_good) {
        egress_judge_free(j);
        return NULL;
    }
    return j;
}

void egress_judge_free(struct egress_judge *j)
{
    if (j == NULL) {
        return;
    }
    for (unsigned i = 0; i < j->n_free; i++) {
        worker_free(j->free[i]);
    }
    snapshot_unref(j->snapshot);
    keys_wipe(&j->keys);
    (void)pthread_cond_destroy(&j->is_free);
    (void)pthread_mutex_destroy(&j->lock);
    free(j);
}

bool egress_judge_has_policy(const struct egress_judge *j, struct span policy)
{
    return snapshot_policy(j->snapshot, policy, (struct span){0}) != NULL;
}

static struct worker *borrow(struct egress_judge *j)
{
    (void)pthread_mutex_lock(&j->lock);
    while (j->n_free == 0) {
        (void)pthread_cond_wait(&j->is_free, &j->lock);
    }
    struct worker *w = j->free[--j->n_free];
    (void)pthread_mutex_unlock(&j->lock);
    return w;
}

static void give_back(struct egress_judge *j, struct worker *w)
{
    (void)pthread_mutex_lock(&j->lock);
    j->free[j->n_free++] = w;
    (void)pthread_cond_signal(&j->is_free);
    (void)pthread_mutex_unlock(&j->lock);
}

/* --- channels ------------------------------------------------------------- */

/* Channels of the body: the decoded strings of a JSON document, because escapes hide their text. */
static bool read_body(struct arena *a, struct span body, struct document *out, bool *is_json, struct error *err)
{
    struct error why;

    *is_json = body.len > 0 && json_validate(body, &why);
    if (*is_json) {
        return document_read(a, body, span_str("/body"), out, err);
    }
    struct channel *whole = arena_array(a, 1, sizeof(*whole), err);
    if (whole == NULL) {
        return false;
    }
    *whole = (struct channel){.path = span_str("/body"), .text = body};
    *out = (struct document){.channels = whole, .n = body.len > 0 ? 1 : 0};
    return true;
}

static bool build_channels(struct arena *a, const struct egress_message *m, const struct document *body,
                           struct exchange *x, struct error *err)
{
    struct channel *all = arena_array(a, body->n + 2 * m->head->n + 1, sizeof(*all), err);
    if (all == NULL) {
        return false;
    }
    size_t n = 0;
    all[n++] = (struct channel){.path = span_str("/url"), .text = m->url};
    for (size_t i = 0; i < m->head->n; i++) {
        const struct egress_header *h = &m->head->headers[i];
        all[n++] = (struct channel){.path = span_str("/names"), .text = h->name};
        all[n++] = (struct channel){.path = span_str("/headers"), .text = h->value, .key = h->name};
    }
    if (body->n > 0) {
        memcpy(all + n, body->channels, body->n * sizeof(*all));
    }
    x->channels = all;
    x->n_channels = n + body->n;
    return true;
}

static void judge_with(const struct egress_judge *j, struct worker *w, const struct egress_message *m,
                       struct egress_verdict *out);

/* The zero value of a verdict blocks; here it gets a name. */
static void set_unjudged(struct egress_verdict *out)
{
    *out = (struct egress_verdict){.action = ACTION_BLOCK, .rule = "filterd.unjudged", .is_url_secret = true};
}

/* What is left may read as something again, so it is judged like any other.
 * NOLINTNEXTLINE(misc-no-recursion): once */
static bool is_left_allowed(const struct egress_judge *j, struct worker *w, const struct egress_message *m)
{
    struct egress_message left = *m;
    struct egress_verdict verdict;

    left.body = buf_span(m->stripped);
    left.stripped = NULL;
    judge_with(j, w, &left, &verdict);
    return verdict.action == ACTION_ALLOW;
}

/* NOLINTNEXTLINE(misc-no-recursion): what is left is judged once, and not stripped again */
static void judge_with(const struct egress_judge *j, struct worker *w, const struct egress_message *m,
                       struct egress_verdict *out)
{
    struct arena *a = worker_begin(w);
    struct document body = {.n = 0};
    bool is_json = false;
    struct error err;
    struct exchange x = {
        .snapshot = j->snapshot,
        .policy = snapshot_policy(j->snapshot, m->policy, (struct span){0}),
        .who = {.route = m->route, .agent = j->agent},
        .now_ns = clock_utc_ns(),
    };

    set_unjudged(out);
    if (x.policy == NULL || !uuid_make(x.now_ns, x.id.bytes, &err) || !read_body(a, m->body, &body, &is_json, &err) ||
        !build_channels(a, m, &body, &x, &err)) {
        return;
    }
    pipeline_judge(w, &x);
    out->action = x.action;
    (void)snprintf(out->rule, sizeof(out->rule), SPAN_FMT, SPAN_ARG(x.rule));
    out->is_url_secret = x.unjudged_reason != NULL;
    for (size_t i = 0; i < x.n_findings; i++) {
        out->is_url_secret |= x.findings[i].channel == 0;
    }
    if (m->stripped != NULL && x.action != ACTION_ALLOW && x.unjudged_reason == NULL) {
        out->is_stripped = egress_strip(a, &x, &body, is_json, m->stripped, &err) && is_left_allowed(j, w, m);
    }
}

void egress_judge_message(struct egress_judge *j, const struct egress_message *m, struct egress_verdict *out)
{
    struct worker *w = borrow(j);

    judge_with(j, w, m, out);
    give_back(j, w);
}
