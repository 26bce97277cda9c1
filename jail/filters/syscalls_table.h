/* syscalls_table.h - the names of calls for syscalls.h; NULL-terminated. A name that this machine's
 * architecture lacks is ignored. */
#ifndef FILTERD_JAIL_FILTERS_SYSCALLS_TABLE_H
#define FILTERD_JAIL_FILTERS_SYSCALLS_TABLE_H

extern const char *const jail_calls_allowed[];       /* in every profile */
extern const char *const jail_calls_allowed_agent[]; /* not in strict */
extern const char *const jail_calls_absent[];        /* ENOSYS: programs fall back */
extern const char *const jail_calls_ignored[];       /* succeed and do nothing */
extern const char *const jail_calls_fatal[];
extern const char *const jail_calls_learned[];         /* allowed; observed by learning */
extern const char *const jail_calls_notified[];          /* EPERM, and the launcher is notified */

#endif
