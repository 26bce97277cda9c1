/* main.c - filterd-egress(1): the only way out of a jail. */
#include <getopt.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/file.h"
#include "http/instant.h"
#include "jail/egress/dns.h"
#include "jail/egress/listener.h"
#include "jail/egress/server.h"

enum { EXIT_CLEAN = 0, EXIT_FAILED = 2 };
enum { JUDGES = 4, CA_MAX = 16 * 1024, CA_MODE = 0644, OTHER_FILES = 128 };

struct arguments {
    const char *policy, *log, *jail, *agent;
    const char *rules, *filter_policy, *cache, *dns, *ca;
    struct egress_door doors[EGRESS_DOORS_MAX];
    size_t n_doors;
    bool is_check;
};

static const struct option options[] = {
    {"policy", required_argument, NULL, 'p'},        {"listen", required_argument, NULL, 'l'},
    {"log", required_argument, NULL, 'o'},           {"jail", required_argument, NULL, 'j'},
    {"agent", required_argument, NULL, 'a'},         {"rules", required_argument, NULL, 'r'},
    {"filter-policy", required_argument, NULL, 'f'}, {"cache-directory", required_argument, NULL, 'c'},
    {"dns", required_argument, NULL, 'd'},           {"ca-file", required_argument, NULL, 't'},
    {"capture", required_argument, NULL, 'x'},
    {"check", no_argument, NULL, 'k'},               {"help", no_argument, NULL, 'h'},
    {"version", no_argument, NULL, 'v'},             {NULL, 0, NULL, 0},
};

static const char help[] =
    "usage: filterd-egress --policy FILE [OPTION…]\n\n"
    "The only way out of a jail: a proxy that lets through what one YAML file allows.\n\n"
    "Options:\n"
    "  --policy FILE           what may leave (filterd-egress(1)); -p is the same\n"
    "  --listen ADDRESS        127.0.0.1:PORT, [::1]:PORT, unix:/PATH or fd:NUMBER of a listener that was passed on;\n"
    "                          may stand several times; default: 127.0.0.1:0\n"
    "  --capture ADDRESS       the same for connections that are captured on their way to other addresses\n"
    "  --dns ADDRESS           answers names there: 127.0.0.1:PORT, [::1]:PORT or fd:NUMBER; default: nowhere\n"
    "  --ca-file FILE          where to write the certificate that the jail is to trust, when a rule opens TLS\n"
    "  --log FILE              the record, a JSON line for each attempt; default: -, standard output\n"
    "  --jail NAME             names the jail in the record\n"
    "  --agent NAME            names the agent in the record, and to filterd's policy\n"
    "  --rules DIR             rules to judge by; default: those built in\n"
    "  --filter-policy FILE    filterd's policy; default: policy.yaml beside the rules\n"
    "  --cache-directory DIR   compiled rules\n"
    "  --check                 reads everything, opens nothing, and says whether it is good\n"
    "  --help, --version\n";

static int fail(const struct error *err)
{
    (void)fprintf(stderr, "filterd-egress: %s\n", err->text);
    return EXIT_FAILED;
}

static int print(const char *text)
{
    return fputs(text, stdout) >= 0 && fflush(stdout) == 0 ? EXIT_CLEAN : EXIT_FAILED;
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
    case 'l':
    case 'x':
        if (a->n_doors == EGRESS_DOORS_MAX) {
            return NULL;
        }
        a->doors[a->n_doors].is_capturing = option == 'x';
        return &a->doors[a->n_doors++].text;
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
        if (option == 'k') {
            a->is_check = true;
        } else if (place == NULL) {
            return EXIT_FAILED; /* getopt has said why */
        } else {
            *place = optarg;
        }
    }
    if (a->policy == NULL || optind < argc) {
        (void)fputs("filterd-egress: --policy FILE and no operands expected; see --help\n", stderr);
        return EXIT_FAILED;
    }
    a->log = a->log != NULL ? a->log : "-";
    if (a->n_doors == 0) {
        a->doors[a->n_doors++].text = "127.0.0.1:0";
    }
    return -1;
}

