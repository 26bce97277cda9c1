#include "jail/egress/sandbox.h"

#include <grp.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/log.h"
#include "sandbox/sandbox.h"

enum { OTHER_FILES = 128, PORTS_MAX = 1024, PORT_OF_NAMES = 53, PATHS_MAX = EGRESS_LISTENERS_MAX + 8 };

bool egress_sandbox_settle(const struct egress_limits *limits, struct error *err)
{
    const struct rlimit no_core = {0, 0};
    rlim_t need = 2 * (rlim_t)limits->connections + OTHER_FILES;
    struct rlimit files;

    /* A program that the kernel pipes cores to gets them whatever the limit. */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &no_core) != 0 ||
        getrlimit(RLIMIT_NOFILE, &files) != 0) {
        return error_errno(err, "limits of the process");
    }
    files.rlim_max = files.rlim_max > need ? files.rlim_max : need;
    files.rlim_cur = need;
    return setrlimit(RLIMIT_NOFILE, &files) == 0 ||
           error_errno(err, "%llu open files, for %lld connections", (unsigned long long)need,
                       (long long)limits->connections);
}

bool egress_sandbox_become(uid_t user, struct error *err)
{
    if (user == 0) {
        return true;
    }
    if (setgroups(0, NULL) != 0 || setresgid((gid_t)user, (gid_t)user, (gid_t)user) != 0 ||
        setresuid(user, user, user) != 0) {
        return error_errno(err, "user %u", user);
    }
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0 || error_errno(err, "user %u", user); /* a change of user may have set it */
}

static unsigned add_port(unsigned ports[PORTS_MAX], unsigned n, unsigned port)
{
    for (unsigned i = 0; i < n; i++) {
        if (ports[i] == port) {
            return n;
        }
    }
    ports[n] = port;
    return n + 1;
}

/* False when there are more than can be listed. */
static bool list_ports(const struct egress_policy *p, unsigned ports[PORTS_MAX], unsigned *n)
{
    *n = add_port(ports, 0, PORT_OF_NAMES);
    for (size_t i = 0; i < p->n_rules; i++) {
        const struct egress_rule *r = &p->rules[i];
        bool is_via = egress_via_is_set(&r->via);
        for (size_t k = 0; k < (is_via ? 1 : r->n_ports); k++) {
            if (*n == PORTS_MAX) {
                return false;
            }
            *n = add_port(ports, *n, is_via ? r->via.port : r->ports[k]);
        }
    }
    return true;
}

/* Where the C library looks for names. */
static unsigned list_paths(struct sandbox_path paths[PATHS_MAX], char *resolver)
{
    static const char *const places[] = {"/etc", "/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager"};
    unsigned n = 0;

    for (size_t i = 0; i < COUNT(places); i++) {
        if (access(places[i], R_OK | X_OK) == 0) {
            paths[n++] = (struct sandbox_path){.path = places[i]};
        }
    }
    if (resolver != NULL && access(resolver, R_OK) == 0) {
        paths[n++] = (struct sandbox_path){.path = resolver};
    }
    return n;
}

void egress_sandbox_lock_files(const struct egress_policy *p, const struct egress_listener *listeners, size_t n)
{
    struct sandbox_path paths[PATHS_MAX];
    unsigned ports[PORTS_MAX];
    char *resolver CLEANUP(cleanup_free) = realpath("/etc/resolv.conf", NULL);
    struct sandbox_reach reach = {.paths = paths, .ports = ports};

    sandbox_harden();
    if (!list_ports(p, ports, &reach.n_ports)) {
        log_warn("egress: files and connections are not locked: more than %d ports", PORTS_MAX);
        return;
    }
    reach.n_paths = list_paths(paths, resolver);
    for (size_t i = 0; i < n; i++) {
        if (strncmp(listeners[i].text, "unix:", 5) == 0 && reach.n_paths < PATHS_MAX) {
            paths[reach.n_paths++] = (struct sandbox_path){.path = listeners[i].text + 5, .is_writable = true};
        }
    }
    sandbox_restrict_files(&reach);
}

void egress_sandbox_lock_calls(void)
{
    sandbox_restrict_calls(true);
}
