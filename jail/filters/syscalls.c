#include "jail/filters/syscalls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "jail/filters/syscalls_arguments.h"
#include "jail/filters/syscalls_table.h"

enum {
    FIRST_UNKNOWN = 452, /* fchmodat2: the first that Debian 12's libseccomp has no name for */
    LAST_UNKNOWN = 511,  /* from 512 on, x86 has numbers of x32 */
    DUMPABLE_CODE_MAX = 64 * 1024,
};

/* --- the filter ----------------------------------------------------------- */

static bool is_listed(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* But for those that `others` lists. */
static bool add_names(scmp_filter_ctx f, uint32_t action, const char *const *names, const char *const *others)
{
    for (; *names != NULL; names++) {
        int call = is_listed(others, *names) ? -1 : seccomp_syscall_resolve_name(*names);
        if (call >= 0 && seccomp_rule_add(f, action, call, 0) != 0) {
            return false;
        }
    }
    return true;
}

/* When learning those alone that are the same in every profile; add_learned has the others. */
static bool add_argument_rules(scmp_filter_ctx f, enum jail_profile profile, enum jail_filter_kind kind)
{
    for (const struct jail_argument_rule *r = jail_argument_rules; r->name != NULL; r++) {
        if (kind == JAIL_FILTER_LEARNING && r->agent != r->strict) {
            continue;
        }
        bool (*add)(scmp_filter_ctx, int) = profile == JAIL_PROFILE_AGENT ? r->agent : r->strict;
        int call = seccomp_syscall_resolve_name(r->name);
        if (add != NULL && call >= 0 && !add(f, call)) {
            return false;
        }
    }
    return true;
}

static const char *const nothing[] = {NULL};

static bool add_notified(scmp_filter_ctx f)
{
    return add_names(f, SCMP_ACT_NOTIFY, jail_calls_notified, nothing) && jail_notify_sockets(f);
}

/* Calls that show what the command needs wait for the observer: opening and running files, what strict denies. */
static bool add_learned(scmp_filter_ctx f)
{
    return jail_notify_learned_arguments(f) && add_names(f, SCMP_ACT_NOTIFY, jail_calls_learned, nothing) &&
           add_names(f, SCMP_ACT_NOTIFY, jail_calls_allowed_agent, nothing) &&
           add_names(f, SCMP_ACT_NOTIFY, jail_calls_notified, nothing);
}

static bool add_all(scmp_filter_ctx f, enum jail_profile profile, enum jail_filter_kind kind)
{
    bool is_learning = kind == JAIL_FILTER_LEARNING;

    for (int call = FIRST_UNKNOWN; call <= LAST_UNKNOWN; call++) {
        if (seccomp_rule_add(f, SCMP_ACT_ERRNO(ENOSYS), call, 0) != 0) {
            return false;
        }
    }
    return add_names(f, SCMP_ACT_ALLOW, jail_calls_allowed, is_learning ? jail_calls_learned : nothing) &&
           (profile != JAIL_PROFILE_AGENT || is_learning ||
            add_names(f, SCMP_ACT_ALLOW, jail_calls_allowed_agent, nothing)) &&
           add_names(f, SCMP_ACT_ERRNO(ENOSYS), jail_calls_absent, nothing) &&
           add_names(f, SCMP_ACT_KILL_PROCESS, jail_calls_fatal, nothing) &&
           add_names(f, SCMP_ACT_ERRNO(0), jail_calls_ignored, nothing) && add_argument_rules(f, profile, kind) &&
           (kind != JAIL_FILTER_NOTIFY || add_notified(f)) && (!is_learning || add_learned(f));
}

/* libseccomp of Debian 12 writes to descriptors only. */
static bool export(scmp_filter_ctx f, struct jail_filter *out, struct error *err)
{
    int fd CLEANUP(cleanup_fd) = memfd_create("filter", MFD_CLOEXEC);

    if (fd < 0 || seccomp_export_bpf(f, fd) != 0) {
        return error_errno(err, "seccomp: cannot write the filter");
    }
    off_t size = lseek(fd, 0, SEEK_END);
    if (size <= 0 || size > DUMPABLE_CODE_MAX || (size_t)size % sizeof(struct sock_filter) != 0) {
        return error_set(err, ERROR_INTERNAL, "seccomp: a filter of %lld bytes", (long long)size);
    }
    struct sock_filter *code = malloc((size_t)size);
    if (code == NULL || pread(fd, code, (size_t)size, 0) != (ssize_t)size) {
        free(code);
        return error_set(err, ERROR_NO_MEMORY, "seccomp: no memory for the filter");
    }
    *out = (struct jail_filter){code, (unsigned short)((size_t)size / sizeof(struct sock_filter))};
    return true;
}

bool jail_filter_make(enum jail_profile profile, enum jail_filter_kind kind, struct jail_filter *out, struct error *err)
{
    scmp_filter_ctx f = seccomp_init(SCMP_ACT_ERRNO(EPERM));

    if (f == NULL) {
        return error_set(err, ERROR_NO_MEMORY, "seccomp: no memory");
    }
    bool is_made = seccomp_attr_set(f, SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS) == 0 &&
                   seccomp_attr_set(f, SCMP_FLTATR_CTL_OPTIMIZE, 2) == 0 && add_all(f, profile, kind);
    is_made = is_made ? export(f, out, err) : error_set(err, ERROR_INTERNAL, "seccomp: libseccomp refuses a rule");
    seccomp_release(f);
    return is_made;
}

void jail_filter_free(struct jail_filter *f)
{
    free((void *)(uintptr_t)f->code);
    *f = (struct jail_filter){0};
}

bool jail_filter_enter(const struct jail_filter *f, struct error *err)
{
    const struct sock_fprog program = {.len = f->n, .filter = (struct sock_filter *)(uintptr_t)f->code};

    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0 || error_errno(err, "seccomp");
}

int jail_filter_enter_notify(const struct jail_filter *f)
{
    const struct sock_fprog program = {.len = f->n, .filter = (struct sock_filter *)(uintptr_t)f->code};

    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
}

/* --- explaining ----------------------------------------------------------- */

static bool answer_by_arguments(enum jail_profile profile, const char *name, enum jail_answer *answer, const char **note)
{
    const struct jail_argument_rule *r = jail_argument_rules;

    while (r->name != NULL && strcmp(r->name, name) != 0) {
        r++;
    }
    if (r->name == NULL) {
        return false;
    }
    bool (*add)(scmp_filter_ctx, int) = profile == JAIL_PROFILE_AGENT ? r->agent : r->strict;
    *answer = add == NULL ? JAIL_ANSWER_EPERM : add == jail_allow_any ? JAIL_ANSWER_ALLOW : JAIL_ANSWER_SOME;
    *note = *answer == JAIL_ANSWER_SOME ? r->note : NULL;
    return true;
}

bool jail_syscall_answer(enum jail_profile profile, const char *name, enum jail_answer *answer, const char **note)
{
    const struct {
        const char *const *names;
        enum jail_answer answer;
        bool is_of_profile;
    } lists[] = {{jail_calls_allowed, JAIL_ANSWER_ALLOW, true},
                 {jail_calls_allowed_agent, JAIL_ANSWER_ALLOW, profile == JAIL_PROFILE_AGENT},
                 {jail_calls_absent, JAIL_ANSWER_ENOSYS, true},
                 {jail_calls_ignored, JAIL_ANSWER_SOME, true},
                 {jail_calls_fatal, JAIL_ANSWER_KILL, true}};

    *note = NULL;
    *answer = JAIL_ANSWER_EPERM;
    if (answer_by_arguments(profile, name, answer, note)) {
        return true;
    }
    for (size_t i = 0; i < COUNT(lists); i++) {
        if (lists[i].is_of_profile && is_listed(lists[i].names, name)) {
            *answer = lists[i].answer;
            *note = *answer == JAIL_ANSWER_SOME ? "programs that ask for it, without effect" : NULL;
        }
    }
    return seccomp_syscall_resolve_name(name) >= 0;
}