/* --- the service ----------------------------------------------------------- */

static bool has_judging_rule(const struct egress_policy *p)
{
    for (size_t i = 0; i < p->n_rules; i++) {
        if (p->rules[i].judge != EGRESS_JUDGE_NONE) {
            return true;
        }
    }
    return false;
}

static bool check_policies(const struct egress_service *s, struct error *err)
{
    for (size_t i = 0; i < s->policy->n_rules; i++) {
        const struct egress_rule *r = &s->policy->rules[i];
        if (r->judge != EGRESS_JUDGE_NONE && !egress_judge_has_policy(s->judge, r->policy)) {
            return error_set(err, ERROR_NOT_FOUND, "rule " SPAN_FMT ": filterd has no policy '" SPAN_FMT "'",
                             SPAN_ARG(r->name), SPAN_ARG(r->policy));
        }
    }
    return true;
}

static bool load_trust(const struct egress_rule *r, gnutls_certificate_credentials_t *out, struct error *err)
{
    int code = gnutls_certificate_allocate_credentials(out);

    code = code < 0         ? code
           : r->ca.len == 0 ? gnutls_certificate_set_x509_system_trust(*out)
                            : gnutls_certificate_set_x509_trust_file(*out, r->ca.ptr, GNUTLS_X509_FMT_PEM);
    if (code < 0) {
        return error_set(err, ERROR_INVALID, "rule " SPAN_FMT ": authorities: %s", SPAN_ARG(r->name),
                         gnutls_strerror(code));
    }
    return code > 0 || error_set(err, ERROR_INVALID, "rule " SPAN_FMT ": a file of authorities expected",
                                 SPAN_ARG(r->name));
}

/* What opening TLS needs, when a rule does. */
static bool init_tls(struct egress_service *s, struct error *err)
{
    bool is_needed = false;

    for (size_t i = 0; i < s->policy->n_rules; i++) {
        const struct egress_rule *r = &s->policy->rules[i];
        if (r->scheme == EGRESS_HTTPS && egress_is_seen(r)) {
            is_needed = true;
            if (!load_trust(r, &s->trust[i], err)) {
                return false;
            }
        }
    }
    s->authority = is_needed ? egress_authority_new(err) : NULL;
    return !is_needed || s->authority != NULL;
}

static bool write_authority(const struct egress_service *s, const char *path, struct error *err)
{
    struct buf pem CLEANUP(buf_deinit);

    buf_init(&pem, CA_MAX);
    if (s->authority == NULL) {
        return true;
    }
    if (path == NULL) {
        return error_set(err, ERROR_INVALID, "--ca-file expected, as a rule opens TLS");
    }
    return egress_authority_print(s->authority, &pem, err) && file_write_atomic(path, buf_span(&pem), CA_MODE, err);
}

