/* syscalls.h - the system calls that a jailed program may make, as a seccomp filter.
 *
 * Each profile has an allow list. Other known calls return EPERM. Numbers newer than this
 * list, and calls that programs probe for, return ENOSYS, so that programs fall back. Calls that only an
 * attack makes, and every foreign ABI (i386, x32), kill the process. libseccomp compiles the filters when
 * the program is built, for the build machine; loading one does not allocate. */
#ifndef FILTERD_JAIL_FILTERS_SYSCALLS_H
#define FILTERD_JAIL_FILTERS_SYSCALLS_H

#include <linux/filter.h>

#include "base/error.h"
#include "jail/policy/policy.h"

struct jail_filter {
    const struct sock_filter *code;
    unsigned short n;
};

/* One per profile, made when the program is built. In the notify filters, denied calls that no ordinary
 * program makes (jail_calls_notified, sockets other than TCP and UDP) wait for an answer (user notification). */
extern const struct jail_filter jail_filters[JAIL_PROFILE_COUNT], jail_filters_notify[JAIL_PROFILE_COUNT];
/* Like agent's, but jail_calls_learned, jail_calls_notified and calls that strict would deny wait for an answer:
 * whether they continue (SECCOMP_USER_NOTIF_FLAG_CONTINUE). */
extern const struct jail_filter jail_filter_learning;

enum jail_filter_kind { JAIL_FILTER_PLAIN, JAIL_FILTER_NOTIFY, JAIL_FILTER_LEARNING };

/* Compiles a filter at run time, in some milliseconds; the caller owns it. */
MUST_CHECK bool jail_filter_make(enum jail_profile profile, enum jail_filter_kind kind, struct jail_filter *f, struct error *err);
void jail_filter_free(struct jail_filter *f);
/* Applies the filter to this thread and the programs that it executes; needs no_new_privs. */
MUST_CHECK bool jail_filter_enter(const struct jail_filter *f, struct error *err);

/* The same with a notify filter; returns its notification fd, close-on-exec. -1: this kernel, or a filter already
 * in force, does not allow one; the filter is then not applied. */
int jail_filter_enter_notify(const struct jail_filter *f);

enum jail_answer { JAIL_ANSWER_KILL, JAIL_ANSWER_EPERM, JAIL_ANSWER_ENOSYS, JAIL_ANSWER_SOME, JAIL_ANSWER_ALLOW };

/* The profile's answer to the call of that name; *note, when not NULL, says which arguments pass.
 * False when this machine has no such call. */
bool jail_syscall_answer(enum jail_profile profile, const char *name, enum jail_answer *answer, const char **note);

#endif
