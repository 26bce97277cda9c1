#include "http/identities.h"

#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/clock.h"
#include "decision_log/value_token.h"
#include "http/fault.h"
#include "pipeline/pipeline.h"
#include "text/visible.h"

enum {
    CLEAN_SLOTS = 1024,
    PARTS = 3,       /* tenant, app, agent */
    PRINT_MAX = 2048, /* a digest and the names, each led by its length */
};

struct identities {
    const struct keys *keys;
    uint8_t print_key[crypto_shorthash_KEYBYTES];
    _Atomic uint64_t clean[CLEAN_SLOTS]; /* prints of names in which nothing was found; 0: none */
    pthread_mutex_t lock;                /* guards the worker */
    struct worker *worker;
};

struct identities *identities_new(const struct keys *keys, struct error *err)
{
    const struct worker_limits limits = worker_limits_default();
    struct identities *n = calloc(1, sizeof(*n));

    if (n == NULL) {
        error_set(err, ERROR_NO_MEMORY, "identities: no memory");
        return NULL;
    }
    n->keys = keys;
    crypto_shorthash_keygen(n->print_key);
    (void)pthread_mutex_init(&n->lock, NULL);
    n->worker = worker_new(&limits, &keys->redaction, err);
    if (n->worker == NULL) {
        identities_free(n);
        return NULL;
    }
    return n;
}

void identities_free(struct identities *n)
{
    if (n != NULL) {
        worker_free(n->worker);
        (void)pthread_mutex_destroy(&n->lock);
        free(n);
    }
}

/* --- what was judged before ---------------------------------------------------- */

/* Of the policy and the names; 0: they are too long for one. The key is random, so collisions cannot be searched for. */
static uint64_t print_of(const struct identities *n, const struct exchange *x)
{
    uint8_t text[PRINT_MAX];
    uint64_t print = 0;
    size_t len = 0;

    for (size_t i = 0; i <= x->n_channels; i++) {
        struct span part = i == 0 ? x->policy->digest : x->channels[i - 1].text;
        if (part.len + sizeof(part.len) > sizeof(text) - len) {
            return 0;
        }
        memcpy(text + len, &part.len, sizeof(part.len));
        len += sizeof(part.len);
        memcpy(text + len, part.len > 0 ? part.ptr : "", part.len);
        len += part.len;
    }
    (void)crypto_shorthash((uint8_t *)&print, text, len, n->print_key);
    return print;
}

static _Atomic uint64_t *slot_of(struct identities *n, uint64_t print)
{
    return &n->clean[print % CLEAN_SLOTS];
}

/* --- judging -------------------------------------------------------------------- */

/* Bits of the channels that may not be shown. */
static unsigned judge(struct identities *n, struct exchange *x)
{
    uint64_t print = print_of(n, x);
    unsigned hidden = 0;

    if (print != 0 && atomic_load_explicit(slot_of(n, print), memory_order_relaxed) == print) {
        return 0;
    }
    (void)pthread_mutex_lock(&n->lock);
    (void)worker_begin(n->worker);
    pipeline_judge_apart(n->worker, x);
    for (size_t i = 0; i < x->n_findings; i++) {
        hidden |= x->findings[i].action == ACTION_ALLOW ? 0U : 1U << x->findings[i].channel;
    }
    hidden = x->unjudged_reason == NULL ? hidden : ~0U;
    bool is_clean = hidden == 0 && x->n_findings == 0;
    (void)pthread_mutex_unlock(&n->lock);
    if (is_clean && print != 0) {
        atomic_store_explicit(slot_of(n, print), print, memory_order_relaxed);
    }
    return hidden;
}

static bool make_token(const struct identities *n, struct arena *a, struct span *name, struct filter_fault *fault)
{
    struct value_token token;
    struct error err;

    return (value_token_mark(&n->keys->decision, *name, &token, &err) &&
            arena_copy(a, span_str(token.text), name, &err)) ||
           fault_set_error(fault, &err);
}

static bool check(struct span name, const char *pointer, struct filter_fault *fault)
{
    return (text_is_visible(name) && !span_starts_with(name, span_str(VALUE_TOKEN_MARK))) ||
           fault_set(fault, 422, pointer,
                     "a name without control, invisible and bidirectional characters, and not a token of the record, expected");
}

bool identity_user(const struct identities *n, struct span id, struct value_token *out, struct error *err)
{
    return value_token_make(&n->keys->decision, id, out, err);
}

static bool show_user(const struct identities *n, struct arena *a, struct span *user, struct filter_fault *fault)
{
    struct value_token token;
    struct error err;

    return user->len == 0 ||
           (identity_user(n, *user, &token, &err) && arena_copy(a, span_str(token.text), user, &err)) ||
           fault_set_error(fault, &err);
}

/* What may be shown depends on tenant and agent alone, as an account does: so the policy is the tenant's, whichever the
 * exchange asks for. */
bool identity_show(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct identity *who,
                struct filter_fault *fault)
{
    struct channel channels[PARTS] = {{.text = who->tenant}, {.text = who->app}, {.text = who->agent}};
    struct span *const given[PARTS] = {&who->given.tenant, &who->given.app, &who->given.agent};
    struct span *const shown[PARTS] = {&who->tenant, &who->app, &who->agent};
    struct exchange x = {.snapshot = snapshot,
                         .policy = snapshot_policy(snapshot, (struct span){0}, who->tenant),
                         .who = {.tenant = who->tenant, .agent = who->agent},
                         .now_ns = clock_utc_ns(),
                         .channels = channels,
                         .n_channels = PARTS,
                         .is_part = true};

    if (!check(who->tenant, "/tenant", fault) || !check(who->app, "/app", fault) ||
        !check(who->agent, "/agent", fault) || !check(who->session, "/session", fault) || !show_user(n, a, &who->user, fault)) {
        return false;
    }
    unsigned hidden = who->tenant.len + who->app.len + who->agent.len > 0 ? judge(n, &x) : 0;
    for (size_t i = 0; i < PARTS; i++) {
        if ((hidden >> i & 1U) == 0 || shown[i]->len == 0) {
            continue;
        }
        *given[i] = *shown[i];
        if (!make_token(n, a, shown[i], fault)) {
            return false;
        }
    }
    return true;
}

bool identity_show_text(struct identities *n, const struct snapshot *snapshot, struct arena *a, struct span *text,
                     struct filter_fault *fault)
{
    struct channel channel = {.text = *text};
    struct exchange x = {.snapshot = snapshot,
                         .policy = snapshot_policy(snapshot, (struct span){0}, (struct span){0}),
                         .now_ns = clock_utc_ns(),
                         .channels = &channel,
                         .n_channels = 1,
                         .is_part = true};

    return text->len == 0 || judge(n, &x) == 0 || make_token(n, a, text, fault);
}
