/* main.c - filterd-egress(1): the egress proxy of a jail. */
#include <getopt.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "base/log.h"
#include "jail/egress/describe.h"
#include "jail/egress/dns.h"
#include "jail/egress/launcher.h"
#include "jail/egress/listener.h"
#include "jail/egress/packets.h"
#include "jail/egress/service.h"
#include "jail/egress/sandbox.h"

enum { EXIT_CLEAN = 0, EXIT_FAILED = 2 };
enum { WORDS_MAX = 1 << 20, JUDGES = 4, NUMBER_LARGEST = INT32_MAX };
enum { OTHER_ATTEMPTS = 32 }; /* queries and packets, besides connections */

struct arguments {
    const char *policy, *log, *jail, *agent;
    const char *rules, *filter_policy, *cache, *dns, *ca;
    const char *launcher, *cut, *user;
    struct egress_listener listeners[EGRESS_LISTENERS_MAX];
    size_t n_listeners;
    const char *explain; /* a host */
    bool is_check, is_describe;
};

static const struct option options[] = {
    {"policy", required_argument, NULL, 'p'},        {"listen", required_argument, NULL, 'l'},
    {"log", required_argument, NULL, 'o'},           {"jail", required_argument, NULL, 'j'},
    {"agent", required_argument, NULL, 'a'},         {"rules", required_argument, NULL, 'r'},
    {"filter-policy", required_argument, NULL, 'f'}, {"cache-directory", required_argument, NULL, 'c'},
    {"dns", required_argument, NULL, 'd'},           {"ca-file", required_argument, NULL, 't'},
    {"capture", required_argument, NULL, 'x'},       {"launcher", required_argument, NULL, 'w'},
    {"user", required_argument, NULL, 'u'},          {"cut", required_argument, NULL, 'e'},
    {"describe", no_argument, NULL, 'D'},            {"explain", required_argument, NULL, 'E'},
    {"check", no_argument, NULL, 'k'},               {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},             {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: filterd-egress --policy FILE [OPTION…]\n\n"
    "Run the egress proxy of a jail, which forwards what one YAML file allows.\n\n"
    "Options:\n"
    "  --policy, -p FILE       the egress rules (filterd-egress(1))\n"
    "  --listen ADDRESS        127.0.0.1:PORT, [::1]:PORT, unix:/PATH or fd:NUMBER of an inherited listener;\n"
    "                          may be given several times; default: 127.0.0.1:0\n"
    "  --capture ADDRESS       the same, for captured connections to other addresses\n"
    "  --dns ADDRESS           answer DNS queries on 127.0.0.1:PORT, [::1]:PORT or fd:NUMBER; default: none\n"
    "  --ca-file FILE          file for the certificate that the jail must trust when a rule intercepts TLS\n"
    "  --log FILE              the record, a JSON line for each attempt; default: -, standard output\n"
    "  --jail NAME             the jail's name in the record\n"
    "  --agent NAME            the agent's name in the record and for filterd's policy\n"
    "  --rules DIR             rules of the content filter; default: the built-in ones\n"
    "  --filter-policy FILE    filterd's policy; default: policy.yaml in the rules directory\n"
    "  --cache-directory DIR   compiled rules\n"
    "  --user NUMBER           switch to that user once everything is open; for root\n"
    "  --launcher NUMBER       the descriptor of filterd-jail's channel, instead of --listen, --capture, --dns, --ca-file\n"
    "  --cut NUMBER            the descriptor of an eventfd; a write ends the proxy at once\n"
    "  --describe              print the permitted traffic, for the system prompt of an agent\n"
    "  --explain HOST          print what the policy allows for one host\n"
    "  --check                 check the configuration and exit\n"
    "  --help, --version\n";

static int fail(const struct error *err)
{
    (void)fprintf(stderr, "filterd-egress: %s\n", err->text);
    return EXIT_FAILED;
}

static int print(const char *text)
{
    (void)fputs(text, stdout);
    return file_end_output(stdout, "filterd-egress", EXIT_CLEAN);
}

/* Where a word goes that is kept as it is; NULL: it is another kind of option. */
static const char **place_of(struct arguments *a, int option)
{
    switch (option) {
    case 'p':
        return &a->policy;
    case 'o':
        return &a->log;
    case 'j':
        return &a->jail;
    case 'a':
        return &a->agent;
    case 'r':
        return &a->rules;
    case 'f':
        return &a->filter_policy;
    case 'c':
        return &a->cache;
    case 'd':
        return &a->dns;
    case 't':
        return &a->ca;
    case 'w':
        return &a->launcher;
    case 'E':
        return &a->explain;
    case 'e':
        return &a->cut;
    case 'u':
        return &a->user;
    case 'l':
    case 'x':
        if (a->n_listeners == EGRESS_LISTENERS_MAX) {
            (void)fprintf(stderr, "filterd-egress: --listen and --capture expected at most %d times\n", EGRESS_LISTENERS_MAX);
            return NULL;
        }
        a->listeners[a->n_listeners].kind = option == 'x' ? EGRESS_LISTENER_CAPTURE : EGRESS_LISTENER_PROXY;
        return &a->listeners[a->n_listeners++].text;
    default:
        return NULL;
    }
}

/* -1: go on; else the program's status. */
static int read_arguments(int argc, char **argv, struct arguments *a)
{
    /* NOLINTNEXTLINE(concurrency-mt-unsafe): before the first thread */
    for (int option; (option = getopt_long(argc, argv, "p:", options, NULL)) >= 0;) {
        const char **place = place_of(a, option);
        if (option == 'h') {
            return print(help);
        }
        if (option == 'v') {
            return print("filterd-egress " FILTERD_VERSION "\n");
        }
        if (option == 'k' || option == 'D') {
            a->is_check |= option == 'k';
            a->is_describe |= option == 'D';
        } else if (place == NULL) {
            return EXIT_FAILED; /* getopt or place_of has said why */
        } else {
            *place = optarg;
        }
    }
    if (a->policy == NULL || optind < argc) {
        (void)fprintf(stderr, "filterd-egress: %s expected; see --help\n", a->policy == NULL ? "--policy FILE" : "no operand");
        return EXIT_FAILED;
    }
    a->log = a->log != NULL ? a->log : "-";
    if (a->n_listeners == 0 && a->launcher == NULL) {
        a->listeners[a->n_listeners++].text = "127.0.0.1:0";
    }
    return -1;
}

/* -1: the option is not there; else a number from 0 on. */
static bool read_number(const char *option, const char *text, int *out, struct error *err)
{
    char *end = NULL;

    if (text == NULL) {
        *out = -1;
        return true;
    }
    long number = strtol(text, &end, 10);
    if (end == text || *end != '\0' || number < 0 || number > NUMBER_LARGEST) {
        return error_set(err, ERROR_INVALID, "%s: a number expected", option);
    }
    *out = (int)number;
    return true;
}

/* In words; nothing else of the service is needed. */
static bool print_words(const struct arguments *a, struct error *err)
{
    struct buf text CLEANUP(buf_deinit);
    struct egress_policy *p = egress_policy_load(a->policy, err);

    buf_init(&text, WORDS_MAX);
    bool is_good = p != NULL && (a->explain != NULL ? egress_explain(p, span_str(a->explain), &text, err)
                                                    : egress_describe(p, &text, err));
    egress_policy_free(p);
    return is_good && ((fwrite(text.data, 1, text.len, stdout) == text.len && fflush(stdout) == 0) ||
                       error_errno(err, "standard output"));
}

/* --- serving ---------------------------------------------------------------- */

static int make_signals(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t awaited;

    (void)sigemptyset(&awaited);
    (void)sigaddset(&awaited, SIGTERM);
    (void)sigaddset(&awaited, SIGINT);
    (void)pthread_sigmask(SIG_BLOCK, &awaited, NULL);
    (void)sigaction(SIGPIPE, &ignore, NULL);
    return signalfd(-1, &awaited, SFD_CLOEXEC);
}

/* Opens all there is to listen on, of the command line. */
static bool open_listeners(const struct arguments *a, struct egress_entrance *e, struct error *err)
{
    for (size_t i = 0; i < a->n_listeners; i++) {
        e->listeners[i] = a->listeners[i];
        if (!egress_listener_open(a->listeners[i].text, &e->listeners[i].fd, err)) {
            return false;
        }
        e->n_listeners++;
    }
    if (a->dns != NULL && !egress_datagrams_open(a->dns, &e->names[0], err)) {
        return false;
    }
    e->n_names = a->dns != NULL;
    return true;
}

static void close_listeners(const struct egress_entrance *e)
{
    for (size_t i = 0; i < e->n_listeners; i++) {
        egress_listener_close(e->listeners[i].text, e->listeners[i].fd);
    }
    for (size_t i = 0; i < e->n_names; i++) {
        cleanup_fd(&e->names[i]);
    }
    cleanup_fd(&e->packets);
}

/* The ports that are captured, so that what is recorded there is not recorded twice. */
static size_t list_ports(const struct egress_entrance *e, uint16_t ports[EGRESS_LISTENERS_MAX])
{
    size_t n = 0;

    for (size_t i = 0; i < e->n_listeners; i++) {
        struct sockaddr_in6 a = {0}; /* sin6_port is where sin_port is */
        socklen_t len = sizeof(a);
        if (e->listeners[i].kind != EGRESS_LISTENER_NAMES && getsockname(e->listeners[i].fd, (struct sockaddr *)&a, &len) == 0) {
            ports[n++] = ntohs(a.sin6_port);
        }
    }
    return n;
}

static bool serve_all(struct egress_service *s, const struct egress_entrance *e, int stop, struct error *err)
{
    const struct egress_server server = {.service = s, .listeners = e->listeners, .n_listeners = e->n_listeners, .stop = stop};
    struct egress_dns *names[EGRESS_NAMES_MAX] = {NULL};
    struct egress_packets *packets = NULL;
    uint16_t ports[EGRESS_LISTENERS_MAX];
    bool is_good = true;

    for (size_t i = 0; is_good && i < e->n_names; i++) {
        names[i] = egress_dns_start(s, e->names[i], stop, err);
        is_good = names[i] != NULL;
    }
    if (is_good && e->packets >= 0) {
        packets = egress_packets_start(&s->log, e->packets, stop, ports, list_ports(e, ports), err);
        is_good = packets != NULL;
    }
    if (is_good) {
        egress_sandbox_lock_calls();
        is_good = egress_server_run(&server, err);
    } else {
        (void)!write(stop, &(uint64_t){1}, sizeof(uint64_t)); /* those that were started end */
    }
    for (size_t i = 0; i < e->n_names; i++) {
        egress_dns_join(names[i]);
    }
    egress_packets_join(packets);
    return is_good;
}

/* Threads wait for an eventfd, which one of them makes readable: on a signal, at the launcher's end. */
static bool serve_until_stopped(struct egress_service *s, const struct egress_entrance *e,
                             const struct egress_ends *ends, struct error *err)
{
    struct egress_launcher *launcher = egress_launcher_watch(s, ends, err);

    if (launcher == NULL) {
        return false;
    }
    bool is_good = serve_all(s, e, ends->stop, err);
    egress_launcher_join(launcher);
    return is_good;
}

static bool serve_with(struct egress_service *s, const struct egress_entrance *e, const struct egress_ends *ends,
                       struct error *err)
{
    egress_canary_init(&s->canary, e->canary);
    return serve_until_stopped(s, e, ends, err);
}

static bool serve(struct egress_service *s, const struct arguments *a, int channel, struct error *err)
{
    int signals CLEANUP(cleanup_fd) = make_signals();
    int stop CLEANUP(cleanup_fd) = eventfd(0, EFD_CLOEXEC);
    struct egress_ends ends = {.channel = channel, .signals = signals, .stop = stop};
    struct egress_entrance e = {.packets = -1};
    int user = -1;

    s->memory.max = (size_t)s->policy->limits.memory;
    s->log.cut = s->cut = eventfd(0, EFD_CLOEXEC);
    if (signals < 0 || stop < 0 || s->cut < 0) {
        return error_errno(err, "signalfd");
    }
    bool is_open = read_number("--user", a->user, &user, err) && read_number("--cut", a->cut, &ends.cut, err) && egress_sandbox_settle(&s->policy->limits, err) &&
                   egress_log_open(&s->log, a->log, s->policy->limits.connections + OTHER_ATTEMPTS, err) &&
                   (channel >= 0 || (egress_service_write_authority(s, a->ca, err) && open_listeners(a, &e, err))) &&
                   egress_sandbox_become(user < 0 ? 0 : (uid_t)user, err);
    if (is_open) {
        egress_sandbox_lock_files(s->policy, e.listeners, e.n_listeners);
    }
    bool is_good = is_open && (channel < 0 || egress_launcher_await(channel, s->authority, &e, err)) &&
                   serve_with(s, &e, &ends, err);
    close_listeners(&e);
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments a = {0};
    struct egress_service s = {.cut = -1};
    struct error err = {0};
    int status = read_arguments(argc, argv, &a), channel = -1;

    if (status >= 0) {
        return status;
    }
    if (a.is_describe || a.explain != NULL) {
        return print_words(&a, &err) ? EXIT_CLEAN : fail(&err);
    }
    const struct egress_files files = {
        .policy = a.policy,
        .judge = {.rules = a.rules, .policy = a.filter_policy, .cache = a.cache, .agent = a.agent, .workers = JUDGES}};
    /* The C library would look for a name below the search domains of resolv.conf, too: that is another host. */
    (void)setenv("LOCALDOMAIN", ".", 1); /* NOLINT(concurrency-mt-unsafe): before the first thread */
    s.log.jail = a.jail;
    s.log.agent = a.agent;
    s.log.fd = s.log.cut = -1;
    bool is_good = read_number("--launcher", a.launcher, &channel, &err);
    if (channel >= 0) {
        log_set_level(LOG_LEVEL_WARN); /* standard error is the jailed command's, too */
    }
    is_good = is_good && egress_service_init(&s, &files, &err) && (a.is_check || serve(&s, &a, channel, &err));
    egress_service_deinit(&s);
    if (!is_good && channel >= 0) {
        egress_launcher_fail(channel, &err);
        return EXIT_FAILED;
    }
    return is_good ? EXIT_CLEAN : fail(&err);
}
