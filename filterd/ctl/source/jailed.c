#include "ctl/source/jailed.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "base/file.h"

enum { COMMAND_MAX = 16, PIECE = 64 * 1024 };

static const char policy[] =
    "name: filterctl-convert\n"
    "syscalls: {profile: strict}\n"
    "work: {size: 192M, exec: false}\n"
    "tmp: {size: 16M}\n"
    "limits: {memory: 512M, swap: 0, cpu: 1, pids: 16, wall: 60s, cpu_time: 60s, idle: 60s, output: 64M, file_size: 64M, open_files: 64}\n";

struct run {
    sigset_t mask; /* of the caller; restored at the end */
    bool is_masked;
    char jail[PATH_MAX], folder[PATH_MAX - 16], policy[PATH_MAX]; /* empty: not there */
    int in, out, errors; /* memory files with the document and the messages; a pipe */
    int signals;
    pid_t pid;
};

static int wait_for(struct run *r)
{
    int status = -1;

    while (waitpid(r->pid, &status, 0) < 0 && errno == EINTR) {
    }
    r->pid = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : JAILED_GONE;
}

static void end_run(struct run *r)
{
    if (r->pid > 0) {
        (void)kill(r->pid, SIGTERM); /* it kills its jail first */
        (void)wait_for(r);
    }
    cleanup_fd(&r->in);
    cleanup_fd(&r->out);
    cleanup_fd(&r->errors);
    cleanup_fd(&r->signals);
    if (r->policy[0] != '\0') {
        (void)unlink(r->policy);
    }
    if (r->folder[0] != '\0') {
        (void)rmdir(r->folder);
    }
    if (r->is_masked) {
        (void)sigprocmask(SIG_SETMASK, &r->mask, NULL); /* a signal that came ends the process here */
    }
}

/* --- before it runs --------------------------------------------------------------------- */

static bool find_jail(struct run *r, struct error *err)
{
    static const char name[] = "filterd-jail";
    const ssize_t n = readlink("/proc/self/exe", r->jail, sizeof(r->jail) - sizeof(name));
    char *slash = n > 0 ? memrchr(r->jail, '/', (size_t)n) : NULL;

    if (slash != NULL) {
        memcpy(slash + 1, name, sizeof(name));
    }
    if (slash == NULL || access(r->jail, X_OK) != 0) {
        (void)snprintf(r->jail, sizeof(r->jail), "/usr/bin/%s", name);
    }
    return access(r->jail, X_OK) == 0 || error_set(err, ERROR_NOT_FOUND, "filterd-jail is not installed");
}

static bool catch_signals(struct run *r, struct error *err)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
    sigset_t blocked;

    (void)sigemptyset(&blocked);
    for (size_t i = 0; i < COUNT(ending); i++) {
        (void)sigaddset(&blocked, ending[i]);
    }
    r->is_masked = sigprocmask(SIG_BLOCK, &blocked, &r->mask) == 0;
    r->signals = r->is_masked ? signalfd(-1, &blocked, SFD_CLOEXEC) : -1;
    return r->signals >= 0 || error_errno(err, "signalfd");
}

/* Links in its path are resolved: a jail's policy has none. */
static bool make_folder(struct run *r, struct error *err)
{
    const char *temporary = getenv("TMPDIR");
    char *resolved CLEANUP(cleanup_free) = realpath(temporary != NULL ? temporary : "/tmp", NULL);

    if (resolved == NULL) {
        return error_errno(err, "%s", temporary != NULL ? temporary : "/tmp");
    }
    const int len = snprintf(r->folder, sizeof(r->folder), "%s/filterctl.XXXXXX", resolved);
    if (len < 0 || (size_t)len >= sizeof(r->folder) || mkdtemp(r->folder) == NULL) {
        r->folder[0] = '\0';
        return error_errno(err, "%s", resolved);
    }
    return true;
}