static bool init_rules(struct egress_service *s, struct error *err)
{
    size_t n = s->policy->n_rules;

    s->accounts = calloc(n + 1, sizeof(*s->accounts));
    s->trust = calloc(n + 1, sizeof(*s->trust)); /* NOLINT(bugprone-sizeof-expression): handles are pointers */
    if (s->accounts == NULL || s->trust == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    for (size_t i = 0; i < n; i++) {
        egress_account_init(&s->accounts[i], &s->policy->rules[i], instant_ns());
    }
    egress_account_init_rate(&s->dns, &s->policy->limits.dns, instant_ns());
    return init_tls(s, err);
}

static bool service_init(struct egress_service *s, const struct arguments *a, struct error *err)
{
    const struct egress_judge_options judge = {.rules = a->rules,
                                               .policy = a->filter_policy,
                                               .cache = a->cache,
                                               .agent = a->agent,
                                               .workers = JUDGES};

    s->policy = egress_policy_load(a->policy, err);
    if (s->policy == NULL || !egress_secrets_init(&s->secrets, s->policy, instant_ns(), err) || !init_rules(s, err)) {
        return false;
    }
    if (!has_judging_rule(s->policy)) {
        return true;
    }
    s->judge = egress_judge_new(&judge, err);
    return s->judge != NULL && check_policies(s, err);
}

static void service_deinit(struct egress_service *s)
{
    for (size_t i = 0; s->trust != NULL && s->accounts != NULL && i < s->policy->n_rules; i++) {
        if (s->trust[i] != NULL) {
            gnutls_certificate_free_credentials(s->trust[i]);
        }
        egress_account_deinit(&s->accounts[i]);
    }
    egress_judge_free(s->judge);
    egress_authority_free(s->authority);
    free(s->accounts);
    free(s->trust);
    egress_secrets_deinit(&s->secrets);
    egress_policy_free(s->policy);
    egress_log_close(&s->log);
    cleanup_fd(&s->cut);
}

/* --- serving ---------------------------------------------------------------- */

static int make_stop(void)
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

/* Opens all there is to listen on; *n_open says how many doors were. */
static bool open_doors(struct arguments *a, size_t *n_open, int *dns, struct error *err)
{
    for (*n_open = 0; *n_open < a->n_doors; (*n_open)++) {
        if (!egress_listener_open(a->doors[*n_open].text, &a->doors[*n_open].fd, err)) {
            return false;
        }
    }
    return a->dns == NULL || egress_datagrams_open(a->dns, dns, err);
}

static bool serve_on(struct egress_server *server, int dns, struct error *err)
{
    struct egress_dns *resolver = dns < 0 ? NULL : egress_dns_start(server->service, dns, server->stop, err);

    if (dns >= 0 && resolver == NULL) {
        return false;
    }
    bool is_good = egress_server_run(server, err);
    egress_dns_join(resolver);
    return is_good;
}

/* Nothing that it may open later gives it more than it has; no memory with credentials gets into a file; and there are
 * descriptors for both sides of every connection that the policy allows. */
static bool settle_process(const struct egress_limits *limits, struct error *err)
{
    const struct rlimit no_core = {0, 0};
    rlim_t need = 2 * (rlim_t)limits->connections + OTHER_FILES;
    struct rlimit files;

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0 ||
        getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return error_errno(err, "limits of the process");
    }
    files.rlim_max = files.rlim_max > need ? files.rlim_max : need;
    files.rlim_cur = need;
    return setrlimit(RLIMIT_NOFILE, &files) == 0 ||
           error_errno(err, "%llu open files, for %lld connections", (unsigned long long)need,
                       (long long)limits->connections);
}

static bool serve(struct egress_service *s, struct arguments *a, struct error *err)
{
    int stop CLEANUP(cleanup_fd) = make_stop();
    int dns CLEANUP(cleanup_fd) = -1;
    struct egress_server server = {.service = s, .doors = a->doors, .stop = stop};

    s->cut = eventfd(0, EFD_CLOEXEC);
    if (stop < 0 || s->cut < 0) {
        return error_errno(err, "signalfd");
    }
    bool is_good = settle_process(&s->policy->limits, err) && egress_log_open(&s->log, a->log, err) && write_authority(s, a->ca, err) &&
                   open_doors(a, &server.n_doors, &dns, err) && serve_on(&server, dns, err);
    for (size_t i = 0; i < server.n_doors; i++) {
        egress_listener_close(a->doors[i].text, a->doors[i].fd);
    }
    return is_good;
}

int main(int argc, char **argv)
{
    struct arguments a = {0};
    struct egress_service s = {.cut = -1};
    struct error err = {0};
    int status = read_arguments(argc, argv, &a);

    if (status >= 0) {
        return status;
    }
    s.log.jail = a.jail;
    s.log.agent = a.agent;
    s.log.fd = -1;
    bool is_good = service_init(&s, &a, &err) && (a.is_check || serve(&s, &a, &err));
    service_deinit(&s);
    return is_good ? EXIT_CLEAN : fail(&err);
}
