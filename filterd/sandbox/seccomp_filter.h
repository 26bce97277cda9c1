/* seccomp_filter.h - the system calls of a service that has started, on all its threads.
 *
 * Everything else fails with EPERM. No program can be run and no process made; no socket opened,
 * bound or connected, but for upstreams; no code mapped from a file. Anonymous memory may be executable, because
 * PCRE2's compiler needs it when rules are reloaded. */
#ifndef FILTERD_SANDBOX_SECCOMP_FILTER_H
#define FILTERD_SANDBOX_SECCOMP_FILTER_H

#include "base/error.h"

MUST_CHECK bool seccomp_filter_enter(bool has_upstreams, struct error *err);

#endif
