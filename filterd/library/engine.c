#include "library/engine.h"

#include <sodium.h>
#include <unistd.h>

#include "pipeline/load.h"
#include "policy/rule_set.h"

enum { NAMES_MAX = 64 * 1024 * 1024 };

void engine_report(const struct error *err, char *error, size_t error_size)
{
    _Static_assert(sizeof(err->text) <= FILTERD_ERROR_MAX, "filterd.h promises that every message fits");
    if (error_size > 0) {
        (void)snprintf(error, error_size, "%s", err->text);
    }
}

/* What the caller's struct has; members that it is too old for are zero. */
static bool options_copy(const struct filterd_options *given, struct filterd_options *out, struct error *err)
{
    *out = (struct filterd_options){.size = sizeof(*out)};
    if (given == NULL) {
        return true;
    }
    if (given->size < sizeof(given->size) || given->size > sizeof(*given)) {
        return error_set(err, ERROR_INVALID, "options of %u bytes; at most %zu expected, those of this library", given->size,
                         sizeof(*given));
    }
    memcpy(out, given, given->size);
    if (out->flags != 0) {
        return error_set(err, ERROR_INVALID, "flags: 0 expected");
    }
    if (out->policy != NULL && out->policy_text != NULL) {
        return error_set(err, ERROR_INVALID, "policy or policy_text expected, both are given");
    }
    return true;
}

static struct snapshot *open_snapshot(const struct filterd_options *o, struct error *err)
{
    struct rule_set_options options = {.cache_directory = o->cache, .only_used = o->policy_text == NULL};
    struct snapshot *first = snapshot_open(o->rules, o->policy, &options, err);

    if (first == NULL || o->policy_text == NULL) {
        return first;
    }
    struct snapshot *second = snapshot_load(first->rules, "policy", span_str(o->policy_text), err);
    snapshot_unref(first);
    return second;
}

static bool copy_name(struct arena *a, const char *name, struct span *out, struct error *err)
{
    return arena_copy(a, name != NULL ? span_str(name) : span_of("", 0), out, err);
}

static bool copy_identity(struct filterd_engine *e, const struct filterd_options *o, struct error *err)
{
    e->who.route = e->who.session = span_of("", 0);
    return copy_name(&e->memory, o->tenant, &e->who.tenant, err) && copy_name(&e->memory, o->app, &e->who.app, err) &&
           copy_name(&e->memory, o->agent, &e->who.agent, err);
}

static bool choose_policy(struct filterd_engine *e, const struct filterd_options *o, struct error *err)
{
    e->policy = snapshot_policy(e->snapshot, o->policy_name != NULL ? span_str(o->policy_name) : span_of("", 0), e->who.tenant);
    return e->policy != NULL || error_set(err, ERROR_NOT_FOUND, "policy_name: the name of a policy expected, there is no '%s'",
                                          o->policy_name != NULL ? o->policy_name : "default");
}

static bool copy_text(struct arena *a, struct span text, const char **out, struct error *err)
{
    char *copy = arena_array(a, text.len + 1, 1, err);

    if (copy == NULL) {
        return false;
    }
    memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    *out = copy;
    return true;
}

static bool name_rules(struct filterd_engine *e, struct error *err)
{
    const struct rule_set *set = e->snapshot->rules;

    e->rule_names = arena_array(&e->memory, (size_t)set->n_rules + 1, sizeof(*e->rule_names), err);
    if (e->rule_names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < set->n_rules; i++) {
        if (!copy_text(&e->memory, set->rules[i].id, &e->rule_names[i], err)) {
            return false;
        }
    }
    e->rule_names[set->n_rules] = "filterd.unjudged";
    return copy_text(&e->memory, e->policy->digest, &e->digest, err);
}

static void take_key(uint8_t key[32], const uint8_t *given)
{
    if (given != NULL) {
        memcpy(key, given, 32);
    } else {
        randombytes_buf(key, 32);
    }
}

static bool open_engine(struct filterd_engine *e, const struct filterd_options *o, struct error *err)
{
    if (sodium_init() < 0) {
        return error_set(err, ERROR_INTERNAL, "libsodium cannot start");
    }
    take_key(e->keys.hash, o->hash_key);
    take_key(e->keys.encrypt, o->encrypt_key);
    e->snapshot = open_snapshot(o, err);
    return e->snapshot != NULL && copy_identity(e, o, err) && choose_policy(e, o, err) && name_rules(e, err);
}

