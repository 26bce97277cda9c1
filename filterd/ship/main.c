/* main.c - filterd-ship(8): the decision log on its way to other systems. */
#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/log.h"
#include "base/plural.h"
#include "ship/metrics.h"
#include "ship/reach.h"

enum { EXIT_CLEAN = 0, EXIT_FAILED = 2 };
enum { TICK_S = 5 };

static const struct option options[] = {
    {"config", required_argument, NULL, 'c'}, {"check", no_argument, NULL, 'k'}, {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},      {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: filterd-ship [--config FILE] [--check]\n\n"
    "Send every line of filterd's decision log to other systems: OTLP, OCSF, CEF, or the lines themselves.\n\n"
    "Options:\n"
    "  --config FILE   which log goes where (filterd-ship(8)); default: /etc/filterd/ship.yaml\n"
    "  --check         check the configuration and exit\n"
    "  --help, --version\n";

/* What runs: a configuration and a task for each of its sinks. */
struct shipping {
    struct ship_config *config;
    struct ship_task *tasks[SHIP_SINKS_MAX];
    int lock; /* of the state directory */
    struct ship_reach reach; /* what the sandbox allows */
};

static int fail(const struct error *err)
{
    log_error("filterd-ship: %s", err->text);
    return EXIT_FAILED;
}

/* --- starting and stopping ------------------------------------------------------------ */

/* Two would send all twice, and each undo the other's positions. */
static bool lock_state(const char *directory, int *fd, struct error *err)
{
    char path[PATH_MAX];

    int len = snprintf(path, sizeof(path), "%s/lock", directory);
    if (len < 0 || (size_t)len >= sizeof(path)) {
        return error_set(err, ERROR_INVALID, "%s: a shorter path expected", directory);
    }
    if (!file_make_directory(directory, err)) {
        return false;
    }
    *fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (*fd < 0) {
        return error_errno(err, "%s", path);
    }
    return flock(*fd, LOCK_EX | LOCK_NB) == 0 || error_set(err, ERROR_DENIED, "%s: another filterd-ship uses it", directory);
}

static bool start_tasks(struct shipping *s, struct error *err)
{
    for (size_t i = 0; i < s->config->n_sinks; i++) {
        s->tasks[i] = ship_task_start(s->config, &s->config->sinks[i], err);
        if (s->tasks[i] == NULL) {
            return false;
        }
    }
    return true;
}

/* Drained: with what is in the log by now; else with the current batch. */
static void stop_tasks(struct shipping *s, bool is_drained)
{
    int64_t deadline = clock_monotonic_ms() + s->config->drain;
    struct error err;

    for (size_t i = 0; i < s->config->n_sinks; i++) {
        if (s->tasks[i] != NULL) {
            (is_drained ? ship_task_drain : ship_task_end)(s->tasks[i]);
        }
    }
    for (size_t i = 0; i < s->config->n_sinks; i++) {
        if (s->tasks[i] != NULL && !ship_task_join(s->tasks[i], deadline)) {
            log_warn("ship: sink " SPAN_FMT ": stopped before it had all: the rest is sent after the next start",
                     SPAN_ARG(s->config->sinks[i].name));
        }
    }
    if (!ship_metrics_write(s->config, s->tasks, &err)) {
        log_warn("ship: metrics: %s", err.text);
    }
    for (size_t i = 0; i < s->config->n_sinks; i++) {
        ship_task_free(TAKE(s->tasks[i]));
    }
}

static bool is_within_reach(const struct shipping *s, const struct ship_config *c, const char *path, struct error *err)
{
    struct ship_reach wanted;

    bool is_within = ship_reach_init(&wanted, c, path, err) && ship_reach_covers(&s->reach, &wanted, err);
    ship_reach_deinit(&wanted);
    return is_within;
}

/* All or nothing: a configuration that is not right leaves the old one in force. */
static bool reload(struct shipping *s, const char *path, struct error *err)
{
    struct ship_config *c = ship_config_load(path, err);

    if (c == NULL) {
        return false;
    }
    bool has_state = strcmp(c->state, s->config->state) == 0 ||
                     error_set(err, ERROR_DENIED, "%s: state: another directory takes a restart", path);
    if (!has_state || !is_within_reach(s, c, path, err)) {
        ship_config_free(c);
        return false;
    }
    stop_tasks(s, false);
    ship_config_free(s->config);
    s->config = c;
    return true;
}

/* --- serving ------------------------------------------------------------------------------ */

static void block_signals(sigset_t *awaited)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};

    (void)sigemptyset(awaited);
    (void)sigaddset(awaited, SIGTERM);
    (void)sigaddset(awaited, SIGINT);
    (void)sigaddset(awaited, SIGHUP);
    (void)pthread_sigmask(SIG_BLOCK, awaited, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
}

static void write_metrics(const struct shipping *s, bool *has_failed)
{
    struct error err;
    bool is_written = ship_metrics_write(s->config, s->tasks, &err);

    if (!is_written && !*has_failed) {
        log_warn("ship: metrics: %s", err.text);
    }
    *has_failed = !is_written;
}

/* False: a reload could not start what it had read. */
static bool serve(struct shipping *s, const char *path, const sigset_t *awaited, struct error *err)
{
    const struct timespec tick = {.tv_sec = TICK_S};
    bool has_failed = false;

    for (;;) {
        write_metrics(s, &has_failed);
        int signal = sigtimedwait(awaited, NULL, &tick);
        if (signal == SIGTERM || signal == SIGINT) {
            log_info("filterd-ship: stopping signal=%d", signal);
            return true;
        }
        if (signal != SIGHUP) {
            continue;
        }
        if (!reload(s, path, err)) {
            log_error("reload: refused, the old configuration stays: %s", err->text);
        } else if (!start_tasks(s, err)) {
            return false;
        } else {
            log_info("reload: done sinks=%zu", s->config->n_sinks);
        }
    }
}

static bool run(struct shipping *s, const char *path, struct error *err)
{
    sigset_t awaited;

    sandbox_harden();
    block_signals(&awaited);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        return error_set(err, ERROR_NO_MEMORY, "libcurl cannot start");
    }
    if (!lock_state(s->config->state, &s->lock, err) || !ship_reach_init(&s->reach, s->config, path, err)) {
        return false;
    }
    ship_reach_enter(&s->reach);
    bool is_started = start_tasks(s, err);
    if (is_started) {
        sandbox_restrict_calls(true);
        log_info("filterd-ship: ready sinks=%zu log=%s", s->config->n_sinks, s->config->log);
    }
    bool is_good = is_started && serve(s, path, &awaited, err);
    stop_tasks(s, is_good);
    curl_global_cleanup();
    return is_good;
}

