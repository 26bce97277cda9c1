/* sandbox.h - drops permissions of the running service: Landlock, seccomp, core dumps, new
 * privileges.
 *
 * Each step logs what it could not restrict; a failure is not an error. Call
 * sandbox_harden first, sandbox_restrict_files before the first thread (Landlock applies to threads, not
 * to processes), sandbox_restrict_calls when everything is open. The steps are irreversible. */
#ifndef FILTERD_SANDBOX_SANDBOX_H
#define FILTERD_SANDBOX_SANDBOX_H

#include "base/error.h"

/* The sanitizers' runtimes make processes, trace them and read /proc: a build with one restricts less, for tests alone. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANDBOX_HAS_SANITIZER = 1 };
#else
enum { SANDBOX_HAS_SANITIZER = 0 };
#endif

struct sandbox_path {
    const char *path; /* a directory, or a file, for its directory; NULL: ignored */
    bool is_writable;
};

/* Disables new privileges, core dumps, and debuggers of the same user. */
void sandbox_harden(void);
/* The paths and ports that remain accessible. */
struct sandbox_reach {
    const struct sandbox_path *paths;
    unsigned n_paths;
    const unsigned *ports; /* permitted ports of outgoing TCP connections */
    unsigned n_ports;
};

/* Restricts the process to these paths, and outgoing connections to these ports. */
void sandbox_restrict_files(const struct sandbox_reach *reach);
/* Permits only the system calls for serving and reloading; has_upstreams: also to create and connect
 * sockets. */
void sandbox_restrict_calls(bool has_upstreams);
/* As with upstreams, and sockets of Unix, for filterd-link. */
void sandbox_restrict_calls_local(void);

#endif
