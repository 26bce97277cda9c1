/* learning.h - observes, call by call, what a command uses of its jail's permissions.
 *
 * The command runs behind every mechanism of its policy, with the `agent` calls. A filter suspends the calls that show
 * its needs (opening and executing files, calls that `strict` denies) until they are noted; they then continue to the same
 * mechanisms (SECCOMP_USER_NOTIF_FLAG_CONTINUE), so no decision depends on the path that was read. Each such call costs some
 * 30 us. One thread. */
#ifndef FILTERD_JAIL_LEARN_LEARNING_H
#define FILTERD_JAIL_LEARN_LEARNING_H

#include "jail/launcher/run.h"

enum { JAIL_LEARNED_PATHS_MAX = 50000 };

/* Why the calls of `strict` would not have sufficed. */
enum jail_need {
    JAIL_NEED_SOCKETS = 1,
    JAIL_NEED_CODE_IN_MEMORY = 2, /* writable and executable at once */
    JAIL_NEED_FILELESS = 4,       /* execution of memory files */
    JAIL_NEED_OWN_WALLS = 8,      /* the program's own seccomp and Landlock */
};

struct jail_learning {
    const struct jail_policy *policy;
    bool has_observed;      /* at least one call: the notify_fd works */
    int root;            /* of the jail, while it runs; -1 */
    char **paths;        /* opened below inputs, as seen in the jail; sorted, each once */
    size_t n_paths;
    char **missing;      /* paths of the machine that the jail lacks */
    size_t n_missing;
    bool has_overflown;  /* more than JAIL_LEARNED_PATHS_MAX */
    unsigned needs;      /* bits of enum jail_need */
    bool runs_work, runs_tmp;
    int64_t work_bytes, work_inodes, tmp_bytes, tmp_inodes; /* maxima observed */
    char refused[512];   /* names of refused calls, each once */
};

void jail_learning_init(struct jail_learning *l, const struct jail_policy *p);
void jail_learning_deinit(struct jail_learning *l);
/* For jail_run_watched; the context is a struct jail_learning. */
extern const struct jail_filter *const jail_learning_filter;
void jail_learning_take(void *learning, int notify_fd);

/* Appends the minimal policy that would have sufficed, and comments on what it leaves open. */
MUST_CHECK bool jail_learning_print(const struct jail_learning *l, const struct jail_outcome *o, struct buf *out,
                                    struct error *err);

#endif