static bool write_policy(struct run *r, struct error *err)
{
    if (!make_folder(r, err)) {
        return false;
    }
    (void)snprintf(r->policy, sizeof(r->policy), "%s/jail.yaml", r->folder);
    int fd CLEANUP(cleanup_fd) = open(r->policy, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    return (fd >= 0 && file_write_all(fd, span_str(policy))) || error_errno(err, "%s", r->policy);
}

static bool make_files(struct run *r, struct span document, struct error *err)
{
    r->in = memfd_create("document", MFD_CLOEXEC);
    r->errors = memfd_create("messages", MFD_CLOEXEC);
    return (r->in >= 0 && r->errors >= 0 && file_write_all(r->in, document) && lseek(r->in, 0, SEEK_SET) == 0) ||
           error_errno(err, "a copy in memory");
}

/* --- while it runs --------------------------------------------------------------------------- */

static int add_actions(posix_spawn_file_actions_t *actions, const struct run *r, int out)
{
    const int from[] = {r->in, out, r->errors};
    int failed = 0;

    for (int i = 0; failed == 0 && i < (int)COUNT(from); i++) {
        failed = posix_spawn_file_actions_adddup2(actions, from[i], i);
    }
    return failed;
}

static bool spawn(struct run *r, const char *const *command, int out, struct error *err)
{
    const char *const first[] = {r->jail, "run", "--policy", r->policy, "--"};
    char *arguments[COUNT(first) + COMMAND_MAX + 1] = {NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;

    for (size_t i = 0; i < COUNT(first); i++) {
        arguments[i] = (char *)(uintptr_t)first[i];
    }
    for (size_t i = 0; i < COMMAND_MAX && command[i] != NULL; i++) {
        arguments[COUNT(first) + i] = (char *)(uintptr_t)command[i];
    }
    if (posix_spawn_file_actions_init(&actions) != 0) {
        return error_set(err, ERROR_NO_MEMORY, "no memory");
    }
    (void)posix_spawnattr_init(&attributes);
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE); /* which filterctl ignores */
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setsigmask(&attributes, &r->mask);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int failed = add_actions(&actions, r, out);
    failed = failed != 0 ? failed : posix_spawn(&r->pid, r->jail, &actions, &attributes, arguments, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        r->pid = -1;
        errno = failed;
        return error_errno(err, "%s", r->jail);
    }
    return true;
}

static bool start(struct run *r, const char *const *command, struct error *err)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0) {
        return error_errno(err, "pipe");
    }
    r->out = ends[0];
    bool is_started = spawn(r, command, ends[1], err);
    (void)close(ends[1]);
    return is_started;
}

/* Waits for output; false when a signal came first. */
static bool wait_for_output(const struct run *r, struct error *err)
{
    struct pollfd files[] = {{.fd = r->out, .events = POLLIN}, {.fd = r->signals, .events = POLLIN}};

    while (poll(files, COUNT(files), -1) < 0) {
        if (errno != EINTR) {
            return error_errno(err, "poll");
        }
    }
    return files[1].revents == 0 || error_set(err, ERROR_SYSTEM, "interrupted");
}

static bool read_output(const struct run *r, struct buf *out, struct error *err)
{
    ssize_t n;

    do {
        const size_t room = out->max - out->len < PIECE ? out->max - out->len : PIECE;
        if (room == 0) {
            return error_set(err, ERROR_LIMIT, "more than %zu MiB of text", out->max / (1024 * 1024));
        }
        if (!buf_reserve(out, room, err) || !wait_for_output(r, err)) {
            return false;
        }
        n = read(r->out, out->data + out->len, room);
        if (n < 0 && errno != EINTR) {
            return error_errno(err, "output");
        }
        out->len += n > 0 ? (size_t)n : 0;
    } while (n != 0);
    return true;
}

bool jailed_run(const char *const *command, struct span document, struct buf *out, struct jailed *result, struct error *err)
{
    struct run r CLEANUP(end_run) = {.in = -1, .out = -1, .errors = -1, .signals = -1, .pid = -1};

    if (!find_jail(&r, err) || !catch_signals(&r, err) || !write_policy(&r, err) || !make_files(&r, document, err) ||
        !start(&r, command, err) || !read_output(&r, out, err)) {
        return false;
    }
    result->code = wait_for(&r);
    const ssize_t n = pread(r.errors, result->messages, JAILED_MESSAGES, 0);
    result->messages[n > 0 ? n : 0] = '\0';
    return true;
}