filterd_engine *filterd_open(const struct filterd_options *options, char *error, size_t error_size)
{
    struct filterd_options copied;
    struct error err;
    struct filterd_engine *e = calloc(1, sizeof(*e));

    if (e == NULL) {
        error_set(&err, ERROR_NO_MEMORY, "no memory for an engine");
        engine_report(&err, error, error_size);
        return NULL;
    }
    e->process = getpid();
    pthread_mutex_init(&e->lock, NULL);
    arena_init(&e->memory, 0, NAMES_MAX);
    if (!options_copy(options, &copied, &err) || !open_engine(e, &copied, &err)) {
        engine_report(&err, error, error_size);
        filterd_close(e);
        return NULL;
    }
    return e;
}

void filterd_close(filterd_engine *engine)
{
    if (engine == NULL) {
        return;
    }
    for (size_t i = 0; i < engine->n_idle; i++) {
        filterd_worker_free(engine->idle[i]);
    }
    if (engine->snapshot != NULL) {
        snapshot_unref(engine->snapshot);
    }
    arena_deinit(&engine->memory);
    pthread_mutex_destroy(&engine->lock);
    sodium_memzero(&engine->keys, sizeof(engine->keys));
    free(engine);
}

bool engine_is_here(const struct filterd_engine *engine, struct error *err)
{
    return engine->process == getpid() ||
           error_set(err, ERROR_INVALID, "the engine was opened before fork: open one in each process");
}

static struct filterd_worker *worker_open(const struct filterd_engine *engine, struct error *err)
{
    struct worker_limits limits = worker_limits_default();
    struct filterd_worker *w = calloc(1, sizeof(*w));

    _Static_assert((int)FILTERD_TEXT_MAX == (int)VIEW_TEXT_MAX, "filterd.h states the limit of a text");
    if (w == NULL) {
        error_set(err, ERROR_NO_MEMORY, "worker: no memory");
        return NULL;
    }
    w->engine = engine;
    w->worker = worker_new(&limits, &engine->keys, err);
    if (w->worker == NULL) {
        free(w);
        return NULL;
    }
    return w;
}

filterd_worker *filterd_worker_new(filterd_engine *engine)
{
    struct error err;

    return engine_is_here(engine, &err) ? worker_open(engine, &err) : NULL;
}

void filterd_worker_free(filterd_worker *worker)
{
    if (worker != NULL) {
        worker_free(worker->worker);
        free(worker);
    }
}

struct filterd_worker *engine_take_worker(struct filterd_engine *engine, struct error *err)
{
    struct filterd_worker *w = NULL;

    pthread_mutex_lock(&engine->lock);
    if (engine->n_idle > 0) {
        w = engine->idle[--engine->n_idle];
    }
    pthread_mutex_unlock(&engine->lock);
    return w != NULL ? w : worker_open(engine, err);
}

void engine_give_worker(struct filterd_engine *engine, struct filterd_worker *worker)
{
    pthread_mutex_lock(&engine->lock);
    bool is_kept = engine->n_idle < IDLE_WORKERS_MAX;
    if (is_kept) {
        engine->idle[engine->n_idle++] = worker;
    }
    pthread_mutex_unlock(&engine->lock);
    if (!is_kept) {
        filterd_worker_free(worker);
    }
}

const char *filterd_digest(const filterd_engine *engine)
{
    return engine->digest;
}

const char *filterd_version(void)
{
    return FILTERD_VERSION;
}

uint32_t filterd_abi(void)
{
    return FILTERD_ABI;
}

uint32_t filterd_rule_count(const filterd_engine *engine)
{
    return engine->snapshot->rules->n_rules;
}

const char *filterd_rule_name(const filterd_engine *engine, uint32_t rule)
{
    return rule <= filterd_rule_count(engine) ? engine->rule_names[rule] : NULL;
}

const char *filterd_action_name(uint8_t action)
{
    return action <= ACTION_ALLOW ? action_name((enum action)action) : NULL;
}

const char *filterd_category_name(uint8_t category)
{
    return category < CATEGORY_COUNT ? category_name((enum category)category) : NULL;
}

const char *filterd_severity_name(uint8_t severity)
{
    return severity < SEVERITY_COUNT ? severity_name((enum severity)severity) : NULL;
}
