/* sandbox.h - what the service gives up once it runs: Landlock, seccomp, core dumps, new
 * privileges.
 *
 * Each step says in the log what it could not lock; none of them is needed to judge. Order:
 * sandbox_harden first, sandbox_restrict_files before the first thread (Landlock binds threads, not
 * processes), sandbox_restrict_calls when everything is open. Nothing can be taken back. */
#ifndef FILTERD_SANDBOX_SANDBOX_H
#define FILTERD_SANDBOX_SANDBOX_H

#include "base/error.h"

struct sandbox_path {
    const char *path; /* a directory, or a file whose directory is meant; NULL: left out */
    bool is_writable;
};

/* No new privileges, no core dumps, no debugger of the same user. */
void sandbox_harden(void);
/* What may be reached from now on. */
struct sandbox_reach {
    const struct sandbox_path *paths;
    unsigned n_paths;
    const unsigned *ports; /* TCP connections may go out to these and no other */
    unsigned n_ports;
};

/* Only these paths can be opened from now on, only these ports connected to. */
void sandbox_restrict_files(const struct sandbox_reach *reach);
/* Only the system calls that serving and reloading need; has_upstreams: sockets may be made and
 * connected. */
void sandbox_restrict_calls(bool has_upstreams);

#endif
