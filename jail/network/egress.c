#include "jail/network/egress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/descriptors.h"
#include "base/file.h"
#include "base/linux_calls.h"
#include "base/span.h"

enum {
    CHANNEL = 3, /* where the program finds it */
    CUT = 4,
    READY_MS = 120 * 1000, /* rules that were never compiled before take their time */
    END_MS = 5000, /* for its last lines of the record */
    PAUSE_NS = 1000000, /* between looks whether it has exited */
    ARGUMENTS_MAX = 32,
    NUMBER = 16,
    SIGRTMIN_OF_KERNEL = 32,
};

void jail_egress_init(struct jail_egress *w)
{
    *w = (struct jail_egress){.channel = -1, .cut = -1};
}

/* --- the program ----------------------------------------------------------- */

/* Beside this one, wherever that is: the two belong together. */
static bool find_program(char path[PATH_MAX], struct error *err)
{
    static const char name[] = "filterd-egress";
    ssize_t n = readlink("/proc/self/exe", path, PATH_MAX - sizeof(name));

    if (n < 0) {
        return error_errno(err, "/proc/self/exe");
    }
    path[n] = '\0';
    char *slash = strrchr(path, '/');
    memcpy(slash == NULL ? path : slash + 1, name, sizeof(name));
    return access(path, X_OK) == 0 || error_errno(err, "%s", path);
}

static void add(const char *list[ARGUMENTS_MAX], const char *option, const char *value)
{
    size_t n = 0;

    while (list[n] != NULL) {
        n++;
    }
    if (value != NULL && n + 2 < ARGUMENTS_MAX) {
        list[n] = option;
        list[n + 1] = value;
    }
}

static _Noreturn void become(const char *program, const char *const *arguments, int channel, int cut)
{
    sigset_t none;
    int null = open("/dev/null", O_RDWR);
    /* Out of the way of each other's places. */
    int far_channel = fcntl(channel, F_DUPFD, CUT + 1), far_cut = fcntl(cut, F_DUPFD, CUT + 1);

    (void)setsid(); /* signals of the launcher's terminal are not for it */
    for (int i = 1; i < SIGRTMIN_OF_KERNEL; i++) {
        (void)signal(i, SIG_DFL);
    }
    (void)sigemptyset(&none);
    (void)pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(null, STDOUT_FILENO) < 0 ||
        far_channel < 0 || dup2(far_channel, CHANNEL) < 0 || far_cut < 0 || dup2(far_cut, CUT) < 0) {
        _exit(2);
    }
    (void)close_range(CUT + 1, ~0U, 0);
    (void)execv(program, (char *const *)(uintptr_t)arguments);
    _exit(2);
}

bool jail_egress_start(struct jail_egress *w, const struct jail_policy *p, const char *run, uid_t user,
                        struct error *err)
{
    const struct jail_network *n = &p->network;
    char program[PATH_MAX], channel[NUMBER], cut[NUMBER], number[NUMBER];
    const char *arguments[ARGUMENTS_MAX] = {"filterd-egress"};
    int ends[2];

    if (!find_program(program, err)) {
        return false;
    }
    (void)snprintf(channel, sizeof(channel), "%d", CHANNEL);
    (void)snprintf(cut, sizeof(cut), "%d", CUT);
    (void)snprintf(number, sizeof(number), "%u", user);
    add(arguments, "--launcher", channel);
    add(arguments, "--cut", cut);
    add(arguments, "--policy", n->egress);
    add(arguments, "--log", n->record);
    add(arguments, "--rules", n->rules);
    add(arguments, "--filter-policy", n->filter_policy);
    add(arguments, "--cache-directory", n->cache);
    add(arguments, "--jail", run);
    add(arguments, "--agent", p->filter.agent != NULL ? p->filter.agent : p->name);
    add(arguments, "--user", user == 0 ? NULL : number);
    w->cut = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (w->cut < 0 || socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "filterd-egress");
    }
    pid_t pid = fork();
    if (pid == 0) {
        become(program, arguments, ends[1], w->cut);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_errno(err, "filterd-egress");
    }
    w->channel = ends[0];
    w->pid = pid;
    return true;
}

bool jail_egress_ask(const struct jail_policy *p, const char *option, const char *value, struct buf *out,
                      struct error *err)
{
    char program[PATH_MAX];
    const char *arguments[] = {"filterd-egress", "--policy", p->network.egress, option, value, NULL};
    int ends[2], status = 0;

