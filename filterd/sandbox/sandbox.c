#include "sandbox/sandbox.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/landlock.h"
#include "base/log.h"
#include "sandbox/reach.h"
#include "sandbox/seccomp_filter.h"

void sandbox_harden(void)
{
    const struct rlimit none = {0, 0};

    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
        log_warn("sandbox: new privileges are not ruled out");
    }
    if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0 || setrlimit(RLIMIT_CORE, &none) != 0) {
        log_warn("sandbox: core dumps are not ruled out");
    }
    if (geteuid() == 0) {
        log_warn("sandbox: runs as root; a user of its own is safer");
    }
}

void sandbox_restrict_files(const struct sandbox_reach *reach)
{
    struct error err;
    int abi = landlock_version();

    if (abi < 1) {
        log_warn("sandbox: files and connections are not locked: this kernel has no Landlock");
        return;
    }
    if (!reach_enter(abi, reach, &err)) {
        log_warn("sandbox: files and connections are not locked: %s", err.text);
        return;
    }
    log_info("sandbox: files locked landlock_abi=%d connections=%s ports=%u", abi,
             abi >= LANDLOCK_VERSION_CONNECTIONS ? "locked" : "open", reach->n_ports);
}

static void restrict_calls(bool has_upstreams, bool has_local)
{
    struct error err;

    if (seccomp_filter_enter(has_upstreams, has_local, &err)) {
        log_info("sandbox: system calls locked");
    } else {
        log_warn("sandbox: system calls are not locked: %s", err.text);
    }
}

void sandbox_restrict_calls(bool has_upstreams)
{
    restrict_calls(has_upstreams, false);
}

void sandbox_restrict_calls_local(void)
{
    restrict_calls(true, true);
}
