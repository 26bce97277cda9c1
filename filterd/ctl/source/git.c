#include "ctl/source/git.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "base/cleanup.h"

enum { ARGUMENTS_MAX = 40, MESSAGE_MAX = 300, MESSAGES_MAX = 4096, PIPE_BYTES = 1024 * 1024, PIECE = 64 * 1024 };

/* In front of each command. What is off could execute something, or hide a part of the history. */
static const char *const fixed_arguments[] = {
    "git", "--no-pager", "--no-replace-objects", "--no-optional-locks", "--literal-pathspecs",
    "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "core.commitGraph=false",
    "-c", "core.pager=cat", "-c", "core.sshCommand=false", "-c", "core.alternateRefsCommand=false", "-c", "core.gitProxy=",
    "-c", "protocol.allow=never", "-c", "log.showSignature=false", "-c", "log.showRoot=true", "-c", "gpg.program=false",
    "-c", "core.quotePath=false", "-c", "advice.graftFileDeprecated=false",
};

/* Set for git, whatever they were. */
static const char *const fixed_variables[] = {
    "LC_ALL=C", "GIT_ALLOW_PROTOCOL=none", "GIT_NO_LAZY_FETCH=1", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
    "GIT_OPTIONAL_LOCKS=0", "GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null",
    "GIT_FLUSH=0", /* not after each commit */
};
/* Not passed on: they change what is printed, or write elsewhere. */
static const char *const dropped_variables[] = {
    "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_TRACE", "GIT_SSH", "GIT_ASKPASS", "GIT_PROXY_COMMAND", "GIT_LITERAL_PATHSPECS",
    "GIT_GLOB_PATHSPECS", "GIT_NOGLOB_PATHSPECS", "GIT_ICASE_PATHSPECS", "GIT_REDIRECT_STD", "GIT_REF_PARANOIA",
};

/* A variable of one of these names; those of dropped_variables are beginnings. */
static bool is_replaced(const char *variable)
{
    for (size_t i = 0; i < COUNT(fixed_variables); i++) {
        size_t len = strcspn(fixed_variables[i], "=") + 1;
        if (strncmp(variable, fixed_variables[i], len) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < COUNT(dropped_variables); i++) {
        if (strncmp(variable, dropped_variables[i], strlen(dropped_variables[i])) == 0) {
            return true;
        }
    }
    return false;
}

/* The array alone is to be freed. */
static char **make_environment(void)
{
    size_t n = 0, kept = 0;

    while (environ[n] != NULL) {
        n++;
    }
    char **variables = calloc(n + COUNT(fixed_variables) + 1, sizeof(*variables));
    if (variables == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (!is_replaced(environ[i])) {
            variables[kept++] = environ[i];
        }
    }
    for (size_t i = 0; i < COUNT(fixed_variables); i++) {
        variables[kept++] = (char *)(uintptr_t)fixed_variables[i];
    }
    return variables;
}

static int add_actions(posix_spawn_file_actions_t *actions, const char *folder, int in, int out, int errors)
{
    int failed = in >= 0 ? posix_spawn_file_actions_adddup2(actions, in, STDIN_FILENO)
                         : posix_spawn_file_actions_addopen(actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

    failed = failed != 0 ? failed : posix_spawn_file_actions_adddup2(actions, out, STDOUT_FILENO);
    failed = failed != 0 ? failed : posix_spawn_file_actions_adddup2(actions, errors, STDERR_FILENO);
    return failed != 0 || folder == NULL ? failed : posix_spawn_file_actions_addchdir_np(actions, folder);
}

static bool spawn(struct git *g, const char *folder, char *const *arguments, int in, int out, struct error *err)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t defaults;
    char **variables CLEANUP(cleanup_free) = make_environment();

    if (variables == NULL || posix_spawn_file_actions_init(&actions) != 0) {
        return error_set(err, ERROR_NO_MEMORY, "git: no memory");
    }
    (void)posix_spawnattr_init(&attributes);
    (void)sigemptyset(&defaults);
    (void)sigaddset(&defaults, SIGPIPE); /* which filterctl ignores */
    (void)posix_spawnattr_setsigdefault(&attributes, &defaults);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
    int failed = add_actions(&actions, folder, in, out, g->errors);
    failed = failed != 0 ? failed : posix_spawnp(&g->pid, "git", &actions, &attributes, arguments, variables);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)posix_spawnattr_destroy(&attributes);
    if (failed != 0) {
        g->pid = -1;
        errno = failed;
        return error_errno(err, "git");
    }
    return true;
}

