#include "base/directories.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *join(struct arena *a, const char *prefix, const char *directory, const char *below)
{
    struct error err;
    size_t size = strlen(prefix) + strlen(directory) + strlen(below) + 1;
    char *path = arena_alloc(a, size, &err);

    if (path != NULL) {
        (void)snprintf(path, size, "%s%s%s", prefix, directory, below);
    }
    return path;
}

/* An absolute path, or NULL. */
static const char *environment(const char *name)
{
    const char *path = getenv(name); /* NOLINT(concurrency-mt-unsafe): no thread yet */

    return path != NULL && path[0] == '/' ? path : NULL;
}

struct standard {
    const char *systemd, *user, *home, *root;
};

static const char *find(struct arena *a, const struct standard *s)
{
    const char *systemd = environment(s->systemd);
    const char *user = environment(s->user);
    const char *home = environment("HOME");

    if (systemd != NULL) {
        return systemd;
    }
    if (geteuid() == 0) {
        return s->root;
    }
    if (user != NULL) {
        return join(a, "", user, "/filterd");
    }
    return home != NULL && s->home != NULL ? join(a, "", home, s->home) : NULL;
}

void directories_find(struct arena *a, struct directories *d)
{
    static const struct standard state = {"STATE_DIRECTORY", "XDG_STATE_HOME", "/.local/state/filterd",
                                          "/var/lib/filterd"};
    static const struct standard cache = {"CACHE_DIRECTORY", "XDG_CACHE_HOME", "/.cache/filterd",
                                          "/var/cache/filterd"};
    static const struct standard runtime = {"RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR", NULL, "/run/filterd"};

    d->state = d->state != NULL ? d->state : find(a, &state);
    d->cache = d->cache != NULL ? d->cache : find(a, &cache);
    d->runtime = d->runtime != NULL ? d->runtime : find(a, &runtime);
    d->runtime = d->runtime != NULL ? d->runtime : d->state;
    d->logs = d->logs != NULL ? d->logs : environment("LOGS_DIRECTORY");
    d->logs = d->logs != NULL ? d->logs : d->state;
}

const char *directories_operators(struct arena *a, const struct directories *d)
{
    return d->runtime == NULL ? NULL : join(a, "unix:", d->runtime, "/operators.sock");
}

const char *directories_log(struct arena *a, const struct directories *d)
{
    return d->logs == NULL ? NULL : join(a, "", d->logs, "/decisions.jsonl");
}
