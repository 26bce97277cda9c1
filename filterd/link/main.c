/* main.c - filterd-link(8): copies of the decision log in PostgreSQL, and what nodes share there. */
#include <curl/curl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "link/bundle_fetch.h"
#include "link/command.h"
#include "link/copy.h"
#include "link/fleet.h"
#include "link/gatherer.h"
#include "ship/reach.h"

enum { EXIT_CLEAN = 0, EXIT_FAILED = 2, METRICS_MS = 5000, METRICS_MAX = 16384, COMMAND_MS = 60000 };

static const struct option options[] = {
    {"config", required_argument, NULL, 'c'}, {"check", no_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},      {"stages", required_argument, NULL, 's'}, {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: filterd-link [--config FILE] [--check]\n"
    "       filterd-link [--config FILE] publish [--stages LIST] NOTE ARCHIVE\n"
    "       filterd-link [--config FILE] publish-keys NOTE | fetch | stop VERSION | status\n"
    "       filterd-link [--config FILE] gather DIR\n\n"
    "Copy every line of filterd's decision log to PostgreSQL, exactly once, and share agents' scores and orders with the\n"
    "other nodes there.\n\n"
    "Commands:\n"
    "  publish         Roll a policy bundle out to the nodes, in stages or to all at once\n"
    "  publish-keys    Publish the next bundle keys\n"
    "  fetch           Write the bundle in force to the folder of bundles, for a new node\n"
    "  stop            Stop a rollout: its nodes return to the bundle before\n"
    "  status          Print the bundles, and which node runs which\n"
    "  gather          Write the copies of all nodes' logs to a folder, for filterctl review fleet\n\n"
    "Options:\n"
    "  --config FILE   which log goes where (filterd-link(8)); default: /etc/filterd/link.yaml\n"
    "  --check         check the configuration and exit\n"
    "  --stages LIST   who gets the bundle when, such as 1:10m,25%:30m,100% or web-1+web-2:1h,100%\n"
    "  --help, --version\n";

static void block_signals(sigset_t *awaited)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigemptyset(awaited);
    (void)sigaddset(awaited, SIGTERM);
    (void)sigaddset(awaited, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, awaited, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

struct link {
    const struct link_config *config;
    struct link_database *database;
    struct link_store *store;
    struct link_copy copy;
    struct link_fleet fleet;
    struct link_gatherer gatherer;
    struct bundle_fetch bundles;
};

/* The sandbox is that of filterd-ship with a sink for each port of the database. */
static bool enter_sandbox(const struct link *l, const char *path, struct error *err)
{
    const struct link_config *c = l->config;
    struct ship_sink sinks[SHIP_SINKS_MAX];
    struct ship_config view = {.log = c->log, .state = c->state, .metrics = c->metrics, .sinks = sinks};
    struct ship_reach reach;

    view.n_sinks = link_database_reach(l->database, sinks);
    if (c->bundles != NULL && view.n_sinks < SHIP_SINKS_MAX) {
        sinks[view.n_sinks++] = (struct ship_sink){.name = span_str("bundles"), .file = c->bundles};
    }
    if (c->copies != NULL && view.n_sinks < SHIP_SINKS_MAX) {
        sinks[view.n_sinks++] = (struct ship_sink){.name = span_str("copies"), .file = c->copies};
    }
    if (c->bundle_url != NULL && view.n_sinks < SHIP_SINKS_MAX) {
        sinks[view.n_sinks++] = (struct ship_sink){.name = span_str("bundle-url"), .url = c->bundle_url, .port = c->bundle_port, .ca = c->bundle_ca};
    }
    bool is_made = ship_reach_init(&reach, &view, path, err);
    if (is_made) {
        ship_reach_enter(&reach);
        sandbox_restrict_calls_local();
    }
    ship_reach_deinit(&reach);
    return is_made;
}

static void write_metrics(const struct link *l)
{
    struct buf text CLEANUP(buf_deinit);
    const char *file = l->config->metrics;
    struct error err;

    buf_init(&text, METRICS_MAX);
    if (file != NULL && !(link_copy_put_metrics(&l->copy, &text, &err) && link_fleet_put_metrics(&l->fleet, &text, &err) &&
                          link_gatherer_put_metrics(&l->gatherer, &text, &err) && bundle_fetch_put_metrics(&l->bundles, &text, &err) &&
                          file_write_atomic(file, buf_span(&text), 0644, &err))) {
        log_warn("link: metrics: %s", err.text);
    }
}

/* Waits for the next step; the lag in the metrics grows meanwhile. True: a signal came. */
static bool is_stopped(const struct link *l, const sigset_t *awaited, int64_t wait_ms, int64_t *written_ms)
{
    for (int64_t until_ms = clock_monotonic_ms() + wait_ms;;) {
        int64_t now_ms = clock_monotonic_ms();
        if (*written_ms == 0 || now_ms - *written_ms >= METRICS_MS) {
            *written_ms = now_ms;
            write_metrics(l);
        }
        int64_t left_ms = until_ms - now_ms;
        const struct timespec wait = clock_timespec((left_ms < 0 ? 0 : left_ms < METRICS_MS ? left_ms : METRICS_MS) * 1000000);
        if (sigtimedwait(awaited, NULL, &wait) > 0) {
            return true;
        }
        if (left_ms <= METRICS_MS) {
            return false;
        }
    }
}

static void serve(struct link *l, const sigset_t *awaited)
{
    int64_t written_ms = 0;

    while (!is_stopped(l, awaited, link_copy_step(&l->copy), &written_ms)) {
    }
    write_metrics(l);
    log_info("filterd-link: stopping");
}

static bool run(struct link *l, const char *path, struct error *err)
{
    const struct link_config *c = l->config;
    sigset_t awaited;

    sandbox_harden();
    block_signals(&awaited);
    if (!file_make_directory(c->state, err) || (c->copies != NULL && !file_make_directory(c->copies, err)) || !link_copy_init(&l->copy, c, l->store, err)) {
        return false;
    }
    l->fleet.bundles.fetched = c->bundle_url == NULL ? NULL : &l->bundles.version;
    bool is_ready = enter_sandbox(l, path, err) && bundle_fetch_start(&l->bundles, c, err) && link_fleet_start(&l->fleet, c, l->database, err) &&
                    link_gatherer_start(&l->gatherer, c, l->database, err);
    if (is_ready) {
        log_info("filterd-link: ready node=" SPAN_FMT " log=%s", SPAN_ARG(c->node), c->log);
        serve(l, &awaited);
    }
    link_gatherer_stop(&l->gatherer);
    link_fleet_stop(&l->fleet);
    bundle_fetch_stop(&l->bundles);
    link_copy_deinit(&l->copy);
    return is_ready;
}

/* For a node without a bundle, or without a database. */
static bool fetch_from_server(const struct link_config *c, struct error *err)
{
    static struct bundle_fetch f;
    uint64_t version = 0;

    bool is_fetched = bundle_fetch_once(&f, c, &version, err);
    bundle_fetch_end(&f);
    if (is_fetched) {
        printf("fetched: version %" PRIu64 "\n", version);
    }
    return is_fetched;
}

/* An operator's; it needs no sandbox of its own, as it ends at once. */
static bool run_command(const struct link *l, const struct link_command *command, struct error *err)
{
    struct link_session session = {.database = l->database, .reply_timeout_ms = COMMAND_MS};

    bool is_done = link_session_connect(&session, "filterd-link command", COMMAND_MS, err) &&
                   link_command_find(command->name)(command, l->config, &session, err);
    link_session_end(&session);
    return is_done;
}

static bool start(const char *path, bool is_check, const struct link_command *command, struct error *err)
{
    static struct link l;
    struct link_config *c = link_config_load(path, err);

    l.config = c;
    if (c != NULL && c->bundle_url != NULL && command->name != NULL && strcmp(command->name, "fetch") == 0) {
        bool is_fetched = fetch_from_server(c, err);
        link_config_free(c);
        return is_fetched;
    }
    l.database = c == NULL ? NULL : link_database_new(c->connection, err);
    l.store = l.database == NULL ? NULL : link_store_new(l.database, c->node, err);
    bool is_good = l.store != NULL;
    if (is_good && is_check) {
        printf("ok: node " SPAN_FMT "\n", SPAN_ARG(c->node));
    } else if (is_good && command->name != NULL) {
        is_good = run_command(&l, command, err);
    } else if (is_good) {
        is_good = run(&l, path, err);
    }
    link_store_free(l.store);
    link_database_free(l.database);
    link_config_free(c);
    return is_good;
}

int main(int argc, char **argv)
{
    const char *path = "/etc/filterd/link.yaml";
    struct link_command command = {.stages = NULL};
    bool is_check = false;
    struct error err;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): there is one thread */
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        if (option == 'h' || option == 'v') {
            (void)fputs(option == 'h' ? help : "filterd-link " FILTERD_VERSION "\n", stdout);
            return file_end_output(stdout, "filterd-link", EXIT_CLEAN);
        }
        if (option == '?') {
            return EXIT_FAILED; /* getopt has said why */
        }
        is_check = is_check || option == 'k';
        path = option == 'c' ? optarg : path;
        command.stages = option == 's' ? optarg : command.stages;
    }
    if (optind < argc) {
        command = (struct link_command){argv[optind], command.stages, argv + optind + 1, argc - optind - 1};
        if (link_command_find(command.name) == NULL) {
            char hint[SIMILAR_HINT_MAX];
            (void)fprintf(stderr, "filterd-link: unknown command '%s'%s; see --help\n", command.name, link_command_hint(command.name, hint));
            return EXIT_FAILED;
        }
    }
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        log_error("filterd-link: libcurl cannot start");
        return EXIT_FAILED;
    }
    if (!start(path, is_check, &command, &err)) {
        log_error("filterd-link: %s", err.text);
        return EXIT_FAILED;
    }
    return file_end_output(stdout, "filterd-link", EXIT_CLEAN);
}
