/* seccomp_filter.h - restricts the system calls of the started service, on all its threads.
 *
 * All other calls fail with EPERM. The service cannot execute programs, create processes, open, bind or connect
 * sockets (except for upstreams and, for filterd-link, a database on this machine), or map code from a file.
 * Anonymous memory may be executable, because PCRE2's compiler needs it when rules are reloaded. */
#ifndef FILTERD_SANDBOX_SECCOMP_FILTER_H
#define FILTERD_SANDBOX_SECCOMP_FILTER_H

#include "base/error.h"

MUST_CHECK bool seccomp_filter_enter(bool has_upstreams, bool has_local, struct error *err);

#endif
