/* command_explain.c - filterd-jail explain path|host|syscall X: the jail's answer, and the reason. */
#include "base/cleanup.h"
#include "jail/ctl/command.h"
#include "jail/filters/syscalls.h"
#include "jail/network/egress.h"

static bool is_within(const char *path, const char *folder)
{
    size_t len = strlen(folder);

    return strncmp(path, folder, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* The first part of the path below `folder` whose name is denied; NULL: none. */
static const char *find_denied(const struct jail_policy *p, const char *path, const char *folder, char name[256])
{
    for (const char *part = path + strlen(folder); *part == '/';) {
        size_t n = strcspn(++part, "/");
        (void)snprintf(name, 256, "%.*s", (int)(n > 255 ? 255 : n), part);
        if (jail_policy_denies_name(p, name)) {
            return name;
        }
        part += n;
    }
    return NULL;
}

static bool explain_input(const struct jail_policy *p, const struct jail_input *input, const char *path,
                          struct buf *out, struct error *err)
{
    char name[256];

    if (find_denied(p, path, input->to, name) != NULL) {
        return buf_appendf(out, err, "%s: the name %s is in deny_names\n",
                           input->is_snapshot && p->on_denied != JAIL_DENIED_HONEYTOKEN ? "not there" : "denied", name);
    }
    return buf_appendf(out, err, "read-only: %s%s%s of the machine (inputs)\n",
                       input->is_snapshot ? "a copy, made at the start, of " : "", input->from, path + strlen(input->to));
}

static bool explain_path(const struct jail_policy *p, const char *path, struct buf *out, struct error *err)
{
    static const struct {
        const char *folder, *text;
    } own[] = {
        {"/usr", "read-only: programs and libraries of the machine"},
        {"/bin", "read-only: as /usr/bin"},
        {"/sbin", "read-only: as /usr/sbin"},
        {"/lib", "read-only: as /usr/lib"},
        {"/lib64", "read-only: as /usr/lib64"},
        {"/etc", "read-only: a small one of the jail's own: users, hosts, certificates of authorities, loader"},
        {"/proc", "read-only: the jail's own processes"},
        {"/dev/shm", "writable: in memory, gone with the jail; nothing in it can be run"},
        {"/dev", "null, zero, full, random, urandom, tty, ptmx and pts of the jail's own"},
    };

    if (path[0] != '/') {
        return error_set(err, ERROR_INVALID, "explain path: an absolute path of the jail expected");
    }
    for (size_t i = 0; i < p->n_inputs; i++) {
        if (is_within(path, p->inputs[i].to)) {
            return explain_input(p, &p->inputs[i], path, out, err);
        }
    }
    if (is_within(path, p->work_path) || is_within(path, "/tmp")) {
        bool may_exec = is_within(path, "/tmp") ? p->tmp.may_exec : p->work.may_exec;
        return buf_appendf(out, err, "writable: in memory, gone with the jail%s\n",
                           may_exec ? "" : "; nothing in it can be run");
    }
    if (p->outputs.path != NULL && is_within(path, p->outputs.path)) {
        return buf_appendf(out, err, "writable: regular files come out into %s when all is over\n", p->outputs.quarantine);
    }
    for (size_t i = 0; i < COUNT(own); i++) {
        if (is_within(path, own[i].folder)) {
            return buf_appendf(out, err, "%s\n", own[i].text);
        }
    }
    return buf_append_str(out, "not there: nothing of the machine is shown but what the policy names (inputs)\n", err);
}

static bool explain_host(const struct jail_policy *p, const char *host, struct buf *out, struct error *err)
{
    bool is_own = strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0 ||
                  strcmp(host, p->hostname) == 0;

    if (is_own && p->profile == JAIL_PROFILE_AGENT) {
        return buf_append_str(out, "the jail itself: its programs reach each other, never the machine\n", err);
    }
    if (p->network.egress != NULL) {
        return jail_egress_ask(p, "--explain", host, out, err);
    }
    return buf_append_str(out, "not reachable: the jail's network has nothing but its own loopback (network: none)\n", err);
}

static bool explain_syscall(const struct jail_policy *p, const char *name, struct buf *out, struct error *err)
{
    static const char *const answers[] = {
        [JAIL_ANSWER_KILL] = "fatal: the process ends, no honest program calls it",
        [JAIL_ANSWER_EPERM] = "refused: EPERM",
        [JAIL_ANSWER_ENOSYS] = "absent: ENOSYS, programs do without",
        [JAIL_ANSWER_SOME] = "allowed for",
        [JAIL_ANSWER_ALLOW] = "allowed",
    };
    enum jail_answer answer;
    const char *note;

    if (!jail_syscall_answer(p->profile, name, &answer, &note)) {
        return buf_append_str(out, "unknown: this architecture has no such call known here; new ones are ENOSYS\n", err);
    }
    return buf_appendf(out, err, "%s%s%s\n", answers[answer], note != NULL ? " " : "", note != NULL ? note : "");
}

static int run(const struct jail_arguments *args)
{
    static const struct {
        const char *name;
        bool (*explain)(const struct jail_policy *p, const char *what, struct buf *out, struct error *err);
    } kinds[] = {{"path", explain_path}, {"host", explain_host}, {"syscall", explain_syscall}};
    struct buf out CLEANUP(buf_deinit);
    struct error err;
    struct jail_policy *p = jail_policy_load(args->policy, &err);

    buf_init(&out, PRINT_MAX);
    if (p == NULL) {
        return jail_command_failed(&err);
    }
    bool is_explained = false;
    error_set(&err, ERROR_INVALID, "explain: one of path, host, syscall expected");
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(args->operands[0], kinds[i].name) == 0) {
            is_explained = kinds[i].explain(p, args->operands[1], &out, &err);
        }
    }
    jail_policy_free(p);
    return is_explained ? jail_command_finish(&out, EXIT_CLEAN) : jail_command_failed(&err);
}

const struct jail_command jail_command_explain = {
    .name = "explain",
    .operands = "path|host|syscall X",
    .summary = "Show how the jail treats a path, a host or a system call",
    .needs_policy = true,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
