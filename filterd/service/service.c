#include "service/service.h"

#include <fcntl.h>
#include <sodium.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/log.h"
#include "fleet/fleet.h"
#include "registration/registration_socket.h"
#include "http/identities.h"
#include "policy/names.h"
#include "service/access_session.h"
#include "service/admin_digests.h"
#include "service/exports.h"
#include "service/open_stream.h"
#include "service/page_identity.h"
#include "service/request.h"
#include "service/sealing.h"
#include "service/service_parts.h"
#include "decision_log/verification.h"
#include "service/admission.h"
#include "prompt/history.h"

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

/* One reactor per thread that serves callers: each judges what it fetches. */
static bool make_reactors(struct service *s, struct error *err)
{
    struct worker_limits limits = worker_limits_default();

    if (s->upstreams == NULL) {
        return true;
    }
    limits.text_max = s->options->text_max;
    s->reactors = calloc(s->options->threads, sizeof(struct reactor *));
    if (s->reactors == NULL || curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return error_set(err, ERROR_NO_MEMORY, "proxy: libcurl cannot start");
    }
    while (s->n_reactors < s->options->threads) {
        struct reactor *r = reactor_new(&limits, &s->keys.redaction, err);
        if (r == NULL) {
            return false;
        }
        s->reactors[s->n_reactors++] = r;
    }
    return true;
}

bool service_init(struct service *s, const struct service_options *options,
                  struct upstreams *upstreams, struct endpoints *endpoints, struct error *err)
{
    *s = (struct service){
        .options = options, .statm = -1, .upstreams = upstreams, .helper = {.channel = -1}, .signer = {.socket = -1}};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_mutex_init(&s->reloading, NULL);
    (void)pthread_mutex_init(&s->reviews.lock, NULL);
    for (size_t i = 0; i < SERVICE_SPARES; i++) {
        (void)pthread_mutex_init(&s->spare[i].lock, NULL);
    }
    if (endpoints != NULL && (s->supervisor = supervisor_new(endpoints, err)) == NULL) {
        return false;
    }
    if (!shipments_init(&s->shipments, options->ship_required, options->ship_state, options->state_directory,
                        (int64_t)options->ship_within * 1000, err)) {
        return false;
    }
    if (sodium_init() < 0) {
        return error_set(err, ERROR_INTERNAL, "libsodium: cannot start");
    }
    s->sessions = sessions_new(options->page_session_limit, err);
    s->verification = verification_new(err);
    if (s->sessions == NULL || s->verification == NULL || !service_load_tokens(options, &s->tokens, err) ||
        !access_init_passkeys(s, err)) {
        return false;
    }
    if (options->page_identity != NULL && (s->page_identity = page_identity_load(options->page_identity, err)) == NULL) {
        return false;
    }
    if (options->tls_certificate != NULL &&
        (s->tls = tls_new(options->tls_certificate, options->tls_key, options->tls_client_ca, err)) == NULL) {
        return false;
    }
    s->snapshot = service_load_snapshot(options, err);
    s->names = s->snapshot == NULL ? NULL : names_open(options->rules, err);
    if (s->names == NULL || (!names_are_built_in(s->names) && !names_check(s->names, s->snapshot->rules, err))) {
        return false;
    }
    return upstreams_check_policies(upstreams, s->snapshot, err);
}

static bool make_streams(struct service *s, struct error *err)
{
    const struct stream_table_options options = {
        .max = s->options->streams,
        .wait_ns = s->options->stream_timeout * 1000000000,
        .expired = open_stream_expire,
        .context = s,
    };
    const struct conversations_options conversations = {
        .max = s->options->conversations, .bytes_max = s->options->conversation_memory,
        .idle_ns = s->options->conversation_timeout * 1000000000, .limits = masking_limits_default,
    };

    s->streams = stream_table_new(&options, err);
    s->conversations = s->streams != NULL ? conversations_new(&conversations, err) : NULL;
    s->history = s->conversations != NULL ? history_new(HISTORY_ENTRIES_DEFAULT, err) : NULL;
    return s->history != NULL;
}

static struct snapshot *current_snapshot(void *service)
{
    return service_snapshot(service);
}

