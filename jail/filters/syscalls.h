/* syscalls.h - which system calls a jailed program may make, as a seccomp filter.
 *
 * An allow list per profile. What Linux knows and the list does not is EPERM; numbers newer than this
 * list, and calls that programs probe for, are ENOSYS, so that they fall back; calls that only an
 * attack makes, and every foreign ABI (i386, x32), kill the process. Compiled by libseccomp when
 * the program is built, for the machine that builds it; loading one allocates nothing. */
#ifndef FILTERD_JAIL_FILTERS_SYSCALLS_H
#define FILTERD_JAIL_FILTERS_SYSCALLS_H

#include <linux/filter.h>

#include "base/error.h"
#include "jail/policy/policy.h"

struct jail_filter {
    const struct sock_filter *code;
    unsigned short n;
};

/* Per profile; made when the program is built. In the notify filters, denied calls that no ordinary
 * program makes (jail_calls_notified, sockets other than TCP and UDP) wait for an answer (user notification). */
extern const struct jail_filter jail_filters[JAIL_PROFILE_COUNT], jail_filters_notify[JAIL_PROFILE_COUNT];
/* As agent's, but jail_calls_learned, jail_calls_notified and what strict would deny wait for an answer:
 * that they go on (SECCOMP_USER_NOTIF_FLAG_CONTINUE) or not. */
extern const struct jail_filter jail_filter_learning;

enum jail_filter_kind { JAIL_FILTER_PLAIN, JAIL_FILTER_NOTIFY, JAIL_FILTER_LEARNING };

/* Makes one now, which takes some milliseconds; owned by the caller. */
MUST_CHECK bool jail_filter_make(enum jail_profile profile, enum jail_filter_kind kind, struct jail_filter *f, struct error *err);
void jail_filter_free(struct jail_filter *f);
/* For this thread and what it becomes; needs no_new_privs. */
MUST_CHECK bool jail_filter_enter(const struct jail_filter *f, struct error *err);

/* The same with a notify filter; returns its notification fd, close-on-exec. -1: this kernel, or a filter that
 * stands already, allows none; the filter is not entered then. */
int jail_filter_enter_notify(const struct jail_filter *f);

enum jail_answer { JAIL_ANSWER_KILL, JAIL_ANSWER_EPERM, JAIL_ANSWER_ENOSYS, JAIL_ANSWER_SOME, JAIL_ANSWER_ALLOW };

/* What the profile answers to a call by name; *note, when not NULL, says which arguments pass.
 * False when no call of this machine has the name. */
bool jail_syscall_answer(enum jail_profile profile, const char *name, enum jail_answer *answer, const char **note);

#endif