bool git_start(struct git *g, const char *folder, const char *const *arguments, int in, struct error *err)
{
    char *all[COUNT(fixed_arguments) + ARGUMENTS_MAX + 1];
    size_t n = 0;
    int ends[2];

    *g = (struct git)GIT_NONE;
    for (size_t i = 0; i < COUNT(fixed_arguments); i++) {
        all[n++] = (char *)(uintptr_t)fixed_arguments[i];
    }
    for (size_t i = 0; arguments[i] != NULL; i++) {
        if (i == ARGUMENTS_MAX) {
            return error_set(err, ERROR_LIMIT, "git: at most %d arguments expected", ARGUMENTS_MAX);
        }
        all[n++] = (char *)(uintptr_t)arguments[i];
    }
    all[n] = NULL;
    g->errors = memfd_create("git", MFD_CLOEXEC);
    if (g->errors < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        error_errno(err, "git: pipe");
        git_stop(g);
        return false;
    }
    g->out = ends[0];
    (void)fcntl(ends[0], F_SETPIPE_SZ, PIPE_BYTES); /* fewer switches; a smaller one does, too */
    bool is_started = spawn(g, folder, all, in, ends[1], err);
    (void)close(ends[1]);
    if (!is_started) {
        git_stop(g);
    }
    return is_started;
}

bool git_read(struct git *g, char *to, size_t max, size_t *len, struct error *err)
{
    ssize_t n;

    do {
        n = read(g->out, to, max);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        return error_errno(err, "git: output");
    }
    *len = (size_t)n;
    return true;
}

/* The line that says why it ended, else the first one, of what it wrote on standard error: it may quote names from the repository, so only
 * what is plain is kept. */
static void read_message(const struct git *g, char message[MESSAGE_MAX])
{
    char text[MESSAGES_MAX];
    ssize_t n = pread(g->errors, text, sizeof(text) - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    const char *line = strstr(text, "fatal: ");
    line = line != NULL ? line : text;
    (void)snprintf(message, MESSAGE_MAX, "%.*s", (int)strcspn(line, "\n"), line);
    for (char *c = message; *c != '\0'; c++) {
        *c = *c < ' ' || *c > '~' ? '?' : *c;
    }
}

static int wait_for(struct git *g)
{
    int status = -1;

    while (waitpid(g->pid, &status, 0) < 0 && errno == EINTR) {
    }
    g->pid = -1;
    return status;
}

bool git_end(struct git *g, struct error *err)
{
    char message[MESSAGE_MAX];
    int status = wait_for(g);

    read_message(g, message);
    git_stop(g);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        return error_set(err, ERROR_SYSTEM, "git: %s", message[0] != '\0' ? message : "ended without a message");
    }
    return true;
}

void git_stop(struct git *g)
{
    if (g->out >= 0) {
        (void)close(g->out);
    }
    if (g->errors >= 0) {
        (void)close(g->errors);
    }
    if (g->pid > 0) {
        (void)kill(g->pid, SIGKILL);
        (void)wait_for(g);
    }
    *g = (struct git)GIT_NONE;
}

bool git_read_all(struct git *g, struct buf *out, struct error *err)
{
    size_t len = 0;

    do {
        size_t room = out->max - out->len < PIECE ? out->max - out->len : PIECE;
        if (room == 0) {
            return error_set(err, ERROR_LIMIT, "git: output of at most %zu MiB expected", out->max / (1024 * 1024));
        }
        if (!buf_reserve(out, room, err) || !git_read(g, out->data + out->len, room, &len, err)) {
            return false;
        }
        out->len += len;
    } while (len > 0);
    return git_end(g, err);
}

bool git_output(const char *folder, const char *const *arguments, struct buf *out, struct error *err)
{
    struct git g CLEANUP(git_stop) = GIT_NONE;

    return git_start(&g, folder, arguments, -1, err) && git_read_all(&g, out, err);
}