static bool open_registrations(struct service *s, struct error *err)
{
    const struct registration_owner owner = {.agents = &s->agents, .helper = &s->helper, .identities = s->identities,
                                             .kill_test = s->options->kill_test, .snapshot = current_snapshot, .context = s};
    struct address a;

    if (!address_parse(s->options->agents, &a, err)) { /* of which kind was checked before */
        return false;
    }
    s->registrations = registration_socket_open(&owner, &a, (unsigned)s->options->agents_mode, err);
    return s->registrations != NULL;
}

static void log_proof(void *context, const char *text)
{
    (void)context;
    log_warn("record: %s", text);
}

static bool open_log(struct service *s, struct error *err)
{
    const struct decision_proving proving = {.signer = &s->signer, .new_record = s->options->new_record, .notice = log_proof};

    s->log = s->signer.socket < 0 ? decision_log_open(s->options->log, err)
                                  : decision_log_open_proven(s->options->log, &proving, err);
    return s->log != NULL;
}

bool service_open(struct service *s, struct error *err)
{
    if (!keys_load(s->options->state_directory, &s->keys, err) || !make_pool(s, err) ||
        !make_streams(s, err) || !access_open_passkeys(s, err)) {
        return false;
    }
    s->token_keys = token_keys_open(s->options->state_directory, clock_utc_ns(), err);
    s->identities = s->token_keys == NULL ? NULL : identities_new(&s->keys, err);
    if (s->identities == NULL) {
        return false;
    }
    admission_equip(s, s->snapshot);
    s->statm = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    if (!witnessed_open(&s->witnessed, s->options, err) || !open_log(s, err)) {
        return false;
    }
    if (!sealing_open(s, s->snapshot, err)) {
        return false;
    }
    if (decision_log_repaired(s->log) > 0) {
        log_warn("record: exchanges that a crash had left open are aborted n=%zu", decision_log_repaired(s->log));
    }
    const bool has_history = decision_log_signed_before(s->log) > 0;
    admin_open(&s->admin, s->log, s->options->state_directory);
    if (!admin_record_state(s, s->snapshot, s->tokens, "start", err)) {
        return false;
    }
    const struct agents_options agents = {.helper = s->snapshot->violations.n_hooks > 0 ? &s->helper : NULL,
                                           .state_directory = s->options->state_directory, .has_history = has_history,
                                           .accounts = LEDGER_MAX_DEFAULT, .slots = KILLER_SLOTS_DEFAULT};
    s->agents.review = admission_mark_event;
    s->agents.review_context = s;
    return exports_open(s, err) && agents_open(&s->agents, &agents, s->log, err) && admission_open_fleet(s, err) && open_registrations(s, err) &&
           admission_open_budgets(s, s->snapshot, err) && make_reactors(s, err);
}

/* With a checkpoint of this log first, as a new one has none: the policy names its origin. A failure shows in the metrics. */
static bool start_witnesses(struct service *s, struct error *err)
{
    struct error ignored;

    (void)!(s->signer.socket >= 0 && decision_log_checkpoint(s->log, &ignored));
    return witnessed_start(&s->witnessed, s->options, s->log, &s->signer, err);
}

/* For those who ask at the operators' listener. */
static bool start_index(struct service *s, struct error *err)
{
    bool is_wanted = strcmp(s->options->index, "on") == 0 && strcmp(s->options->operators, "none") != 0;

    return !is_wanted || following_start(&s->following, s->log, s->options->log, &s->witnessed, err);
}

bool service_start(struct service *s, struct error *err)
{
    for (unsigned i = 0; i < s->n_reactors; i++) {
        if (!reactor_start(s->reactors[i], err)) {
            return false;
        }
    }
    return agents_start(&s->agents, err) && (s->fleet == NULL || fleet_start(s->fleet, err)) && registration_socket_start(s->registrations, err) &&
           (s->supervisor == NULL || supervisor_start(s->supervisor, err)) && worker_pool_start(s->pool, err) &&
           start_witnesses(s, err) && start_index(s, err) &&
           stream_table_start(s->streams, err) && conversations_start(s->conversations, err);
}

/* Before the record closes, as what ends is recorded; they go after it, as its last callbacks still come to them. */
static void stop_reactors(struct service *s)
{
    for (unsigned i = 0; i < s->n_reactors; i++) {
        reactor_stop(s->reactors[i]);
    }
}

static void free_reactors(struct service *s)
{
    for (unsigned i = 0; i < s->n_reactors; i++) {
        reactor_free(s->reactors[i]);
    }
    free(s->reactors);
}

