#include "places.h"

#include <stdio.h>
#include <unistd.h>

/* NULL when memory is out. */
static const char *join(struct arena *a, const char *directory, const char *below)
{
    struct error err;
    size_t size = strlen(directory) + strlen(below) + 1;
    char *path = arena_alloc(a, size, &err);

    if (path != NULL) {
        (void)snprintf(path, size, "%s%s", directory, below);
    }
    return path;
}

/* Where systemd, the desktop or the file system standard puts a thing. */
struct place {
    const char *systemd, *user, *home, *root;
};

static const char *find_place(struct arena *a, const struct place *p)
{
    const char *systemd = getenv(p->systemd);
    const char *user = getenv(p->user);
    const char *home = getenv("HOME");

    if (systemd != NULL && systemd[0] == '/') {
        return join(a, systemd, "");
    }
    if (geteuid() == 0) {
        return p->root;
    }
    if (user != NULL && user[0] == '/') {
        return join(a, user, "/filterd");
    }
    return home != NULL && home[0] == '/' && p->home != NULL ? join(a, home, p->home) : NULL;
}

static const char *unless_none(const char *directory)
{
    return directory != NULL && strcmp(directory, "none") == 0 ? NULL : directory;
}

static void find_directories(struct arena *a, struct service_options *s)
{
    static const struct place state = {"STATE_DIRECTORY", "XDG_STATE_HOME",
                                       "/.local/state/filterd", "/var/lib/filterd"};
    static const struct place cache = {"CACHE_DIRECTORY", "XDG_CACHE_HOME", "/.cache/filterd",
                                       "/var/cache/filterd"};
    if (s->state_directory == NULL) {
        s->state_directory = find_place(a, &state);
    }
    if (s->cache_directory == NULL) {
        s->cache_directory = find_place(a, &cache);
    }
    s->state_directory = unless_none(s->state_directory);
    s->cache_directory = unless_none(s->cache_directory);
}

static bool find_files(struct arena *a, struct service_options *s, struct error *err)
{
    static const struct place runtime = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", NULL,
                                         "/run/filterd"};
    const char *logs = getenv("LOGS_DIRECTORY");

    if (s->operators == NULL) {
        const char *directory = find_place(a, &runtime);
        directory = directory != NULL ? directory : s->state_directory;
        s->operators = directory == NULL ? "none"
                                         : join(a, join(a, "unix:", directory), "/operators.sock");
    }
    if (s->log == NULL) {
        const char *directory = logs != NULL && logs[0] == '/' ? logs : s->state_directory;
        s->log = directory == NULL ? NULL : join(a, directory, "/decisions.jsonl");
    }
    if (s->threads == 0) {
        long n = sysconf(_SC_NPROCESSORS_ONLN);
        s->threads = n < 1 ? 1 : (uint64_t)n;
    }
    if (s->log == NULL) {
        return error_set(err, ERROR_INVALID, "log: a file expected: there is no state directory, "
                                             "and without a record nothing is released");
    }
    return (s->tls_certificate == NULL) == (s->tls_key == NULL) ||
           error_set(err, ERROR_INVALID, "tls-certificate and tls-key: both or neither expected");
}

bool places_find(struct arena *a, struct service_options *s, struct error *err)
{
    find_directories(a, s);
    return find_files(a, s, err);
}
