/* syscalls_arguments.h - the system calls that pass with some arguments only, as rules of libseccomp; for syscalls.c.
 *
 * Functions add rules to a filter and return false when libseccomp refuses one. */
#ifndef FILTERD_JAIL_FILTERS_SYSCALLS_ARGUMENTS_H
#define FILTERD_JAIL_FILTERS_SYSCALLS_ARGUMENTS_H

#include <seccomp.h>
#include <stdbool.h>

struct jail_argument_rule {
    const char *name;
    bool (*agent)(scmp_filter_ctx f, int call), (*strict)(scmp_filter_ctx f, int call); /* by profile; NULL: refused */
    const char *note; /* which arguments pass; shown unless any do */
};

/* Ends with a name NULL. */
extern const struct jail_argument_rule jail_argument_rules[];
/* As a function of a rule: any arguments pass. */
bool jail_allow_any(scmp_filter_ctx f, int call);

/* Denied kinds of sockets that would bypass the egress proxy wait for an answer. */
bool jail_notify_sockets(scmp_filter_ctx f);
/* Arguments that the strict profile denies wait for an answer. */
bool jail_notify_learned_arguments(scmp_filter_ctx f);

#endif
