#include "enforce/helper.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "enforce/hooks.h"

enum { VICTIM_CHILDREN = 2, KILL_MS = 1000, REAP_MS = 1000 };

/* --- the helper's own side ------------------------------------------------ */

struct victim {
    pid_t pid; /* 0: there is none */
    struct jail_cgroups groups;
    struct jail_kill_target target;
    bool has_group;
};

/* With a group to end them by it has children; alone it can only end itself. */
static _Noreturn void live(int ready, bool has_group)
{
    bool is_first = true;

    for (int i = 0; has_group && is_first && i < VICTIM_CHILDREN; i++) {
        is_first = fork() != 0;
    }
    if (is_first) {
        (void)!write(ready, "r", 1);
    }
    for (;;) {
        (void)pause();
    }
}

static bool make_group(struct victim *v, struct error *err)
{
    char name[32];

    (void)snprintf(name, sizeof(name), "%d-selftest", (int)getpid());
    if (!jail_cgroups_find_own(&v->groups, err)) {
        return false;
    }
    jail_cgroups_name(&v->groups, name);
    jail_cgroups_make(&v->groups);
    return jail_cgroups_unified(&v->groups) != NULL;
}

static bool make_victim(struct victim *v, struct error *err)
{
    char ready;
    int ends[2];

    *v = (struct victim){0};
    v->has_group = make_group(v, err);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "victim");
    }
    bool is_made = jail_cgroups_fork(&v->groups, &v->pid, err);
    if (is_made && v->pid == 0) {
        (void)close(ends[1]);
        (void)prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
        live(ends[0], v->has_group);
    }
    (void)close(ends[0]);
    v->pid = is_made ? v->pid : 0;
    jail_kill_open(&v->target, &v->groups, is_made ? (int)syscall(SYS_pidfd_open, v->pid, 0) : -1);
    is_made = is_made && read(ends[1], &ready, 1) == 1;
    (void)close(ends[1]);
    return is_made && v->target.pidfd >= 0;
}

static void bury(struct victim *v)
{
    if (v->pid > 0) {
        (void)jail_kill(&v->target, KILL_MS); /* mostly it is dead by now */
        (void)waitpid(v->pid, NULL, 0);
    }
    jail_kill_close(&v->target);
    jail_cgroups_close(&v->groups);
    (void)jail_cgroups_remove(&v->groups);
    *v = (struct victim){0};
    jail_kill_init(&v->target);
}

static void serve_victim(int channel, struct victim *v)
{
    struct agent_handles handles;
    struct agent_message m;
    struct error err = {.text = "no victim can be made"};

    bury(v);
    bool is_made = make_victim(v, &err);
    agent_message_init(&m, is_made ? WIRE_HELLO : WIRE_REFUSED);
    (void)snprintf(m.text, sizeof(m.text), "%.*s", (int)sizeof(m.text) - 1, err.text);
    agent_handles_of(&v->target, &handles);
    (void)!agent_message_send(channel, &m, is_made ? &handles : NULL);
}

static void answer(int channel, const struct agent_message *m, struct victim *victim, const struct violations *v)
{
    if (m->kind == WIRE_VICTIM) {
        serve_victim(channel, victim);
    } else if (m->kind == WIRE_GOODBYE) {
        bury(victim);
    } else if (m->kind == WIRE_HOOK && v != NULL) {
        (void)hooks_start(v, m, channel);
    }
}

static _Noreturn void serve(int channel, const struct violations *v)
{
    struct pollfd p = {.fd = channel, .events = POLLIN};
    struct victim victim = {0};
    struct agent_message m;

    jail_kill_init(&victim.target);
    for (;;) {
        if (poll(&p, 1, REAP_MS) < 0 && errno != EINTR) {
            break;
        }
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        enum agent_received received = agent_message_receive(channel, &m, NULL);
        if (received == AGENT_CLOSED || received == AGENT_BROKEN) {
            break;
        }
        if (received == AGENT_RECEIVED) {
            answer(channel, &m, &victim, v);
        }
    }
    bury(&victim);
    _exit(0);
}

/* --- filterd's side ------------------------------------------------------- */

bool helper_start(struct helper *h, const struct violations *v, struct error *err)
{
    int ends[2];

    *h = (struct helper){.channel = -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        return error_errno(err, "helper");
    }
    pid_t pid = fork();
    if (pid == 0) {
        if (ends[1] > 3) {
            (void)close_range(3, (unsigned)ends[1] - 1, 0);
        }
        (void)close_range((unsigned)ends[1] + 1, ~0U, 0);
        (void)prctl(PR_SET_NAME, "filterd-helper", 0, 0, 0);
        (void)signal(SIGPIPE, SIG_IGN);
        serve(ends[1], v);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return error_errno(err, "helper");
    }
    *h = (struct helper){.channel = ends[0], .pid = pid};
    return true;
}

void helper_stop(struct helper *h)
{
    cleanup_fd(&h->channel);
    h->channel = -1; /* it ends by that, in its own time: the sandbox forbids to wait for it */
}

static bool send_kind(const struct helper *h, enum agent_message_kind kind)
{
    struct agent_message m;

    agent_message_init(&m, kind);
    return h->channel >= 0 && agent_message_send(h->channel, &m, NULL);
}

bool helper_ask_victim(const struct helper *h)
{
    return send_kind(h, WIRE_VICTIM);
}

bool helper_ask_hooks(const struct helper *h, const char *tenant, const char *agent, const char *why)
{
    struct agent_message m;

    agent_message_init(&m, WIRE_HOOK);
    (void)snprintf(m.agent, sizeof(m.agent), "%s", agent);
    (void)snprintf(m.tenant, sizeof(m.tenant), "%s", tenant);
    (void)snprintf(m.text, sizeof(m.text), "%s", why);
    return h->channel >= 0 && agent_message_send(h->channel, &m, NULL);
}

void helper_bury_victim(const struct helper *h)
{
    (void)!send_kind(h, WIRE_GOODBYE);
}