    if (!find_program(program, err)) {
        return false;
    }
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return error_errno(err, "filterd-egress");
    }
    pid_t pid = fork();
    if (pid == 0) {
        if (dup2(ends[1], STDOUT_FILENO) >= 0) {
            (void)execv(program, (char *const *)(uintptr_t)arguments);
        }
        _exit(2);
    }
    (void)close(ends[1]);
    bool is_read = pid > 0 && file_read_fd(ends[0], "filterd-egress", out, err);
    (void)close(ends[0]);
    if (pid < 0) {
        return error_errno(err, "filterd-egress");
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    return is_read && (status == 0 || error_set(err, ERROR_INVALID, "filterd-egress does not read %s", p->network.egress));
}

/* --- the channel ----------------------------------------------------------- */

bool jail_egress_await(struct jail_egress *w, int cancel, struct error *err)
{
    struct pollfd p[] = {{.fd = w->channel, .events = POLLIN}, {.fd = cancel, .events = POLLIN}};
    int fds[JAIL_CHANNEL_SOCKETS_MAX];
    struct jail_channel_message m;
    size_t n;

    int ready = poll(p, COUNT(p), READY_MS);
    if (ready <= 0 || p[1].revents != 0) {
        return error_set(err, ERROR_LIMIT, "filterd-egress: %s", ready == 0 ? "not ready in time" : "interrupted");
    }
    enum jail_channel_result result = jail_channel_receive(w->channel, &m, fds, &n, 0);
    descriptors_close(fds, n);
    if (result != JAIL_CHANNEL_CAME || m.kind != JAIL_CHANNEL_READY) {
        return error_set(err, ERROR_DENIED, "filterd-egress: %s",
                         result == JAIL_CHANNEL_CAME && m.kind == JAIL_CHANNEL_FAILED ? m.text : "it ended");
    }
    (void)snprintf(w->authority, sizeof(w->authority), "%s", m.text);
    return true;
}

/* Closes the jail's network; the jail continues. */
static void cut(struct jail_egress *w)
{
    if (w->channel >= 0) {
        (void)close(w->channel);
        w->channel = -1;
    }
}

bool jail_egress_take(struct jail_egress *w, struct jail_channel_message *event)
{
    int fds[JAIL_CHANNEL_SOCKETS_MAX];
    size_t n;

    while (w->channel >= 0) {
        enum jail_channel_result result = jail_channel_receive(w->channel, event, fds, &n, MSG_DONTWAIT);
        descriptors_close(fds, n);
        if (result == JAIL_CHANNEL_END) {
            cut(w);
        } else if (result == JAIL_CHANNEL_NOTHING) {
            return false;
        } else if (event->kind == JAIL_CHANNEL_EVENT) {
            return true;
        }
    }
    return false;
}

void jail_egress_note(const struct jail_egress *w, const char *text)
{
    struct jail_channel_message m = {.kind = JAIL_CHANNEL_NOTE};

    (void)snprintf(m.text, sizeof(m.text), "%s", text);
    if (w->channel >= 0) {
        (void)!jail_channel_send(w->channel, &m, NULL, 0, MSG_DONTWAIT);
    }
}

void jail_egress_stop(const struct jail_egress *w)
{
    if (w->channel >= 0) {
        (void)shutdown(w->channel, SHUT_WR);
    }
}

void jail_egress_end(struct jail_egress *w, void (*event)(void *context, const struct jail_channel_message *m),
                      void *context)
{
    int64_t until = clock_monotonic_ms() + END_MS;
    struct jail_channel_message m;

    jail_egress_stop(w);
    while (w->channel >= 0 && clock_monotonic_ms() < until) {
        struct pollfd p = {.fd = w->channel, .events = POLLIN};
        (void)poll(&p, 1, (int)(until - clock_monotonic_ms()));
        while (jail_egress_take(w, &m)) {
            event(context, &m);
        }
    }
    cut(w);
    while (w->pid > 0 && waitpid(w->pid, NULL, WNOHANG) == 0) {
        const struct timespec pause = {.tv_nsec = PAUSE_NS};
        if (clock_monotonic_ms() >= until) {
            (void)kill(w->pid, SIGKILL);
        }
        (void)nanosleep(&pause, NULL);
    }
    if (w->cut >= 0) {
        (void)close(w->cut);
    }
    jail_egress_init(w);
}
