/* The sandbox leaves what the configuration names and no more, and a reload stays within it. */
#include "testing.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/landlock.h"
#include "ship/reach.h"

static char root[] = "/tmp/filterd-reach.XXXXXX";

static int drop(const char *path, const struct stat *info, int type, struct FTW *at)
{
    (void)info, (void)type, (void)at;
    return remove(path);
}

static int set_up(void **state)
{
    static const char *const folders[] = {"log", "state", "metrics", "out", "secrets", "etc", "other"};
    char path[64];

    (void)state;
    assert_non_null(mkdtemp(root));
    for (size_t i = 0; i < COUNT(folders); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", root, folders[i]);
        assert_int_equal(mkdir(path, 0700), 0);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    return nftw(root, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static struct ship_config *configure(const char *sinks)
{
    char yaml[1024], with[1024];
    struct error err;
    const char *at = sinks;
    size_t len = 0;

    while (*at != '\0') { /* '@' is the root */
        len += (size_t)snprintf(with + len, sizeof(with) - len, *at == '@' ? "%s" : "%.1s", *at == '@' ? root : at);
        at++;
    }
    (void)snprintf(yaml, sizeof(yaml), "log: %s/log/decisions.jsonl\nstate: %s/state\nmetrics: %s/metrics/ship.prom\nsinks: {%s}\n",
                   root, root, root, with);
    struct ship_config *c = ship_config_parse("ship.yaml", span_str(yaml), &err);
    if (c == NULL) {
        fail_msg("%s", err.text);
    }
    return c;
}

static bool reach_of(const char *sinks, struct ship_reach *out, struct error *err)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "%s/etc/ship.yaml", root);
    struct ship_config *c = configure(sinks);
    bool is_made = ship_reach_init(out, c, path, err);
    ship_config_free(c);
    return is_made;
}

static bool is_refused_to(int flags, const char *name)
{
    char path[128];

    (void)snprintf(path, sizeof(path), "%s/%s", root, name);
    int fd = open(path, flags | O_CLOEXEC, 0600);
    return fd < 0 && errno == EACCES;
}

static bool is_refused_port(unsigned port)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    bool is_connected = connect(fd, (const struct sockaddr *)&there, sizeof(there)) == 0;
    return !is_connected && errno == EACCES;
}

static const struct {
    int flags;
    const char *name;
    bool is_refused;
} rows[] = {
    {O_WRONLY | O_CREAT, "state/siem.json", false}, {O_WRONLY | O_CREAT, "metrics/ship.prom", false},
    {O_WRONLY | O_CREAT, "out/copy.jsonl", false},  {O_RDONLY | O_DIRECTORY, "log", false},
    {O_RDONLY | O_DIRECTORY, "secrets", false},     {O_RDONLY | O_DIRECTORY, "etc", false},
    {O_WRONLY | O_CREAT, "log/decisions.jsonl", true}, {O_WRONLY | O_CREAT, "secrets/token", true},
    {O_WRONLY | O_CREAT, "etc/ship.yaml", true},    {O_WRONLY | O_CREAT, "other/file", true},
    {O_RDONLY | O_DIRECTORY, "other", true},        {O_RDONLY | O_DIRECTORY, "", true},
};

/* In the child: its status is the number of the first row that is not as expected, from 1. */
static _Noreturn void try_all(const struct ship_reach *r)
{
    sandbox_harden();
    ship_reach_enter(r);
    for (unsigned i = 0; i < COUNT(rows); i++) {
        if (is_refused_to(rows[i].flags, rows[i].name) != rows[i].is_refused) {
            _exit((int)i + 1);
        }
    }
    bool has_ports = landlock_version() >= LANDLOCK_VERSION_CONNECTIONS;
    _exit(is_refused_port(4318) || (has_ports && !is_refused_port(4319)) ? COUNT(rows) + 1 : 0);
}

static void only_what_the_configuration_names_is_left(void **state)
{
    struct ship_reach r;
    struct error err;
    int status = 0;

    (void)state;
    if (landlock_version() < 1) {
        skip();
    }
    if (!reach_of("siem: {format: otlp, url: 'http://127.0.0.1:4318/v1/logs', headers: {A: {file: '@/secrets/token'}}}, "
                  "copy: {format: record, file: '@/out/copy.jsonl'}", &r, &err)) {
        fail_msg("%s", err.text);
    }
    pid_t pid = fork();
    if (pid == 0) {
        try_all(&r);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    ship_reach_deinit(&r);
}

static void a_folder_that_is_not_there_is_an_error(void **state)
{
    struct ship_reach r;
    struct error err;

    (void)state;
    assert_false(reach_of("copy: {format: record, file: '@/none/copy.jsonl'}", &r, &err));
    assert_non_null(strstr(err.text, "sink copy"));
    assert_non_null(strstr(err.text, "/none"));
    ship_reach_deinit(&r);
}

static void a_reload_stays_within_what_is_allowed(void **state)
{
    static const struct {
        const char *sinks, *refused; /* NULL: it is within */
    } next[] = {
        {"copy: {format: record, file: '@/out/other.jsonl'}", NULL},
        {"a: {format: otlp, url: 'https://elsewhere.example:4318/v1/logs', headers: {A: {file: '@/secrets/more'}}}", NULL},
        {"copy: {format: record, file: '@/other/copy.jsonl'}", "/other"},
        {"copy: {format: record, file: '@/secrets/copy.jsonl'}", "/secrets"},
        {"a: {format: otlp, url: 'https://c.example:4319/v1/logs'}", "port 4319"},
        {"a: {format: cef, syslog: 'c.example:6514'}", "port 6514"},
    };
    struct ship_reach have, wanted;
    struct error err;

    (void)state;
    assert_true(reach_of("siem: {format: otlp, url: 'http://127.0.0.1:4318/v1/logs', headers: {A: {file: '@/secrets/token'}}}, "
                         "copy: {format: record, file: '@/out/copy.jsonl'}", &have, &err));
    for (size_t i = 0; i < COUNT(next); i++) {
        assert_true(reach_of(next[i].sinks, &wanted, &err));
        bool is_within = ship_reach_covers(&have, &wanted, &err);
        assert_int_equal(is_within, next[i].refused == NULL);
        assert_true(is_within || strstr(err.text, next[i].refused) != NULL);
        ship_reach_deinit(&wanted);
    }
    ship_reach_deinit(&have);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_what_the_configuration_names_is_left),
        cmocka_unit_test(a_folder_that_is_not_there_is_an_error),
        cmocka_unit_test(a_reload_stays_within_what_is_allowed),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
