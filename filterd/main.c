/* main.c - the service: command line, wiring, signals, reload, stop. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <malloc.h>
#include <signal.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/plural.h"
#include "config.h"
#include "console/console.h"
#include "decision_log/decision_file.h"
#include "http/notify.h"
#include "scan/child.h"
#include "server/child_process.h"
#include "server/server.h"
#include "pipeline/load.h"
#include "pipeline/stream.h"
#include "reach.h"
#include "sandbox/sandbox.h"
#include "scan/prefilter.h"
#include "token_line.h"

/* Exit codes of every program: clean, found something, could not do the work. */
enum { EXIT_CLEAN = 0, EXIT_FAILED = 2 };

enum { OTHER_FILES = 64 }; /* that are neither connections nor streams */
enum { FILES_OF_A_THREAD = 4, CONNECTIONS_LEAST = 16 };
enum { POLICY_MEMORY = 128 * 1024 * 1024 };

static sigset_t awaited;

static int fail(const struct error *err)
{
    log_error("filterd: %s", err->text);
    return EXIT_FAILED;
}

/* Before the first thread, so that all of them leave signals to main. */
static void block_signals(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGTERM);
    (void)sigaddset(&awaited, SIGINT);
    (void)sigaddset(&awaited, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

/* Without a descriptor left neither health nor the record's next file would be there; so there are fewer connections, and for
 * the streams to upstreams what they leave, at least a quarter. */
static bool fit_connections(struct service_options *o, uint64_t allowed, uint64_t others, struct error *err)
{
    uint64_t room = allowed > others ? allowed - others : 0;
    uint64_t connections = o->upstreams != NULL ? room / 4 * 3 : room;

    if (connections < CONNECTIONS_LEAST) {
        return error_set(err, ERROR_LIMIT, "%" PRIu64 " open files are allowed: at least %" PRIu64 " expected (LimitNOFILE=)",
                         allowed, others + 2 * CONNECTIONS_LEAST);
    }
    o->connections = o->connections < connections ? o->connections : connections;
    uint64_t streams = room - o->connections;
    o->proxy_streams = o->upstreams == NULL || o->proxy_streams < streams ? o->proxy_streams : streams;
    return true;
}

static bool raise_file_limit(struct service_options *o, struct error *err)
{
    uint64_t others = OTHER_FILES + FILES_OF_A_THREAD * o->threads;
    uint64_t need = o->connections + (o->upstreams != NULL ? o->proxy_streams : 0) + others;
    struct rlimit files;

    if (getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return error_errno(err, "limit of open files");
    }
    const struct rlimit more = {.rlim_cur = need, .rlim_max = need};
    if (files.rlim_max < need && setrlimit(RLIMIT_NOFILE, &more) == 0) {
        return true; /* as root */
    }
    files.rlim_cur = files.rlim_max;
    (void)setrlimit(RLIMIT_NOFILE, &files);
    if (files.rlim_max >= need) {
        return true;
    }
    if (!fit_connections(o, files.rlim_max, others, err)) {
        return false;
    }
    log_warn("filterd: %" PRIu64 " open files are allowed, %" PRIu64 " may be needed: connections=%" PRIu64 " and proxy-streams=%" PRIu64
             " are used, until the hard limit is raised (LimitNOFILE=)",
             (uint64_t)files.rlim_max, need, o->connections, o->proxy_streams);
    return true;
}

static bool make_directory_of(const char *file, struct error *err)
{
    char directory[PATH_MAX];

    (void)snprintf(directory, sizeof(directory), "%s", file);
    char *slash = strrchr(directory, '/');
    if (slash == NULL || slash == directory) {
        return true;
    }
    *slash = '\0';
    return file_make_directory(directory, err);
}

static bool make_directories(const struct service_options *o, struct error *err)
{
    const char *sockets[] = {reach_socket(o->listen), reach_socket(o->operators), reach_socket(o->agents), reach_socket(o->link),
                             reach_socket(o->ext_proc)};

    for (size_t i = 0; i < COUNT(sockets); i++) {
        if (sockets[i] != NULL && !make_directory_of(sockets[i], err)) {
            return false;
        }
    }
    return (o->copies == NULL || file_make_directory(o->copies, err)) && (o->state_directory == NULL || file_make_directory(o->state_directory, err)) &&
           (o->cache_directory == NULL || file_make_directory(o->cache_directory, err)) &&
           make_directory_of(o->log, err);
}

static void log_ready(const struct server *s, uint64_t started_ns)
{
    char listen[ADDRESS_TEXT], operators[ADDRESS_TEXT];
    struct snapshot *snapshot = service_snapshot(s->service);

    address_text(&s->listeners[0].address, listen);
    address_text(&s->listeners[1].address, operators);
    log_info("filterd: ready listen=%s operators=%s tls=%s tokens=%zu rules=%u log=%s "
             "start_ms=%" PRIu64,
             listen, operators, s->service->tls != NULL ? "on" : "off",
             service_token_count(s->service), snapshot->rules->n_rules, s->service->options->log,
             (clock_monotonic_ns() - started_ns) / 1000000);
    snapshot_unref(snapshot);
    notify_send("READY=1");
}

/* Requests are served meanwhile. */
static void prepare_streams(struct service *s)
{
    struct snapshot *snapshot = service_snapshot(s);

    stream_prepare(snapshot);
    snapshot_unref(snapshot);
}

static void reload(struct service *s)
{
    char state[80];
    struct error err;

    (void)snprintf(state, sizeof(state), "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
                   clock_monotonic_ns() / 1000);
    notify_send(state);
    /* The service logs how it went. */
    notify_send(service_reload(s, "SIGHUP", &err) ? "READY=1" : "READY=1\nSTATUS=reload refused");
}

static void serve_until_stopped(struct service *s)
{
    int signal = 0;

    do {
        if (sigwait(&awaited, &signal) != 0) {
            continue;
        }
        if (signal == SIGHUP) {
            reload(s);
        }
    } while (signal != SIGTERM && signal != SIGINT);
    log_info("filterd: stopping signal=%d", signal);
    notify_send("STOPPING=1");
}

/* A second signal means at once. */
static bool is_hurried(void)
{
    static bool has_come;
    const struct timespec no_wait = {0};
    int signal = sigtimedwait(&awaited, NULL, &no_wait);

    has_come = has_come || signal == SIGTERM || signal == SIGINT;
    return has_come;
}

/* Before the files are locked, as they say what else may be reached. */
static bool load_outside(const struct service_options *o, struct upstreams **upstreams,
                         struct endpoints **endpoints, struct witnesses **witnesses, struct error *err)
{
    *witnesses = o->witnesses == NULL ? NULL : witnesses_load(o->witnesses, err);
    if (o->witnesses != NULL && *witnesses == NULL) {
        return false;
    }
    *upstreams = o->upstreams == NULL ? NULL : upstreams_load(o->upstreams, err);
    if (o->upstreams != NULL && *upstreams == NULL) {
        return false;
    }
    *endpoints = o->supervisors == NULL ? NULL : endpoints_load(o->supervisors, err);
    return o->supervisors == NULL || *endpoints != NULL;
}

/* Before all that reads rules or policy. */
static bool start_bundled(const struct service_options *o, struct bundled *b, struct error *err)
{
    const struct policy_bundle_place place = {
        .bundles = o->bundles, .keys = o->bundle_keys, .state_directory = o->state_directory, .engine = FILTERD_VERSION};

    b->blocks_expired = strcmp(o->on_expired, "block") == 0;
    return bundled_start(b, &place, o->cache_directory, err);
}

/* With the hooks of the policy as it is now: a reload cannot change them. */
static bool start_helper(const struct service_options *o, struct helper *helper, struct error *err)
{
    struct arena memory CLEANUP(arena_deinit);
    struct violations v;

    arena_init(&memory, 0, POLICY_MEMORY);
    return violations_open(o->rules, o->policy, &memory, &v, err) && helper_start(helper, &v, err);
}

/* A process of its own, which has the record's key. */
static bool start_signer(const struct service_options *o, struct signer *signer, struct error *err)
{
    *signer = (struct signer){.socket = -1};
    if (strcmp(o->proof, "off") == 0) {
        if (o->receipts != NULL && strcmp(o->receipts, "always") == 0) {
            return error_set(err, ERROR_INVALID, "receipts: always only with proof=on");
        }
        return o->new_record == NULL || error_set(err, ERROR_INVALID, "new-record: only with proof=on");
    }
    if (o->new_record != NULL && o->new_record[0] == '\0') {
        return error_set(err, ERROR_INVALID, "new-record: a reason expected");
    }
    const char *directory = o->signer_directory != NULL ? o->signer_directory : o->state_directory;
    if (directory == NULL) {
        return error_set(err, ERROR_INVALID, "proof: a state directory expected for the record's key (or proof=off)");
    }
    return signer_start(signer, NULL, directory, err);
}

static bool open_all(struct service *service, struct server *server, const struct config *c, struct error *err)
{
    const struct service_options *o = &c->service;
    struct upstreams *upstreams = NULL;
    struct endpoints *endpoints = NULL;
    struct witnesses *witnesses = NULL;
    struct bundled bundled = {.version = 0};
    struct helper helper;
    struct signer signer;
    bool is_locked = strcmp(c->sandbox, "on") == 0;

    if (!make_directories(o, err) || !start_bundled(o, &bundled, err) || !load_outside(o, &upstreams, &endpoints, &witnesses, err)) {
        return false;
    }
    /* Before the sandbox, which forbids it what it is for. */
    if (!start_helper(o, &helper, err) || !start_signer(o, &signer, err)) {
        return false;
    }
    if (is_locked) {
        reach_restrict(o, upstreams, endpoints, witnesses);
    }
    bool is_made = service_init(service, o, upstreams, endpoints, err);
    service->bundled = bundled;
    service->helper = helper;
    service->witnessed.witnesses = witnesses;
    service->signer = signer;
    bool is_open = is_made && console_open(service, err) && service_open(service, err) &&
                   server_init(server, service, err) && server_open(server, err);
    service->locks_ports = is_locked;
    return is_open;
}

/* The first start takes seconds for what later ones read from the cache. */
static const char *cache_directory;
static void log_compile(void)
{
    if (cache_directory == NULL) {
        log_info("rules: compiling them, at every start as there is no cache");
    } else {
        log_info("rules: compiling them, once: the result is kept in %s", cache_directory);
    }
}

/* Larger blocks are mappings of their own. Compilers of patterns have many for a moment, and between blocks that stay those would
 * keep 5 MiB of the heap; requests take theirs from the heap, as glibc does once a program has freed a large one. */
static void map_blocks_from(int kib)
{
    (void)mallopt(M_MMAP_THRESHOLD, kib * 1024);
    (void)mallopt(M_TRIM_THRESHOLD, kib * 2048);
}

static bool start_all(struct service *service, struct server *server, const struct config *c, struct error *err)
{
    child_run_by(NULL);
    if (strcmp(c->sandbox, "on") == 0) {
        sandbox_restrict_calls(service->upstreams != NULL || service->supervisor != NULL ||
                               service->witnessed.witnesses != NULL);
    } else {
        log_warn("sandbox: switched off");
    }
    (void)malloc_trim(0); /* loading rules, and even more compiling them, leaves what the service does not need */
    map_blocks_from(16 * 1024);
    return service_start(service, err) && console_start(service, err) && server_start(server, err);
}

static int run(const struct config *given)
{
    struct config fitted = *given; /* to the open files that are allowed */
    const struct config *c = &fitted;
    static struct service service;
    static struct server server;
    struct error err;
    uint64_t started_ns = clock_monotonic_ns();

    map_blocks_from(64);
    if (!server_check_options(&c->service, &err)) {
        return fail(&err);
    }
    cache_directory = c->service.cache_directory;
    prefilter_tell_compile(log_compile);
    child_run_by(child_process_run); /* until there are threads, and system calls are locked */
    block_signals();
    notify_open();
    sandbox_harden();
    if (!raise_file_limit(&fitted.service, &err) || !open_all(&service, &server, c, &err) || !start_all(&service, &server, c, &err)) {
        return fail(&err);
    }
    log_ready(&server, started_ns);
    prepare_streams(&service);
    serve_until_stopped(&service);
    if (!server_drain(&server, is_hurried)) {
        log_warn("filterd: stopped with active requests n=%" PRId64,
                 atomic_load(&service.metrics.active_requests));
        _exit(EXIT_FAILED); /* threads still use what an orderly end would take away */
    }
    server_stop(&server);
    console_close(&service);
    service_deinit(&service);
    log_info("filterd: stopped");
    return EXIT_CLEAN;
}

static int check(const struct config *c)
{
    static struct service service;
    static struct server server;
    struct error err;

    struct upstreams *upstreams = NULL;
    struct endpoints *endpoints = NULL;
    struct witnesses *witnesses = NULL;

    bool is_right = server_check_options(&c->service, &err) && decision_file_check(c->service.log, &err) &&
                    load_outside(&c->service, &upstreams, &endpoints, &witnesses, &err) &&
                    service_init(&service, &c->service, upstreams, endpoints, &err) && console_check(&c->service, &err) &&
                    server_init(&server, &service, &err);
    if (is_right) {
        size_t n_rules = service.snapshot->rules->n_rules, n_policies = service.snapshot->n_policies;
        size_t n_tokens = tokens_count(service.tokens), n_upstreams = upstreams == NULL ? 0 : upstreams->n;
        printf("ok: %zu rule%s, %zu %s, %zu token%s, %zu upstream%s\n", n_rules, plural_s(n_rules), n_policies,
               plural(n_policies, "policy", "policies"), n_tokens, plural_s(n_tokens), n_upstreams, plural_s(n_upstreams));
    } else {
        (void)fprintf(stderr, "%s\n", err.text);
    }
    service_deinit(&service);
    witnesses_free(witnesses);
    return is_right ? EXIT_CLEAN : EXIT_FAILED;
}

static int hash_token(const struct config *c)
{
    return token_line_print(c->role, c->name) ? EXIT_CLEAN : EXIT_FAILED;
}

static int help(const struct config *c)
{
    (void)c;
    config_print_help(stdout);
    return EXIT_CLEAN;
}

static int version(const struct config *c)
{
    (void)c;
    printf("filterd %s\n", FILTERD_VERSION);
    return EXIT_CLEAN;
}

static int print_defaults(const struct config *c)
{
    (void)c;
    config_print_defaults(stdout);
    return EXIT_CLEAN;
}

int main(int argc, char **argv)
{
    static int (*const commands[])(const struct config *) = {
        [COMMAND_RUN] = run,
        [COMMAND_CHECK] = check,
        [COMMAND_HELP] = help,
        [COMMAND_VERSION] = version,
        [COMMAND_HASH_TOKEN] = hash_token,
        [COMMAND_PRINT_DEFAULTS] = print_defaults,
    };
    static const char *const levels[] = {"error", "warn", "info", "debug"};
    struct config config;
    struct error err;

    if (!config_init(&config, argc, argv, &err)) {
        config_deinit(&config);
        return fail(&err);
    }
    for (unsigned i = 0; i < COUNT(levels); i++) {
        if (strcmp(levels[i], config.log_level) == 0) {
            log_set_level((enum log_level)i);
        }
    }
    log_set_format(strcmp(config.log_format, "json") == 0 ? LOG_FORMAT_JSON : LOG_FORMAT_TEXT);
    int status = file_end_output(stdout, "filterd", commands[config.command](&config));
    config_deinit(&config);
    return status;
}
