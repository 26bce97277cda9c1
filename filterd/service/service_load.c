/* service_load.c - what the service reads of files, at the start and again at a reload: all of it is taken, or nothing. */
#include "service/service_parts.h"

#include <malloc.h>

#include "base/log.h"
#include "pipeline/load.h"
#include "service/admin_digests.h"
#include "service/admission.h"
#include "service/sealing.h"
#include "state/live_exceptions.h"

struct snapshot *service_load_snapshot(const struct service_options *o, struct error *err)
{
    const struct rule_set_options options = {
        .cache_directory = o->cache_directory,
        .test_examples = true,
        .only_used = true,
    };

    struct snapshot *s = snapshot_open(o->rules, o->policy, &options, err);
    if (s != NULL && !live_exceptions_load(s, o->state_directory, err)) {
        snapshot_unref(s);
        return NULL;
    }
    return s;
}

bool service_load_tokens(const struct service_options *o, struct tokens **out, struct error *err)
{
    *out = o->tokens == NULL ? NULL : tokens_load(o->tokens, err);
    return o->tokens == NULL || *out != NULL;
}

/* What a reload exchanges. */
struct state {
    struct snapshot *snapshot;
    struct upstreams *upstreams;
    struct tokens *tokens;
};

static void swap(struct service *s, struct state *state)
{
    const struct state old = {s->snapshot, s->upstreams, s->tokens};

    (void)pthread_mutex_lock(&s->lock);
    s->snapshot = state->snapshot;
    s->upstreams = state->upstreams;
    s->tokens = state->tokens;
    (void)pthread_mutex_unlock(&s->lock);
    *state = old;
}

/* The sandbox lets connections out to the ports of the start alone. */
static bool check_ports(const struct service *s, const struct upstreams *u, struct error *err)
{
    for (size_t i = 0; s->locks_ports && u != NULL && i < u->n; i++) {
        if (!upstreams_has_port(s->upstreams, u->items[i].port)) {
            return error_set(err, ERROR_DENIED,
                             "%s: upstream " SPAN_FMT ": port %u was no upstream's before: a restart lets it through the sandbox",
                             u->file, SPAN_ARG(u->items[i].name), u->items[i].port);
        }
    }
    return true;
}

static bool load_upstreams(const struct service *s, struct state *state, struct error *err)
{
    const char *path = s->options->upstreams;

    state->upstreams = path == NULL ? NULL : upstreams_load(path, err);
    return path == NULL || (state->upstreams != NULL && check_ports(s, state->upstreams, err) &&
                            upstreams_check_policies(state->upstreams, state->snapshot, err));
}

/* The helper has the hooks of the start alone. */
static bool check_hooks(const struct service *s, const struct state *state, struct error *err)
{
    return violation_hooks_equal(&s->snapshot->violations, &state->snapshot->violations) ||
           error_set(err, ERROR_DENIED, "policy: the hooks of violations are others: a restart takes them over");
}

/* The certificate comes last of what is read: it is the only step that cannot be taken back. Then the change is put on
 * record, and takes effect. */
static bool reload(struct service *s, const char *by, struct error *err)
{
    struct state state = {NULL};
    bool is_loaded = service_load_tokens(s->options, &state.tokens, err);
    if (is_loaded && tokens_count(s->tokens) > 0 && tokens_count(state.tokens) == 0) {
        is_loaded = error_set(err, ERROR_INVALID,
                              "%s: at least one token expected: taking the last one away would open the service",
                              s->options->tokens);
    }
    if (is_loaded) {
        is_loaded = bundled_update(&s->bundled, err) && (state.snapshot = service_load_snapshot(s->options, err)) != NULL &&
                    check_hooks(s, &state, err) && load_upstreams(s, &state, err) &&
                    sealing_open(s, state.snapshot, err) && admission_open_budgets(s, state.snapshot, err) &&
                    (s->tls == NULL || tls_reload(s->tls, err)) && admin_record_state(s, state.snapshot, state.tokens, by, err);
    }
    if (is_loaded) {
        admission_equip(s, state.snapshot);
        stream_prepare(state.snapshot);
        swap(s, &state);
        bundled_use(&s->bundled);
    }
    snapshot_unref(state.snapshot);
    upstreams_unref(state.upstreams);
    tokens_free(state.tokens);
    return is_loaded;
}

bool service_reload(struct service *s, const char *by, struct error *err)
{
    struct error reopen_err;

    (void)pthread_mutex_lock(&s->reloading);
    bool is_loaded = reload(s, by, err);
    if (!decision_log_reopen(s->log, &reopen_err)) {
        log_error("record: the file was not reopened, the old one stays in use: %s", reopen_err.text);
    }
    unsigned n_rules = s->snapshot->rules->n_rules; /* only a reload changes it, and this is one */
    (void)pthread_mutex_unlock(&s->reloading);
    (void)atomic_fetch_add(is_loaded ? &s->metrics.reloads : &s->metrics.reload_failures, 1);
    (void)malloc_trim(0); /* of the old state and of loading the new one */
    if (is_loaded) {
        log_info("reload: done rules=%u", n_rules);
    } else {
        log_error("reload: refused, the old state stays: %s", err->text);
    }
    return is_loaded;
}