void service_deinit(struct service *s)
{
    if (s->supervisor != NULL) {
        supervisor_stop(s->supervisor); /* hands what it was asked back to the pool */
    }
    worker_pool_free(s->pool);
    exports_close(s);
    following_stop(&s->following);
    witnessed_close(&s->witnessed);
    registration_socket_close(s->registrations);
    stop_reactors(s);
    stream_table_free(s->streams); /* writes records */
    fleet_close(s->fleet);         /* likewise, as do the agents */
    agents_close(&s->agents);
    decision_log_close(s->log);
    s->log = NULL;
    sealer_close(s->sealer); /* the record's writer used it */
    signer_stop(&s->signer);
    free_reactors(s);
    admission_close_budgets(s); /* which streams of the proxy gave back to */
    conversations_free(s->conversations);
    history_free(s->history);
    supervisor_free(s->supervisor);
    helper_stop(&s->helper);
    snapshot_unref(s->snapshot);
    upstreams_unref(s->upstreams);
    tokens_free(s->tokens);
    sessions_free(s->sessions);
    passkeys_close(s->passkeys);
    verification_free(s->verification);
    page_identity_free(s->page_identity);
    tls_free(s->tls);
    request_free_spare(s);
    if (s->statm >= 0) {
        close(s->statm);
    }
    identities_free(s->identities);
    names_free(s->names);
    token_keys_close(s->token_keys);
    keys_wipe(&s->keys);
    (void)pthread_mutex_destroy(&s->lock);
    (void)pthread_mutex_destroy(&s->reloading);
    (void)pthread_mutex_destroy(&s->reviews.lock);
    reviews_seen_deinit(&s->reviews.seen);
    for (size_t i = 0; i < SERVICE_SPARES; i++) {
        (void)pthread_mutex_destroy(&s->spare[i].lock);
    }
}

struct snapshot *service_snapshot(struct service *s)
{
    (void)pthread_mutex_lock(&s->lock);
    struct snapshot *snapshot = snapshot_ref(s->snapshot);
    (void)pthread_mutex_unlock(&s->lock);
    return snapshot;
}

void service_state(struct service *s, struct snapshot **snapshot, struct upstreams **upstreams)
{
    (void)pthread_mutex_lock(&s->lock);
    *snapshot = snapshot_ref(s->snapshot);
    *upstreams = upstreams_ref(s->upstreams);
    (void)pthread_mutex_unlock(&s->lock);
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

bool service_token_name(struct service *s, struct span token, char *name, size_t size)
{
    uint8_t hash[TOKEN_HASH];

    token_hash(token, hash);
    (void)pthread_mutex_lock(&s->lock);
    const char *found = tokens_name(s->tokens, hash);
    bool is_found = found[0] != '\0';
    if (is_found) {
        (void)snprintf(name, size, "%s", found);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return is_found;
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

/* The log says it once when it changes. */
static bool is_shipped(struct service *s)
{
    struct span late = span_of("", 0);
    bool is_on_time = shipments_are_on_time(&s->shipments, clock_utc_ns(), &late);

    if (atomic_exchange(&s->is_late, !is_on_time) != !is_on_time) {
        if (is_on_time) {
            log_info("record: all required sinks are on time again");
        } else {
            log_warn("record: sink " SPAN_FMT " does not have what is older than %llu s: not ready", SPAN_ARG(late),
                     (unsigned long long)s->options->ship_within);
        }
    }
    return is_on_time;
}

const char *service_obstacle(struct service *s)
{
    const struct {
        bool is_good;
        const char *obstacle;
    } parts[] = {
        {!atomic_load(&s->is_draining), "not ready: the service is stopping"},
        {decision_log_is_healthy(s->log), "not ready: the record cannot be written or signed"},
        {ledger_store_is_healthy(s->agents.store), "not ready: accounts of agents cannot be written"},
        {!bundled_blocks(&s->bundled), "not ready: the policy bundle has expired"},
        {budget_store_is_healthy(s->budget_store), "not ready: disclosure budgets cannot be written"},
        {witnessed_is_ready(&s->witnessed), "not ready: witnesses have not cosigned the record in time"},
        {is_shipped(s), "not ready: a required sink does not have the record in time"},
    };

    for (size_t i = 0; i < COUNT(parts); i++) {
        if (!parts[i].is_good) {
            return parts[i].obstacle;
        }
    }
    return NULL;
}

bool service_is_ready(struct service *s)
{
    return service_obstacle(s) == NULL;
}
