/* command_agents_attach.c - filterctl agents attach: processes outside a jail become an agent's, for filterd to end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "ctl/command.h"
#include "ctl/service_socket.h"
#include "jail/lease/agent_wire.h"

enum { ANSWER_MS = 5000 };

static int run(const struct arguments *args);

const struct command command_agents_attach = {
    .name = "agents attach",
    .operands = "AGENT PID|FOLDER",
    .summary = "Let filterd kill processes that an agent runs outside a jail",
    .details = "FOLDER is a control group of version 2: every process in it, now and later. PID is that process alone,\n"
               "not its children. filterd kills them with the agent, and the record says whether it could verify that.\n"
               "filterd must be allowed to signal a PID: run it as the same user or as root. For a FOLDER it is enough\n"
               "that this command may write there.",
    .options = OPTION_BIT(OPTION_AGENTS) | OPTION_BIT(OPTION_TENANT),
    .texts = {{OPTION_TENANT, "the agent's tenant"}},
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};

static bool open_process(const char *text, struct jail_kill_target *t, struct error *err)
{
    char *end = NULL;
    long pid = strtol(text, &end, 10);

    if (*end != '\0' || pid <= 1 || pid > INT32_MAX) {
        return error_set(err, ERROR_INVALID, "%s: the number of a process or the absolute path of a control group expected",
                         text);
    }
    t->pidfd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0);
    return t->pidfd >= 0 || error_errno(err, "process %ld", pid);
}

static bool open_group(const char *path, struct jail_kill_target *t, struct error *err)
{
    struct jail_cgroups group = {.n = 1};
    struct jail_tree *tree = &group.trees[0];

    tree->is_unified = true;
    tree->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (tree->fd < 0) {
        return error_errno(err, "%s", path);
    }
    jail_kill_open(t, &group, -1);
    jail_cgroups_close(&group);
    return (t->kill >= 0 && t->events >= 0) ||
           error_set(err, ERROR_INVALID, "%s: a control group of version 2, which this user may end, expected", path);
}

static bool read_answer(int fd, struct error *err)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    struct agent_message m;

    if (poll(&p, 1, ANSWER_MS) != 1 || agent_message_receive(fd, &m, NULL) != AGENT_RECEIVED) {
        return error_set(err, ERROR_SYSTEM, "filterd does not answer");
    }
    return m.kind == WIRE_WELCOME || error_set(err, ERROR_DENIED, "filterd refuses: %s", m.text);
}

static bool find_socket(const struct arguments *args, char path[PATH_MAX], struct error *err)
{
    const char *given = args->agents;

    if (given == NULL) {
        return service_socket_find("agents.sock", SOCK_SEQPACKET, "--agents", path, err);
    }
    return (size_t)snprintf(path, PATH_MAX, "%s", strncmp(given, "unix:", 5) == 0 ? given + 5 : given) < PATH_MAX ||
           error_set(err, ERROR_INVALID, "--agents: a shorter path expected");
}

static bool attach(const struct arguments *args, const struct jail_kill_target *t, struct error *err)
{
    struct agent_handles handles;
    struct agent_message m;
    char path[PATH_MAX];

    agent_message_init(&m, WIRE_HELLO);
    if ((size_t)snprintf(m.agent, sizeof(m.agent), "%s", args->operands[0]) >= sizeof(m.agent) ||
        (size_t)snprintf(m.tenant, sizeof(m.tenant), "%s", args->tenant == NULL ? "" : args->tenant) >= sizeof(m.tenant)) {
        return error_set(err, ERROR_INVALID, "a shorter name expected");
    }
    if (!find_socket(args, path, err)) {
        return false;
    }
    int fd CLEANUP(cleanup_fd) = agent_wire_connect(path, err);
    agent_handles_of(t, &handles);
    return fd >= 0 && (agent_message_send(fd, &m, &handles) || error_errno(err, "filterd")) && read_answer(fd, err);
}

static int run(const struct arguments *args)
{
    struct jail_kill_target t CLEANUP(jail_kill_close);
    const char *what = args->operands[1];
    struct error err;

    jail_kill_init(&t);
    if (!(what[0] == '/' ? open_group(what, &t, &err) : open_process(what, &t, &err)) || !attach(args, &t, &err)) {
        return command_failed(&err);
    }
    return command_print(span_str("attached\n"), &err) ? EXIT_CLEAN : command_failed(&err);
}