int main(int argc, char **argv)
{
    struct shipping s = {.lock = -1};
    const char *path = "/etc/filterd/ship.yaml";
    bool is_check = false;
    struct error err;

    /* NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread */
    for (int option; (option = getopt_long(argc, argv, "", options, NULL)) >= 0;) {
        if (option == 'h' || option == 'v') {
            (void)fputs(option == 'h' ? help : "filterd-ship " FILTERD_VERSION "\n", stdout);
            return file_end_output(stdout, "filterd-ship", EXIT_CLEAN);
        }
        if (option == '?') {
            return EXIT_FAILED; /* getopt has said why */
        }
        is_check = is_check || option == 'k';
        path = option == 'c' ? optarg : path;
    }
    if (optind < argc) {
        (void)fputs("filterd-ship: no operand expected; see --help\n", stderr);
        return EXIT_FAILED;
    }
    s.config = ship_config_load(path, &err);
    if (s.config == NULL) {
        return fail(&err);
    }
    bool is_good = true;
    if (is_check) {
        printf("ok: %zu sink%s\n", s.config->n_sinks, plural_s(s.config->n_sinks));
    } else {
        is_good = run(&s, path, &err);
    }
    cleanup_fd(&s.lock);
    ship_reach_deinit(&s.reach);
    ship_config_free(s.config);
    return is_good ? file_end_output(stdout, "filterd-ship", EXIT_CLEAN) : fail(&err);
}
