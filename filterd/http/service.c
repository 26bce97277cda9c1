#include "http/service.h"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "base/log.h"
#include "http/open_stream.h"
#include "http/request.h"
#include "pipeline/load.h"

static struct snapshot *load_snapshot(const struct service_options *o, struct error *err)
{
    const struct rule_set_options options = {
        .cache_directory = o->cache_directory,
        .test_examples = true,
    };

    return snapshot_open(o->rules, o->policy, &options, err);
}

static bool load_tokens(const struct service_options *o, struct tokens **out, struct error *err)
{
    *out = o->tokens == NULL ? NULL : tokens_load(o->tokens, err);
    return o->tokens == NULL || *out != NULL;
}

static bool make_pool(struct service *s, struct error *err)
{
    const struct service_options *o = s->options;
    struct worker_pool_options options = {
        .lent = (unsigned)o->threads * 2, /* two listeners */
        .threads = (unsigned)o->threads,
        .queue = (unsigned)o->queue,
        .limits = worker_limits_default(),
        .keys = &s->keys.redaction,
    };

    options.limits.text_max = o->text_max;
    s->pool = worker_pool_new(&options, err);
    return s->pool != NULL;
}

bool service_init(struct service *s, const struct service_options *options, struct error *err)
{
    *s = (struct service){.options = options, .statm = -1};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->reloading, NULL);
    if (sodium_init() < 0) {
        return error_set(err, ERROR_INTERNAL, "libsodium: cannot start");
    }
    if (!load_tokens(options, &s->tokens, err)) {
        return false;
    }
    if (options->tls_certificate != NULL) {
        s->tls = tls_new(options->tls_certificate, options->tls_key, options->tls_client_ca, err);
        if (s->tls == NULL) {
            return false;
        }
    }
    s->snapshot = load_snapshot(options, err);
    return s->snapshot != NULL;
}

static bool make_streams(struct service *s, struct error *err)
{
    const struct stream_table_options options = {
        .max = s->options->streams,
        .wait_ns = s->options->stream_timeout * 1000000000,
        .expired = open_stream_expire,
        .context = s,
    };

    s->streams = stream_table_new(&options, err);
    return s->streams != NULL;
}

bool service_open(struct service *s, struct error *err)
{
    if (!keys_load(s->options->state_directory, &s->keys, err) || !make_pool(s, err) ||
        !make_streams(s, err)) {
        return false;
    }
    s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    s->log = decision_log_open(s->options->log, err);
    return s->log != NULL;
}

void service_deinit(struct service *s)
{
    worker_pool_free(s->pool);
    stream_table_free(s->streams); /* writes records */
    if (s->log != NULL) {
        decision_log_close(s->log);
    }
    snapshot_unref(s->snapshot);
    tokens_free(s->tokens);
    tls_free(s->tls);
    request_free_spare(s);
    if (s->statm >= 0) {
        close(s->statm);
    }
    keys_wipe(&s->keys);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_mutex_destroy(&s->reloading);
}

static void swap(struct service *s, struct snapshot **snapshot, struct tokens **tokens)
{
    struct snapshot *old_snapshot = s->snapshot;
    struct tokens *old_tokens = s->tokens;

    (void)pthread_mutex_lock(&s->lock);
    s->snapshot = *snapshot;
    s->tokens = *tokens;
    (void)pthread_mutex_unlock(&s->lock);
    *snapshot = old_snapshot;
    *tokens = old_tokens;
}

/* The certificate comes last: it is the only step that cannot be taken back. */
static bool reload(struct service *s, struct error *err)
{
    struct tokens *tokens = NULL;
    struct snapshot *snapshot = NULL;

    bool is_loaded = load_tokens(s->options, &tokens, err);
    if (is_loaded && tokens_count(s->tokens) > 0 && tokens_count(tokens) == 0) {
        is_loaded = error_set(err, ERROR_INVALID,
                              "%s: at least one token expected: taking the "
                              "last one away would open the service",
                              s->options->tokens);
    }
    if (is_loaded) {
        snapshot = load_snapshot(s->options, err);
        is_loaded = snapshot != NULL && (s->tls == NULL || tls_reload(s->tls, err));
    }
    if (is_loaded) {
        swap(s, &snapshot, &tokens);
    }
    snapshot_unref(snapshot);
    tokens_free(tokens);
    return is_loaded;
}

bool service_reload(struct service *s, struct error *err)
{
    struct error reopen_err;

    (void)pthread_mutex_lock(&s->reloading);
    bool is_loaded = reload(s, err);
    if (!decision_log_reopen(s->log, &reopen_err)) {
        log_error("record: the file was not reopened, the old one stays in use: %s",
                  reopen_err.text);
    }
    unsigned n_rules = s->snapshot->rules->n_rules; /* only a reload changes it, and this is one */
    (void)pthread_mutex_unlock(&s->reloading);
    (void)atomic_fetch_add(is_loaded ? &s->metrics.reloads : &s->metrics.reload_failures, 1);
    if (is_loaded) {
        log_info("reload: done rules=%u", n_rules);
    } else {
        log_error("reload: refused, the old state stays: %s", err->text);
    }
    return is_loaded;
}

struct snapshot *service_snapshot(struct service *s)
{
    (void)pthread_mutex_lock(&s->lock);
    struct snapshot *snapshot = snapshot_ref(s->snapshot);
    (void)pthread_mutex_unlock(&s->lock);
    return snapshot;
}

size_t service_token_count(struct service *s)
{
    (void)pthread_mutex_lock(&s->lock);
    size_t n = tokens_count(s->tokens);
    (void)pthread_mutex_unlock(&s->lock);
    return n;
}

unsigned service_role(struct service *s, struct span token)
{
    uint8_t hash[TOKEN_HASH];

    if (token.len < TOKEN_MIN || token.len > TOKEN_MAX) {
        return 0;
    }
    token_hash(token, hash);
    (void)pthread_mutex_lock(&s->lock);
    unsigned role = tokens_role(s->tokens, hash);
    (void)pthread_mutex_unlock(&s->lock);
    return role;
}

bool service_hold(struct service *s, uint64_t n)
{
    uint64_t held = atomic_fetch_add_explicit(&s->held, n, memory_order_relaxed) + n;

    if (held > s->options->memory_max) {
        service_release(s, n);
        return false;
    }
    return true;
}

void service_release(struct service *s, uint64_t n)
{
    (void)atomic_fetch_sub_explicit(&s->held, n, memory_order_relaxed);
}

bool service_is_ready(struct service *s)
{
    return !atomic_load(&s->is_draining) && decision_log_is_healthy(s->log);
}
